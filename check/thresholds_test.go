package check_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
)

// thresholds are machines with a fault, each on both sides of a threshold of decision
// 71: what is found below it is found or left open above it. Chains of more than 1,000
// steps at once, and runs too long to show, have tests of their own.
var thresholds = []struct {
	name         string
	below, above int
	limit        int // of configurations
	rules        []string
	source       func(n int) string
}{
	{"configurations of a small product", 100, 50_100, explore.DefaultLimit, manyRules, manyFaults},
	{"configurations", 30, 2_000, 1_000, manyRules, manyFaults},
	{"configurations under a budget", 30, 2_000, 1_000, []string{"unhandled-budget"}, func(n int) string {
		return fmt.Sprintf(`machine M {
    context { n int 0..%[1]d = 0 }
    event E
    event Read
    activity read() -> Read cost usd 1
    budget { usd 2 }
    initial R
    state R {
        do read() timeout 1m
        on Read -> S
        on failed -> T
    }
    state S {
        on E when n < %[1]d { n = n + 1 }
            else -> T
    }
    state H {
        on over_budget -> T
        on E -> T
    }
    terminal T
}
`, n)
	}},
	{"fields that one event sets", 4, 8, 300, []string{"no-way-to-finish"}, func(n int) string {
		return booleans(n, "%s on E { %s }\n  on G when %s -> U else reject }\n state U { on G -> V unbounded }\n state V { on G -> U unbounded }\n")
	}},
	{"runs of steps for each configuration", 5, 40, 300, []string{"no-way-to-finish"}, func(n int) string {
		return trapped(fmt.Sprintf("event E { x int 0..%[1]d, y int 0..%[1]d, z int 0..%[1]d }", n), "on E when event.x < event.y && event.y < event.z && event.z < event.x + 3 -> Z else -> T")
	}},
	{"words of a configuration", 50, 80, explore.DefaultLimit, []string{"no-way-to-finish"}, func(n int) string {
		const most = 1 << 61
		return trapped(fmt.Sprintf("event E context { %s }", each(n, ", ", fmt.Sprintf("a%%d int 0..%d = 7", most))),
			"on E -> Y { "+each(n, " ", fmt.Sprintf("a%%[1]d = min(a%%[1]d + %%[1]d, %d)", most))+" }",
			"state Y { on E when a0 == a1 -> T "+each(n-1, " ", "else when a%[1]d > a%[2]d -> T")+" else -> Z }")
	}},
	{"timers whose firing is told", 20, 40, explore.DefaultLimit, []string{"no-way-to-finish"}, func(n int) string {
		return trapped("", each(n, "\n", "after %[2]dh {}")+fmt.Sprintf("\n after %dh -> Z", n+1))
	}},
	{"values that the environment chooses", 400, 5_000_000, explore.DefaultLimit, []string{"no-way-to-finish"}, func(n int) string {
		return trapped(fmt.Sprintf("event E { x int 0..%[1]d } event F context { b int 0..%[1]d = 7 }", n), "on F { b = 9 } on E when event.x == b + 2 -> Z else -> T")
	}},
	{"fields that may be unset", 5, 17, explore.DefaultLimit, []string{"read-before-set"}, func(n int) string {
		return fmt.Sprintf("machine M {\n context { %s }\n %s\n event G\n initial S\n state S { %s\n on G when %s -> T else reject }\n terminal T\n}\n",
			each(n, ", ", "b%d bool"), each(n, "\n", "event E%d"), each(n, "\n", "on E%[1]d { b%[1]d = true }"), each(n, " && ", "b%d"))
	}},
	{"variables of a question", 2, 18, explore.DefaultLimit, []string{"dead-arm"}, func(n int) string {
		return fmt.Sprintf("machine M {\n event E { %s }\n initial S\n state S { on E when event.x0 < 0 -> T\n %s else when event.x0 < 0 -> T else -> T }\n terminal T\n}\n",
			each(60*n, ", ", "x%d int"), joined(n, "\n", func(arm int) string {
				return "else when " + joined(60, " && ", func(i int) string { return fmt.Sprintf("event.x%d < 0", 60*arm+i) }) + " -> T"
			}))
	}},
	{"calls of one host guard", 2, 11, explore.DefaultLimit, []string{"dead-arm"}, func(n int) string {
		return fmt.Sprintf("machine M {\n guard g(n int)\n event E\n initial S\n state S { on E when g(0) -> T\n %s\n else when g(0) -> T else -> T }\n terminal T\n}\n",
			joined(n, "\n", func(arm int) string {
				return "else when " + joined(32, " && ", func(i int) string { return fmt.Sprintf("g(%d)", 1+32*arm+i) }) + " -> T"
			}))
	}},
	{"work of the solver", 3, 10, 2_000, []string{"dead-arm"}, pigeons},
	{"ways to be turned away", 100, 5_000, explore.DefaultLimit, []string{"require-violated"}, func(n int) string {
		return fmt.Sprintf("machine M {\n guard f()\n context { a int 0..%[1]d = 0 }\n event E\n event F\n initial S\n"+
			" state S { on E when a < %[1]d { a = a + 1 } else ignore on F -> R }\n state R { require a < %[1]d && f() else -> T on E -> T }\n terminal T\n}\n", n)
	}},
}

