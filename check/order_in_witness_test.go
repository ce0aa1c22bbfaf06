package check_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
)

// TestOrderInWitnesses holds that runs are found in which reports pass budgets at one time or
// one behind the other, and what is due comes by name; and events before and behind others.
func TestOrderInWitnesses(t *testing.T) {
	for _, c := range []struct{ name, src, rule, leaf string }{
		{"halted behind a guard", `
machine M {
    event Said
    activity say() -> Said cost usd 6
    guard enough()
    budget { tokens 11, usd 23 }
    activity ask() -> Said cost tokens 5
    initial Saying
    on over_budget(tokens) -> Done
    on failed -> Done
    state Saying {
        do say() timeout 1m
        on Said when enough() -> Resting
               else -> Done
        on over_budget(usd) ignore
    }
    state Resting { after 1h -> Done }
    terminal Done
}
`, "unhandled-budget", "Resting"},
		{"the later name first", `
machine M {
    event Said
    activity say() -> Said cost tokens 3, usd 2
    budget { tokens 29, usd 26 }
    initial First
    on over_budget(usd) -> Second
    on Said, failed -> Done
    state First { do say() timeout 1m }
    state Second { do say() timeout 1m }
    terminal Done
}
`, "unhandled-budget", "Second"},
		{"before a deferred event", `
machine M {
    event Note
    activity say() cost usd 8
    budget { usd 3 }
    initial Saying
    state Saying {
        do say() timeout 1s
        on failed -> Again
        on done -> Done
        on over_budget -> Done
        defer Note
    }
    state Again {
        on over_budget -> Poor
        on Note -> Done
        after 1h -> Done
    }
    state Poor { after 1h -> Done }
    terminal Done
}
`, "deferred-lost", "Poor"},
		{"an event that is ignored before another is deferred", `
machine M {
    event Ignored
    event Kept
    initial First
    state First {
        ignore Ignored
        defer Kept
        after 2s idle -> Done
        after 3s -> Second
    }
    state Second {
        on Kept -> Stuck
        after 1s -> Done
    }
    state Stuck {}
    terminal Done
}
`, "dead-end", "Stuck"},
	} {
		list, _ := check.Analyze(program(t, []byte(c.src)), all.Rules, explore.DefaultLimit, false)
		found := false
		for _, d := range list {
			if d.Rule == "undecided" {
				t.Errorf("%s: %s", c.name, d.Message)
			}
			found = found || d.Rule == c.rule && d.Witness != nil && d.Witness.Path[len(d.Witness.Path)-1].State == c.leaf
		}
		if !found {
			t.Errorf("%s: no finding of %s in %s", c.name, c.rule, c.leaf)
		}
	}
}
