; Colours. Where several patterns fit a node, the last one counts.

(identifier) @variable
(comment) @comment
(string) @string
[(integer) (number) (duration)] @number
[(boolean) (null) (unset)] @constant.builtin
(now) @variable.builtin
(event_field "event" @variable.builtin)

["import" "machine" "context" "enum" "record" "event" "failures" "activity" "guard" "budget" "assert" "state" "terminal" "scenario"] @keyword
["initial" "on" "after" "do" "entry" "exit" "require" "defer" "publish" "returns" "fails" "cost" "limit" "per" "as" "for" "in" "at" "once"
 "timeout" "heartbeat" "progress" "max" "unbounded" "backoff" "by" "factor" "jitter" "idle" "precedes" "excludes" "leads" "to" "most"
 "run" "visit" "success" "failure" "cancelled" "of" "send" "refused" "wait" "expect" "repeat" "checkpoint" "lost" "ended" "halted" "attempt"
 "published" "waiting"] @keyword
["when" "else" "retry"] @keyword.conditional
(reject) @keyword
(pass) @keyword
(cancel) @keyword
(ignore "ignore" @keyword)
["done" "failed" "cancel" "over_budget"] @keyword
["is" "not" "set"] @keyword.operator
(length "len" @function.builtin)

["->" ".." "=" "==" "!=" "<" "<=" ">" ">=" "&&" "||" "!" "+" "-" "*" "|" "?"] @operator
["{" "}" "(" ")" "[" "]"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter

(type (identifier) @type)
((type (identifier) @type.builtin) (#any-of? @type.builtin "bool" "int" "float" "string" "duration" "time" "json"))
(parameter name: (identifier) @variable.parameter)
(field name: (identifier) @property)
(record_literal field: (identifier) @property)
(place (identifier) @property . )
(place . (identifier) @variable)
(call function: (identifier) @function)

(machine name: (identifier) @type)
(enum name: (identifier) @type)
(enum value: (identifier) @constant)
(record name: (identifier) @type)
(record_literal name: (identifier) @type)
(event name: (identifier) @type)
(activity name: (identifier) @function result: (identifier) @type)
(activity name: (identifier) @function)
(guard name: (identifier) @function)
(do activity: (identifier) @function)
(do machine: (identifier) @type)
(publish event: (identifier) @type)
(trigger event: (identifier) @type)
(trigger label: (identifier) @label)
(do label: (identifier) @label)
(ignore event: (identifier) @type)
(defer event: (identifier) @type)

(state name: (identifier) @namespace)
(terminal name: (identifier) @namespace)
(initial target: (identifier) @namespace)
(path (identifier) @namespace)
(fan (path (identifier) @variable))

(scenario machine: (identifier) @type)
(send event: (identifier) @type)
(attempt activity: (identifier) @function)
(attempt event: (identifier) @type)
(answer guard: (identifier) @function)