// trapped is a machine with a state Z that no run leaves; states and members stand
// before it.
func trapped(declared, inS string, states ...string) string {
	return fmt.Sprintf("machine M {\n %s\n event Round\n initial S\n state S {\n %s\n }\n %s\n state Z { on Round -> Y2 unbounded }\n state Y2 { on Round -> Z unbounded }\n terminal T\n}\n",
		declared, inS, strings.Join(states, "\n"))
}

// pigeons is a machine with an arm that is dead since n values are no n+1.
func pigeons(n int) string {
	var differ []string
	for i := range n + 1 {
		for j := range i {
			differ = append(differ, fmt.Sprintf("event.x%d != event.x%d", i, j))
		}
	}
	return fmt.Sprintf("machine M {\n event E { %s }\n initial S\n state S { on E when %s -> T else -> T }\n terminal T\n}\n",
		each(n+1, ", ", fmt.Sprintf("x%%d int 1..%d", n)), strings.Join(differ, " && "))
}

// TestTimesAreToldApart: of a random machine, shrunk, in which only times decide, nothing is undecided.
func TestTimesAreToldApart(t *testing.T) {
	for _, d := range check.Run(program(t, []byte(kept(t, "times.txt"))), all.Rules) {
		if d.Rule == "undecided" {
			t.Errorf("%s: %s", d.Span, d.Message)
		}
	}
}

var manyRules = []string{"bound-without-else", "unbounded-loop", "read-before-set", "unreachable-state", "no-way-to-finish", "deferred-lost", "dead-arm", "require-violated", "out-of-range", "spinning-loop", "assertion-violated"}

// manyFaults is a machine that counts to n and has many faults beside that.
func manyFaults(n int) string {
	return fmt.Sprintf(`machine M {
 context { a int 0..%[1]d = 0, x int, s bool = false, r int 0..3 = 0 }
 budget { steps 3 }
 event Up event D event E event F event G event H event I event J event K event L
 assert B precedes T
 initial S
 state S {
  on Up when a < %[1]d { a = a + 1 } else ignore
  defer D
  on E -> B
  on F -> Loop
  on G -> Read
  on H -> Need
  on I -> Trap
  on J { r = r + 1 }
  on K -> Spin
  on L when s && a < 3 -> Never else -> T
 }
 state B { ignore D on E -> B max 3 else when s -> T on F { s = true } on G -> T }
 state Loop { ignore D on E -> Loop2 on F -> T }
 state Loop2 { ignore D on E -> Loop on F -> T }
 state Read { ignore D on E when x > 3 -> T else -> T }
 state Need { require r < 2 else -> T ignore D on E when a <= %[1]d -> T else -> Trap }
 state Trap { on E -> Trap2 unbounded }
 state Trap2 { on E -> Trap unbounded }
 state Spin { on done when a >= 0 -> Spin2 else -> T }
 state Spin2 { on done when a >= 0 -> Spin else -> T }
 state Never { ignore D on E -> T }
 terminal T
}
`, n)
}

// TestThresholds: past no threshold is there silence.
func TestThresholds(t *testing.T) {
	for _, c := range thresholds {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			told := func(n int) (found, open map[string]bool) {
				prog := program(t, []byte(c.source(n)))
				if len(prog.Machines) != 1 {
					t.Fatal("it is no machine")
				}
				list, open := check.Asked(prog.Machines[0], all.Rules, c.limit)
				found = map[string]bool{}
				for _, d := range list {
					found[d.Rule] = true
				}
				return found, open
			}
			found, open := told(c.below)
			for _, rule := range c.rules {
				if !found[rule] || open[rule] {
					t.Errorf("below: %s is not found: %v, and open are %v", rule, slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(open)))
				}
			}
			found, open = told(c.above)
			for _, rule := range c.rules {
				if !found[rule] && !open[rule] && !open["unreachable-state"] {
					t.Errorf("above: nothing is said of %s: %v, and open are %v", rule, slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(open)))
				}
			}
			t.Logf("above: found %v, open %v", slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(open)))
		})
	}
}
