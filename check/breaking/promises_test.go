package breaking_test

import (
	"slices"
	"strings"
	"testing"
)

// TestWorstCaseOfLargeMachine: the figures are those of fsmc check, also where the two machines
// have more pairs of configurations than are compared. Without that, "start" had a worst case of
// 361 attempts, for the polls behind it.
func TestWorstCaseOfLargeMachine(t *testing.T) {
	const before = `machine M(name string) {
    event Ready
    event NotYet
    event Again
    activity start(name string)
    activity poll() -> Ready | NotYet
    initial Starting
    on failed -> Failed
    state Starting {
        do start(name) timeout 1m
        on done -> Polling
    }
    state Polling {
        do poll() timeout 1m
        on Ready -> Reviewing
        on NotYet -> Polling max 300 else -> Failed
    }
    state Reviewing {
        on Again -> Starting max 60 else -> Done
        after 1d -> Done
    }
    terminal Done
    terminal Failed failure
}`
	found := describe(compare(load(t, "old.fsm", before), load(t, "new.fsm", strings.Replace(before, "max 300", "max 400", 1))))
	found = slices.DeleteFunc(found, func(p string) bool { return !strings.HasPrefix(p, "worst-case-raised: ") })
	want := []string{
		`worst-case-raised: the worst case of "poll" was 361, and is 461`,
		`worst-case-raised: the worst case of "steps" was 483, and is 583`,
		`worst-case-raised: the worst case of "time" was 1471h2m, and is 1472h42m`,
	}
	if !slices.Equal(found, want) {
		t.Errorf("the points are %q, and not %q", found, want)
	}
}

// TestBoundBeginsAgain: a bound that stands in another arm begins again in runs that are moved.
func TestBoundBeginsAgain(t *testing.T) {
	const before = `machine M {
    event Tick
    event Tock
    event Tack
    event Stop { bad bool }
    initial Waiting
    state Waiting {
        on Tick -> Waiting max 3 else -> Spent
        on Tock -> Waiting max 3 else -> Spent
        on Stop -> Other max 2 else -> Spent
        after 30d -> Spent
    }
    state Other { after 1h -> Waiting unbounded }
    terminal Spent
}`
	for _, c := range []struct{ old, new, want string }{
		{"on Tick ->", "on Tick, Tack ->", `the bound of "Waiting on Tick" is that of "Waiting on Tick, Tack" now, and begins again in runs that are moved`},
		{"on Stop ->", "on Stop when event.bad -> Spent else ->", `the bound of "Waiting on Stop" is that of "Waiting on Stop else 1" now, and begins again in runs that are moved`},
		{"on Tick -> Waiting max 3", "on Tick -> Waiting max 4", ""},
		{"on Tick -> Waiting max 3 else -> Spent", "on Tick -> Spent", ""},
		{"on Tock -> Waiting max 3 else -> Spent", "on Tock -> Spent", ""}, // that of Tick is another
	} {
		found := describe(compare(load(t, "old.fsm", before), load(t, "new.fsm", strings.Replace(before, c.old, c.new, 1))))
		found = slices.DeleteFunc(found, func(p string) bool { return !strings.HasPrefix(p, "counter-lowered: ") })
		if c.want == "" && len(found) > 0 || c.want != "" && !slices.Equal(found, []string{"counter-lowered: " + c.want}) {
			t.Errorf("%q in place of %q gives %q", c.new, c.old, found)
		}
	}
}
