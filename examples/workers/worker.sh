#!/bin/sh
# A worker for fsmc run --worker in plain sh: one JSON object on each line, both
# ways. It takes one attempt at a time and needs nothing but sh, sed, tr and wc.
# A script that does more with JSON than this wants a tool for it.

# field NAME: the text or the number of that name in $line.
field() {
    printf '%s' "$line" | sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p'
}

while IFS= read -r line; do
    id=$(field id)
    case $(field activity) in
    fetch)
        url=$(field url)
        if text=$(tr -cs '[:alnum:]' ' ' <"${url#file://}"); then
            printf '{"id":%s,"event":"Fetched","data":{"text":"%s"}}\n' "$id" "$text"
        else
            printf '{"id":%s,"failed":"unreachable","message":"cannot read the file"}\n' "$id"
        fi
        ;;
    count)
        words=$(field text | wc -w | tr -d ' ')
        printf '{"id":%s,"event":"Counted","data":{"words":%s}}\n' "$id" "$words"
        ;;
    *) # a cancellation of what has been answered already, or an activity that it does not know
        [ -n "$(field cancel)" ] ||
            printf '{"id":%s,"failed":"unknown","message":"no such activity"}\n' "$id"
        ;;
    esac
done
