package oracletest_test

import "testing"

// fixed are machines on which checker and brute force once disagreed, shrunk,
// and named by what the checker had wrong.
var fixed = []struct{ name, src string }{
	{"the failures of an activity without results have effects", `
machine M {
    context { n int 0..3 = 0 }
    event E1
    activity act0()
    initial S2
    state S2 {
        do act0() as x
        do act0() as y
        on y.failed retry 1
            else { n = min(n + 1, 3) }
        on E1 when n == 3 -> S3
            else -> S2 max 3
    }
    state S3 {
        on E1 -> S2
    }
}`},
	{"two events of a name are deferred, and the second is dropped", `
machine M {
    event E1
    initial S0
    state S0 {
        defer E1
        after 1m -> S1
    }
    state S1 {
        on E1 -> S3
    }
    state S3 {
    }
}`},
	{"a run defers an event as often as it takes it", `
machine M {
    context {
        b bool = false
        p int = 0
    }
    event E1 { v bool }
    event R00
    activity act0() -> R00
    initial S0
    state S0 {
        initial S0a0
        on E1 { b = event.v }
        state S0a0 {
            do act0()
            on R00 when b -> S0.S0a0 max 2
                else retry 2
                else -> S1
            on failed -> S1 { p = 0, b = true }
        }
    }
    state S1 {
        do act0()
        on R00 -> S0 max 3
        defer E1
    }
}`},
	{"a promise is broken by a longer run than the one that rests on a guess", `
machine M {
    context { t string = "no" }
    event E0
    event E1 { v string }
    assert S2 precedes S1
    initial S0
    state S0 {
        on E1 when event.v == t -> S1
        on E0 -> S1
    }
    state S1 {
    }
    state S2 {
    }
}`},
	{"an idle timer of 0s comes first", `
machine M {
    context { b bool = false }
    event E2
    initial S0
    state S0 {
        on E2 when !b -> Done
        after 0s idle { b = true }
    }
    terminal Done success
}`},
	{"a witness keeps a host guard's answer over the block of its arm", `
machine M {
    context { n int 0..3 = 0 }
    guard host(n int)
    initial S0
    state S0 {
        after 10s when host(n) -> S3 { n = min(n + 1, 3) }
    }
    state S3 {
    }
}`},
	{"a host guard is asked again with the same value, though it was assigned", `
machine M {
    context { n int 0..3 = 0 }
    event E1
    guard host(n int)
    initial S0
    state S0 {
        on E1 when host(n) -> S1
            else -> S2 { n = max(n - 1, 0) }
    }
    state S1 {
    }
    state S2 {
        require host(n) else -> Done
        on E1 -> S0
    }
    terminal Done success
}`},
	{"the worst run takes another arm than the one that counts", `
machine M {
    context { t string = "no" }
    event E0 { v string }
    initial S0
    state S0 {
        after 0s -> S2
    }
    state S2 {
        on E0 when event.v == t ignore
            else -> S2 max 3 { t = event.v }
    }
}`},
	{"a guard is told apart by its arguments", `
machine M {
    event R00
    event R01
    activity act0() -> R00 | R01
    guard host(n int)
    initial S0
    state S0 {
        do act0() as x
        on x.R01 when host(1) && host(2) -> Done
            else retry 2
    }
    terminal Done success
}`},
	{"more events of a name are deferred than brute force follows", `
machine M {
    event E1
    event E2
    initial S0
    state S0 {
        defer E1
        on E2 -> S1
    }
    state S1 {
        initial S1a0
        state S1a0 {
            on E1 -> S1 max 2
                else -> S2
        }
    }
    state S2 {
        initial S2a0
        state S2a0 {
        }
    }
}`},
	{"an upper bound is over the budget, and no run is", `
machine M {
    context { p int = 0 }
    event E1
    event E2 { v int }
    budget { steps 5 }
    initial S0
    state S0 {
        on E2 when p == 2 -> S1
            else when event.v == p ignore
            else -> S0 max 3
    }
    state S1 {
        on E1 -> S2
    }
    state S2 {
        on done -> Done
    }
    terminal Done success
}`},
	{"two timers are due in one instant, and the second cannot be carried out", `
machine M {
    context {
        u int 0..2
    }
    event E0
    initial S0
    after 20s -> Failed
    state S0 {
        on E0 -> S1
        after 16s jitter 0.5 -> S0
    }
    state S1 {
    }
    terminal Failed failure returns u
}`},
	{"the run of a figure leaves a state before an attempt starts that it counts", `
machine M {
    context {
        n int 0..3 = 0
        b bool = false
        w duration 0s..20s = 8s
    }
    event E0
    event R00 { v duration 0s..20s }
    event R01
    activity act0() -> R00 | R01
    initial S0
    state S0 {
        on E0 -> S0 max 1
            else -> S2
    }
    state S1 {
        initial S1a0
        after 12s -> Failed { n = max(n - 1, 0), w = min(w * 2, 20s) }
        state S1a0 {
        }
        state S1a1 {
            do act0()
            on R00 retry 2
        }
    }
    state S2 {
        do act0()
        on R00 -> Failed { b = !b, w = event.v }
        on R01 retry 2 backoff by w
        on E0 -> Failed
    }
    terminal Failed failure
}`},
	{"a wait that begins again takes a little less each time: shorter ticks tell", `
machine M {
    event E0
    initial S0
    after 20s -> Failed
    state S0 {
        initial S0a0
        after 4s -> Done
        state S0a0 {
            on E0 -> S0 max 3
                else -> S0.S0a1
        }
        state S0a1 {
            on E0 -> S1
        }
    }
    state S1 {
        after 8s -> Done
    }
    terminal Failed failure
    terminal Done success
}`},
	{"a retry late enough is forestalled by a timer whose step halts the run", `
machine M {
    context { u int 0..2 }
    event R00
    activity act0() -> R00
    initial S0
    state S0 {
        after 16s -> Done
        do act0() as y
        on y.R00 retry 1 backoff 4s
            else -> Failed
    }
    terminal Failed failure
    terminal Done success returns u
}`},
}

func TestRepaired(t *testing.T) {
	for _, test := range fixed {
		t.Run(test.name, func(t *testing.T) {
			s, why := brute(test.src)
			if s == nil {
				t.Fatalf("not explored: %s", why)
			}
			for _, d := range differences(s, map[string]int{}) {
				t.Error(d)
			}
		})
	}
}
