package check_test

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
)

// TestHeldInPart: where a run is held to its budget in one of two states alone, the help of over-budget
// says what to take there, and not that over_budget is to be written; and the message, who lets it pass the budget.
func TestHeldInPart(t *testing.T) {
	const machine = `machine M {
    budget { usd 3.00 }
    activity ask() cost usd 1.00
    initial First
    state First {
        do ask() timeout 1m
        on over_budget -> Stopped
        on done, failed -> Again
    }
    state Again {
        do ask() timeout 1m
        on failed retry 5 backoff 1s else -> Failed
        on done -> Done
    }
    terminal Done
    terminal Failed failure
    terminal Stopped failure
}
`
	for source, want := range map[string][2]string{
		machine: {", over the budget of 3, if an operator lets halted runs continue", "or take `over_budget` in every state in which it may come."},
		strings.Replace(machine, "        on over_budget -> Stopped\n", "", 1): {", over the budget of 3", "or write `on over_budget -> …`, which holds each run to it."},
	} {
		found := false
		for _, d := range check.RunUpTo(program(t, []byte(source)), all.Rules, 100_000) {
			found = found || d.Rule == "over-budget" && strings.HasSuffix(d.Message, want[0]) && strings.HasSuffix(d.Help, want[1])
		}
		if !found {
			t.Errorf("no over-budget that says %q", want)
		}
	}
}
