package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// bounds writes the worst case as "name amount", with "~" before an upper bound.
func bounds(t *testing.T, src string, limit int) string {
	t.Helper()
	w := check.Bounds(program(t, []byte(src)).Machines[0], limit)
	if w == nil {
		t.Fatal("no bounds")
	}
	var b strings.Builder
	write := func(f check.Figure) {
		amount := "unbounded"
		switch {
		case f.Amount == nil:
		case f.Name == "time":
			amount = time.Duration(f.Amount.Num().Int64()).String()
		default:
			amount = ir.DecimalText(f.Amount)
		}
		mark := ""
		if !f.Exact && f.Amount != nil {
			mark = "~"
		}
		fmt.Fprintf(&b, "%s %s%s\n", f.Name, mark, amount)
	}
	write(w.Steps)
	write(w.Time)
	for _, f := range w.Costs {
		write(f)
	}
	for _, f := range w.Activities {
		write(f)
	}
	for _, u := range w.Unbounded {
		fmt.Fprintf(&b, "%s: %s\n", u.What, u.Why)
	}
	return b.String()
}

func TestBounds(t *testing.T) {
	for _, test := range []struct {
		name, src, want string
	}{
		{"the code review", codereview(t), `steps 21
time ~24h0m0s
tokens 50000
usd 0.17
fetch_diff 4
analyze 4
post_comments 6
summarize 1
`},
		{"the patch writer", kept(t, "patch.fsm"), `
steps 21
time ~25h13m0s
cost 60
write_patch 12
run_tests 4
review 4
`},
		{"a figure over the budget that runs are held to", `
machine Held {
    budget { usd 0.10 }
    event Said
    activity ask() -> Said cost usd 0.04
    initial Asking
    on failed -> Failed
    on over_budget -> Failed
    state Asking {
        do ask() timeout 1m
        on Said -> Asking max 2 else -> Done
    }
    terminal Done
    terminal Failed failure
}`, `
steps 3
time ~3m0s
usd ~0.1
ask 3
`},
		{"a figure within the budget that runs are held to", `
machine Held {
    budget { usd 0.12 }
    event Said
    activity ask() -> Said cost usd 0.04
    initial Asking
    on failed -> Failed
    on over_budget -> Failed
    state Asking {
        do ask() timeout 1m
        on Said -> Asking max 2 else -> Done
    }
    terminal Done
    terminal Failed failure
}`, `
steps 3
time ~3m0s
usd 0.12
ask 3
`},
		{"a sum that does not fit into 64 bits", `
machine Large {
    context { n int 9223372036854775800..9223372036854775807 = 9223372036854775806 }
    event Go
    initial S
    after 1h -> Done
    state S {
        on Go when n + 1 > 9223372036854775807 -> Done
            else -> S max 1 { n = 9223372036854775807 }
            else reject
    }
    terminal Done
}`, `
steps 2
time ~1h0m0s
`},
		{"a poll under a timer", `
machine Poll {
    event Found
    event Nothing
    activity look() -> Found | Nothing cost calls 0.1
    initial Looking
    after 1h -> Expired
    state Looking {
        do look() timeout 10s
        on Found -> Done
        on Nothing -> Resting
        on failed -> Resting
    }
    state Resting { after 1m -> Looking unbounded }
    terminal Done
    terminal Expired failure
}`, `
steps 121
time ~1h0m0s
calls 6.1
look 61
`},
		{"a retry that a timer leaves no time, and another activity beside it", `
machine Beside {
    activity slow()
    activity fast()
    initial S
    state S {
        do slow() as a
        do fast() as b timeout 2s
        on a.failed retry 2 backoff 1s..2s jitter 0 else -> Done
        on b.failed -> Done
        on done -> Done
        after 2s -> Done else {}
    }
    terminal Done
}`, `
steps 3
time ~2s
slow 2
fast 1
`},
		{"leaving a wait early gains no attempt", `
machine Early {
    event Leave
    activity a() cost tries 1
    activity b() cost tries 1
    initial S
    after 3s -> Done
    state S {
        do a()
        on failed retry 1 backoff 2s jitter 0 else -> Done
        on done -> Done
        on Leave -> T
    }
    state T {
        do b()
        on failed retry 1 backoff 2s jitter 0 else -> Done
        on done -> Done
    }
    terminal Done
}`, `
steps 4
time ~3s
tries 3
a 2
b 2
`},
		{"a bound that is used up defers the event", `
machine Deferred {
    event E
    activity a()
    initial S
    state S {
        do a() timeout 3s
        on E -> S max 1
        on failed -> S max 1
        defer E
    }
    terminal Done
}`, `
steps 2
time ~9s
a 3
`},
		{"a guard that is false defers the event", `
machine Deferred {
    event E { v bool }
    initial C
    defer E
    state C {
        initial S
        state S { on E when event.v -> C max 1 }
    }
    terminal Done
}`, `
steps 1
time unbounded
time: C.S waits for E with no timer
`},
		{"a wait with no timer", `
machine Wait {
    event Go
    activity look()
    initial Idle
    state Idle { on Go -> Looking }
    state Looking {
        do look()
        on done -> Done
        on failed retry 3 else -> Done
    }
    terminal Done
}`, `
steps 5
time unbounded
look 4
time: Idle waits for Go with no timer
`},
		{"a wait with an idle timer", `
machine Wait {
    event Go
    event Note
    initial Idle
    after 1h idle -> Done
    state Idle {
        on Note {}
        on Go -> Done
    }
    terminal Done
}`, `
steps 1
time unbounded
time: Idle waits for Note, Go with no timer but one that is idle
`},
		{"side by side, by data and by scope", `
machine Both(quick bool) {
    event Go
    activity a()
    activity b()
    initial Group
    state Group {
        on Go -> Group max 2
            else reject
        initial X
        state X {
            do a() timeout 1m
            do b() timeout 2m
            on failed retry 1 backoff 10s else ignore
            on done when quick -> Done
            on done when !quick -> Y
            after 5m -> Y
        }
        state Y { after 1h -> Done }
    }
    terminal Done
}`, `
steps 9
time ~3h12m30s
a 6
b 6
`},
		{"one activity twice side by side", `
machine Twice {
    event Found
    activity search() -> Found
    initial Searching
    state Searching {
        do search() as a timeout 1m
        do search() as b timeout 1m
        on a.Found, b.Found ignore
        on a.failed, b.failed -> Searching max 1 else -> Lost
        on done -> Done
    }
    terminal Done
    terminal Lost failure
}`, `
steps 2
time ~2m0s
search 4
`},
		{"one activity twice side by side, and retried", `
machine Twice {
    event Found
    activity search() -> Found
    initial Searching
    state Searching {
        do search() as a timeout 1m
        do search() as b timeout 1m
        on a.Found, b.Found ignore
        on a.failed retry 1 backoff 1s else -> Lost
        on b.failed retry 1 backoff 1s else -> Lost
        on done -> Done
    }
    terminal Done
    terminal Lost failure
}`, `
steps 3
time ~2m1s
search 4
`},
		{"an idle timer of the machine starts again with every move", `
machine Idle {
    event Go
    event Back
    initial A
    after 1h idle -> Expired
    state A { on Go -> B }
    state B { on Go -> C on Back -> A max 1 else reject }
    state C { on Go -> Done }
    terminal Done
    terminal Expired failure
}`, `
steps 5
time ~5h0m0s
`},
		{"an idle timer that a stay starts again", `
machine Idle {
    event Go
    event Note
    initial A
    after 1h idle -> Expired
    on Note ignore
    state A { on Go -> Done }
    terminal Done
    terminal Expired failure
}`, `
steps 1
time unbounded
time: A waits for Go, Note with no timer but one that is idle
`},
		{"why there is no time: a deadline that may be any", `
machine Due {
    event Go { due time }
    context { due time }
    activity work()
    initial A
    state A {
        on Go -> B { due = event.due }
        after 1h -> Done
    }
    state B { after due -> C }
    state C {
        do work() timeout 1m
        on failed retry unbounded backoff 1s
        on done -> Done
    }
    terminal Done
}`, `
steps unbounded
time unbounded
work unbounded
steps: C: "retry unbounded backoff 1s" can be taken without end
time: B waits, and "after due" has no limit
work: C: "retry unbounded backoff 1s" can be taken without end
`},
		{"why there is no time: a cycle, not the wait before it", `
machine Cycle {
    event Go
    activity work()
    initial A
    state A {
        on Go -> C
        after 1h -> Done
    }
    state C {
        do work() timeout 1m
        on failed retry unbounded backoff 1s
        on done -> Done
    }
    terminal Done
}`, `
steps unbounded
time unbounded
work unbounded
steps: C: "retry unbounded backoff 1s" can be taken without end
time: C: "retry unbounded backoff 1s" can be taken without end
work: C: "retry unbounded backoff 1s" can be taken without end
`},
		{"why there is no time: a wait that is read from data", `
machine Backoff {
    event Go { wait duration }
    context { wait duration = 1s }
    activity work()
    initial A
    state A {
        on Go -> C { wait = event.wait }
        after 1h -> Done
    }
    state C {
        do work() timeout 1m
        on failed retry 2 backoff by wait else -> Done
        on done -> Done
    }
    terminal Done
}`, `
steps 4
time unbounded
work 3
time: C: "backoff by wait" has no limit
`},
		{"why there is no time: an attempt behind a wait that ends", `
machine Attempt {
    event Go
    activity work()
    initial A
    state A {
        on Go -> C
        after 1h -> Done
    }
    state C {
        do work()
        on failed, done -> Done
    }
    terminal Done
}`, `
steps 2
time unbounded
work 1
time: C: "work" has no timeout
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), bounds(t, test.src, explore.DefaultLimit)); diff != "" {
				t.Errorf("bounds (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUpperBounds: past the limit the figures are no lower.
func TestUpperBounds(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"the patch writer", kept(t, "patch.fsm"), `steps ~22
time ~25h13m0s
cost ~60
write_patch ~12
run_tests ~4
review ~4
`},
		{"what cancel leads to", `
machine Cleaned {
    event Go
    activity clean() cost usd 2
    initial A
    after 1d -> Done
    state A { on cancel -> Cleaning on Go -> A max 3 else -> Done }
    state Cleaning {
        do clean() timeout 1m
        on failed retry 2 else -> Done
        on done -> Done
    }
    terminal Done
}`, `steps ~8
time ~24h0m0s
usd ~6
clean ~3
`},
		{"one arm for two time limits, of which a run takes 2 and some 300", `
machine Unlike {
    activity x()
    activity y()
    initial Box
    state Box {
        initial A
        after 10h -> Over
        on failed(timeout) -> B
        state A {
            do x() timeout 5h
            on done, failed(unknown) -> Over
        }
        state B {
            do y() timeout 1m
            on done -> A max 1 else -> Over
            on failed(unknown) -> Over
        }
    }
    terminal Over
}`, `steps ~3628
time ~10h0m0s
x ~1814
y ~1814
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, bounds(t, test.src, 1)); diff != "" {
				t.Errorf("bounds (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTimeBehindATimerThatStays holds that a timer which leaves the run where it
// is does not end what it has capped so far.
func TestTimeBehindATimerThatStays(t *testing.T) {
	const text = `machine M {
    activity act()
    initial A
    state A {
        do act() TIMEOUT
        after 1s ignore
        on failed, done -> Done
    }
    terminal Done
}
`
	for timeout, want := range map[string]string{"": "", "timeout 5s": "6s"} {
		m := program(t, []byte(strings.Replace(text, "TIMEOUT", timeout, 1))).Machines[0]
		got := ""
		if f := check.Bounds(m, explore.DefaultLimit).Time; f.Amount != nil {
			got = ir.FormatDuration(f.Amount.Num().Int64())
		}
		if got != want {
			t.Errorf("with %q: %q, want %q", timeout, got, want)
		}
	}
}

// TestTimeOfMoreTimersThanAreToldApart holds that a timer of which no configuration
// tells whether it has fired ends nothing.
func TestTimeOfMoreTimersThanAreToldApart(t *testing.T) {
	var text strings.Builder
	text.WriteString("machine M {\n event Seen\n initial A\n state A {\n  on Seen -> Done\n")
	for i := range 40 {
		fmt.Fprintf(&text, "  after %dm {}\n", i+1)
	}
	text.WriteString("  after 1h -> Done\n }\n terminal Done\n}\n")
	m := program(t, []byte(text.String())).Machines[0]
	if f := check.Bounds(m, explore.DefaultLimit).Time; f.Amount == nil || f.Amount.Num().Int64() != int64(time.Hour) {
		t.Errorf("the time is %v ns, want 1h", f.Amount)
	}
}

// TestEveryMachineHasBounds measures every machine that the rules' examples
// have: whatever a machine is like, its worst case is computed.
func TestEveryMachineHasBounds(t *testing.T) {
	for _, m := range langtest.Machines(t, "rule/*/testdata/*.fsm") {
		if w := check.Bounds(m, explore.DefaultLimit); w == nil && !m.Broken && !m.Incomplete && m.Root.Leaf() != nil {
			t.Errorf("%s: %s has no worst case", m.Span.Start.Filename, m.Name)
		}
	}
}
