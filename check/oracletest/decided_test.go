package oracletest_test

import "testing"

// decided are machines on which nothing is unknown, and which the checker once
// left undecided or judged wrongly, shrunk.
var decided = []struct{ name, src string }{
	{"counters run up before the run is stuck", `
machine M {
    event E0
    initial S0
    state S0 {
        on E0 -> S0 max 1
    }
}`},
	{"a field that nothing assigns is a constant", `
machine M {
    context {
        n int 0..3 = 0
        most int = 2
    }
    event E0
    event E1 { v int 0..2 }
    event E2
    assert S4 excludes Done
    initial S0
    state S0 {
        on E1 -> S2
    }
    state S2 {
        on E1 { n = min(n + event.v, 3) }
        on E0 when n < 3 -> S4
            else when n + 1 == most -> Done
    }
    state S4 {
        on E2 -> S0
    }
    terminal Done success
}`},
	{"a payload is compared with a constant", `
machine M {
    context {
        n int 0..3 = 0
        most int = 2
    }
    event E0 { v int 0..2 }
    event E2
    initial S0
    state S0 {
        on E2 when n + 1 == most -> S2
            else -> S1
    }
    state S1 {
        on E0 when n == 1 -> Done
            else when event.v < most || event.v == most -> Done
    }
    state S2 {
    }
    terminal Done success
}`},
	{"a bound behind a guard over a constant", `
machine M {
    context {
        n int 0..3 = 0
        most int = 2
    }
    event R00
    event R01
    activity act0() -> R00 | R01
    initial S0
    on cancel -> S2
    state S0 {
    }
    state S2 {
        do act0()
        on R01 retry 3
            else when n >= most retry 1
    }
    terminal Done
}`},
	{"a string that nothing assigns", `
machine M {
    context { mode string = "slow" }
    event E0
    initial S0
    state S0 {
        on E0 when mode == "fast" -> S1
            else -> Done
    }
    state S1 {
        on E0 -> Done
    }
    terminal Done success
}`},
	{"a parameter less a number is compared with a constant", `
machine M(limit int 0..2) {
    context { n int 0..3 = 0 }
    event E0
    initial S0
    state S0 {
        on E0 -> S1 { n = min(n + 1, 3) }
    }
    state S1 {
        on E0 when n - limit > 1 -> Failed
            else -> Done
    }
    terminal Done success
    terminal Failed failure
}`},
	{"a sum that no value satisfies", `
machine M(limit int 0..2) {
    context { n int 0..3 = 0 }
    event R00
    activity act0() -> R00
    initial S0
    state S0 {
        do act0() as x
        on x.R00 -> S0 max 2
            else -> S1
    }
    state S1 {
        on done when n - limit > 0 -> S0
    }
}`},
	{"requires that lead round lead nowhere", `
machine M {
    context { b bool = false }
    event E0
    initial S0
    state S0 {
        on E0 -> S1
    }
    state S1 {
        require b else -> S1
    }
}`},
	{"a host guard is asked of a constant and of its value", `
machine M {
    context { zero int = 0 }
    event E0
    guard host(n int)
    initial S0
    state S0 {
        on E0 when host(zero) && !host(0) -> S1
            else -> Done
    }
    state S1 {
        on E0 -> Done
    }
    terminal Done success
}`},
	{"what a refused input is told of a host guard", `
machine M {
    event E0
    guard host(n int)
    initial S0
    state S0 {
        on E0 when !host(2) -> Done
            else -> S0 max 2
    }
    terminal Done success
}`},
	{"a machine that is called and has no terminal does not end with nothing to say", `
machine M {
    initial S0
    state S0 {
        do machine Child() as c
        on c.failed -> Done
    }
    terminal Done
}
machine Child {
    event E0
    initial S0
    state S0 {
        on E0 {}
    }
}`},
	{"no run can start", `
machine M {
    context { b bool = false }
    initial S0
    state S0 {
        initial S0a0
        state S0a0 {
            require b else -> S0
        }
    }
}`},
}

func TestDecided(t *testing.T) {
	for _, test := range decided {
		t.Run(test.name, func(t *testing.T) {
			s, why := brute(test.src)
			if s == nil {
				t.Fatalf("not explored: %s", why)
			}
			if s.Free() || s.Timed() {
				t.Error("something there is unknown")
			}
			for _, d := range compare(s, map[string]int{}) {
				t.Error(d)
			}
		})
	}
}
