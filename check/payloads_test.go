package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
)

// TestJSONDecidesNothing: a machine that builds a json and takes it apart has the
// configurations, the findings and the figures of one that does not. What comes out of
// a json into a typed field is another matter; see TestOutOfJSON.
func TestJSONDecidesNothing(t *testing.T) {
	const src = `machine Talk(task string, limits json) {
    failures { transient }
    context {
        turns    int 0..5 = 0
        messages json = []
        last     json
        log      string = ""
    }
    event Asked { text string }
    event Said { reply json }
    event Told { body json, text string }
    activity ask(turn int, messages json) -> Said cost usd 0.5
    budget { steps 40, usd 20 }
    initial Waiting
    after 24h -> Stopped
    state Waiting {
        on Asked when turns < 5 -> Thinking { turns = turns + 1, messages = messages + {"role": "user", "text": event.text, "n": turns} }
            else -> Stopped
    }
    state Thinking {
        do ask(turns, {"messages": messages, "last": limits.last}) timeout 1m
        on Said -> Waiting {
            messages = messages + event.reply.message.content
            last = event.reply.usage
            log = "turn " + text(turns)
            publish Told { body = {"reply": event.reply, "of": task}, text = text(now) }
        }
        on failed(transient) retry 2 else -> Broken
        on failed -> Broken { last = {"why": event.message} }
    }
    terminal Stopped
    terminal Broken failure
}`
	plain := src
	for _, r := range [][2]string{
		{`, messages = messages + {"role": "user", "text": event.text, "n": turns}`, ``},
		{`{"messages": messages, "last": limits.last}`, `messages`},
		{`messages = messages + event.reply.message.content`, `messages = event.reply`},
		{`last = event.reply.usage`, `last = event.reply`},
		{`"turn " + text(turns)`, `"turn"`},
		{`body = {"reply": event.reply, "of": task}, text = text(now)`, `body = event.reply, text = task`},
		{` { last = {"why": event.message} }`, ``},
		{`messages json = []`, `messages json`}, {`activity ask(turn int, messages json)`, `activity ask(turn int)`}, {`ask(turns, messages)`, `ask(turns)`},
	} {
		if !strings.Contains(plain, r[0]) {
			t.Fatalf("%q is not there", r[0])
		}
		plain = strings.Replace(plain, r[0], r[1], 1)
	}
	configurations := func(src string) int {
		return explore.NewProduct(flat.New(program(t, []byte(src)).Machines[0], nil), explore.DefaultLimit).Configurations()
	}
	if a, b := configurations(src), configurations(plain); a != b {
		t.Errorf("%d configurations with a json that is built, %d without", a, b)
	}
	told := func(src string) []string {
		return slices.DeleteFunc(inAnyOrder(t, src), func(words string) bool { return strings.HasPrefix(words, "never-read") })
	}
	if a, b := told(src), told(plain); !slices.Equal(a, b) || len(a) == 0 {
		t.Errorf("%q of a json that is built, %q without", a, b)
	}
}
