package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
)

// worst are machines that take the checker's time: each shape with its size. The
// second size is the one of BenchmarkWorst, the first that of TestWorstGrows; it is 0
// where configurations multiply with the size.
var worst = []struct {
	name   string
	small  int
	large  int
	source func(n int) string
}{
	{"a loop that counts", 5_000, 100_000, countingLoop},
	{"a trap behind a loop that counts", 5_000, 100_000, func(n int) string {
		return fmt.Sprintf("machine M {\n context { a int 0..%d = 0 }\n event E\n event F\n initial S\n"+
			" state S { on E when a < %d -> S { a = a + 1 } else -> U\n on F -> T }\n"+
			" state U { on E -> V unbounded }\n state V { on E -> U unbounded }\n terminal T\n}\n", n, n)
	}},
	{"a payload in each round", 5_000, 50_000, func(n int) string {
		return fmt.Sprintf("machine M {\n context { a int 0..%d = 0, list []string = [] }\n event E { text string }\n event F\n initial S\n"+
			" state S { on E when a < %d { a = a + 1 list = list + event.text } else -> U }\n"+
			" state U { on F -> V unbounded }\n state V { on F -> U unbounded }\n terminal T\n}\n", n, n)
	}},
	{"a bound with a witness", 5_000, 40_000, func(n int) string {
		return fmt.Sprintf("machine M {\n budget { steps 10 }\n event E\n initial S\n state S { on E -> S max %d else -> T }\n terminal T\n}\n", n)
	}},
	{"three counters before a trap", 0, 150, func(n int) string {
		return fmt.Sprintf("machine M {\n context { a int 0..%[1]d = 0, b int 0..%[1]d = 0, c int 0..%[1]d = 0 }\n event E\n initial S\n"+
			" state S { on E when a < %[1]d { a = a + 1 } else when b < %[1]d { b = b + 1 a = 0 } else when c < %[1]d { c = c + 1 b = 0 a = 0 } else -> U }\n"+
			" state U { on E -> V unbounded }\n state V { on E -> U unbounded }\n terminal T\n}\n", n)
	}},
	{"three fan-outs that count", 0, 100, func(n int) string { return threeFans(n, "FIELD + 1") }},
	{"fan-outs side by side, counted by one field", 0, 6, sideBySide},
	{"a batch whose results are counted", 0, 1_000, func(n int) string {
		return countingBatch(n, "on done when good == len(items) -> AllGood else when bad == len(items) -> AllBad else -> Partial")
	}},
	{"a chain of arms that compare a number and a string", 0, 2_000, valueChain},
	{"one counter", 0, 3_990_000, countersOf(1)},
	{"two counters", 0, 1_990, countersOf(2)},
	{"three counters", 0, 150, countersOf(3)},
	{"four counters", 0, 44, countersOf(4)},
	{"booleans", 0, 2, countersOf(18)},
	{"budgets", 5, 100, budgets},
	{"booleans set by one event", 0, 20, func(n int) string {
		return booleans(n, "%s on E { %s }\n  on G when %s -> T else reject }\n")
	}},
	{"enums and numbers set by one event", 0, 7, func(n int) string {
		return fmt.Sprintf("machine M {\n enum C { a, b, c, d }\n context { %s, %s }\n event E { %s, %s }\n event G\n initial S\n"+
			" state S { on E { %s\n%s }\n on G when %s -> T else reject }\n terminal T\n}\n",
			each(n, ", ", "n%d int 0..4 = 0"), each(n, ", ", "c%d C = C.a"), each(n, ", ", "n%d int 0..4"), each(n, ", ", "c%d C"),
			each(n, "\n", "n%[1]d = event.n%[1]d"), each(n, "\n", "c%[1]d = event.c%[1]d"), each(n, " && ", "n%[1]d == 4 && c%[1]d == C.d"))
	}},
	{"booleans set by one event, in a cycle", 0, 16, func(n int) string {
		return booleans(n, "%s on E -> R unbounded { %s }\n  on G when %s -> T else reject }\n state R { on G -> S unbounded }\n")
	}},
	{"booleans of which each event sets half", 0, 20, func(n int) string {
		return fmt.Sprintf("machine M {\n context { %s, %s }\n event E { %s }\n event F { %s }\n event G\n initial S\n"+
			" state S { on E { %s }\n on F { %s }\n on G when %s -> T else reject }\n terminal T\n}\n",
			each(n/2, ", ", "b%d bool = false"), each(n/2, ", ", "c%d bool = false"), each(n/2, ", ", "f%d bool"), each(n/2, ", ", "f%d bool"),
			each(n/2, "\n", "b%[1]d = event.f%[1]d"), each(n/2, "\n", "c%[1]d = event.f%[1]d"), each(n/2, " && ", "b%[1]d && c%[1]d"))
	}},
	{"booleans set by one event once", 0, 20, func(n int) string {
		return booleans(n, "%s on E -> R { %s } }\n state R { on G when %s -> T else -> S unbounded }\n")
	}},
	{"flags", 0, 20, func(n int) string {
		return fmt.Sprintf("machine M {\n context { %s }\n %s\n event G\n initial S\n state S { %s\n  on G when %s -> T else reject }\n terminal T\n}\n",
			each(n, ", ", "b%d bool = false"), each(n, "\n", "event E%d"), each(n, "\n", "on E%[1]d { b%[1]d = true }"), each(n, " && ", "b%d"))
	}},
	{"fields", 0, 3, func(n int) string {
		return fmt.Sprintf("machine M {\n context { %s }\n %s\n event G\n initial S\n state S { %s\n  on G when a0 == a1 -> T else reject }\n terminal T\n}\n",
			each(n, ", ", "a%d int 0..99 = 0"), each(n, "\n", "event E%d"),
			each(n, "\n", "on E%[1]d when a%[1]d < 99 { a%[1]d = a%[1]d + 1 } else ignore"))
	}},
	{"host guards in a chain", 10, 100, func(n int) string {
		return chainOf(n, "%s && g%d() && h%d()", "guard f%[1]d()\n guard g%[1]d()\n guard h%[1]d()", "f%d()")
	}},
	{"booleans in a chain", 10, 24, func(n int) string {
		return fmt.Sprintf("machine M {\n event E { %s }\n initial S\n state S { on E when event.f0 -> T\n %s\n else -> U }\n terminal T\n terminal U\n}\n",
			each(n, ", ", "f%d bool"), each(n, "\n", "else when event.f%d -> T"))
	}},
	{"a chain of arms that compare one field", 200, 2_000, func(n int) string {
		return elseChain(n, "event E { x int }", "", func(i int) string { return fmt.Sprintf("when event.x == %d -> T", i) })
	}},
	{"a chain of arms to states that wait", 100, 2_000, func(n int) string {
		return elseChain(n, "event E { x int }\n "+each(n, "\n", "state S%d { on E -> T }"), "", func(i int) string { return fmt.Sprintf("when event.x == %[1]d -> S%[1]d", i) })
	}},
	{"a chain of arms that compare a length", 200, 4_000, func(n int) string {
		return elseChain(n, fmt.Sprintf("event E { xs [0..%d]int }", n), "", func(i int) string { return fmt.Sprintf("when len(event.xs) == %d -> T", i) })
	}},
	{"a chain of arms that compare a string", 200, 2_000, func(n int) string {
		return elseChain(n, "event E { x string }", "", func(i int) string { return fmt.Sprintf("when event.x == \"v%d\" -> T", i) })
	}},
	{"handlers of one event", 200, 2_000, func(n int) string {
		return fmt.Sprintf("machine M {\n event E { x int }\n initial S\n state S {\n %s\n }\n on E -> T\n terminal T\n}\n", each(n, "\n", "on E when event.x == %d -> T"))
	}},
	{"asserts over bounds", 0, 12, func(n int) string {
		return fmt.Sprintf("machine M {\n event F\n %s\n %s\n assert A excludes T\n assert A leads to T | S\n assert S leads to T\n initial S\n state S {\n on F -> T\n %s }\n state A { on F -> S unbounded }\n terminal T\n}\n",
			each(n, "\n", "event E%d"), joined(33, "\n", func(i int) string { return fmt.Sprintf("assert A at most %d", i+4) }),
			joined(n, "\n", func(i int) string { return fmt.Sprintf("on E%d -> %s max 2 else reject", i, []string{"S", "A"}[i%2]) }))
	}},
	{"a chain of arms in a composite", 200, 2_000, func(n int) string {
		return fmt.Sprintf("machine M {\n event E { x int }\n event F\n initial C\n state C {\n on E when event.x == 0 -> T\n%s\n else -> T\n"+
			" initial A\n state A { on F -> B }\n state B { on F -> D }\n state D { on F -> T } }\n terminal T\n}\n",
			joined(n-1, "\n", func(i int) string { return fmt.Sprintf("else when event.x == %d -> T", i+1) }))
	}},
	{"a chain of arms over an event, flags and a counter", 40, 1_000, func(n int) string {
		return mixedChain(n, func(i int) string { return fmt.Sprintf("event.k == %d && b%d && n > %d", i, i%8, i%10) })
	}},
	{"a chain of arms over an event that may be more", 40, 1_000, func(n int) string {
		return mixedChain(n, func(i int) string { return fmt.Sprintf("event.k >= %d && b%d && n > %d", n-i, i%8, i%10) })
	}},
	{"a chain of arms that compare a field that is counted", 200, 2_000, func(n int) string {
		return elseChain(n, fmt.Sprintf("context { x int 0..%d = 0 }\n event E\n event F", n), fmt.Sprintf("on F when x < %d { x = x + 1 } else reject", n),
			func(i int) string { return fmt.Sprintf("when x == %d -> T", i) })
	}},
	{"a wide parameter that is counted down", 0, 1_000_000, func(n int) string {
		return fmt.Sprintf("machine M(most int 0..%[1]d) {\n context { a int 0..%[1]d = 0 }\n event E\n initial S\n state S { on E -> W { a = most } }\n"+
			" state W { on E when a > 0 -> W { a = a - 1 } else -> T }\n terminal T\n}\n", n)
	}},
	{"a price times a wide parameter", 0, 2_000, func(n int) string {
		return fmt.Sprintf("machine M(k int 1..%[1]d) {\n context { x int 0..%[2]d = 0 }\n event E { price int 0..%[3]d }\n initial S\n state S { on E -> W { x = event.price * k } }\n"+
			" state W { on done when x > %[1]d -> T else -> U }\n terminal T\n terminal U\n}\n", n, 5000*n, 5000)
	}},
	{"two guards of 64 comparisons", 8, 32, func(n int) string {
		return fmt.Sprintf("machine M {\n event E { %s }\n initial S\n state S {\n  on E when %s -> T\n  on E when %s -> U\n }\n terminal T\n terminal U\n}\n",
			each(n+1, ", ", "x%d int"),
			joined(n, " && ", func(i int) string {
				return fmt.Sprintf("(event.x%d < event.x%d || event.x%d < event.x%d)", i, (i*7+3)%(n+1), (i*5+1)%(n+1), i)
			}),
			joined(n, " && ", func(i int) string {
				return fmt.Sprintf("(event.x%d > event.x%d || event.x%d > event.x%d)", i, (i*11+2)%(n+1), (i*3+5)%(n+1), i)
			}))
	}},
	{"two guards of 64 comparisons with constants", 8, 32, func(n int) string {
		return fmt.Sprintf("machine M {\n event E { %s }\n initial S\n state S {\n  on E when %s -> T\n   else when %s -> U else reject\n }\n terminal T\n terminal U\n}\n",
			each(12, ", ", "x%d int 0..100"),
			joined(n, " && ", func(i int) string {
				return fmt.Sprintf("(event.x%d < %d || event.x%d > %d)", i%12, 90-i, (i*5+1)%12, 50+i)
			}),
			joined(n, " && ", func(i int) string {
				return fmt.Sprintf("(event.x%d >= event.x%d || event.x%d <= %d)", i%12, (i*7+2)%12, (i*5+3)%12, 60-i)
			}))
	}},
	{"a table of decisions over eight numbers", 8, 60, func(n int) string {
		row := func(i int) string {
			return fmt.Sprintf("event.x%d < %d && (event.x%d >= %d || event.x%d == %d) && event.x%d != %d && event.x%d <= event.x%d",
				i%8, 30+i%5*12, (i*3+1)%8, i%4*20, (i*5+2)%8, i%3*33, (i*7+3)%8, i%6*10, (i+4)%8, (i*3+5)%8)
		}
		return fmt.Sprintf("machine M {\n context { n int 0..9 = 0 }\n event E { %s }\n event F\n initial S\n state S {\n  on F when n < 9 { n = n + 1 } else -> T\n  on E when %s else -> T\n }\n%s terminal T\n}\n",
			each(8, ", ", "x%d int 0..100"), joined(n, " else when ", func(i int) string { return fmt.Sprintf("%s && n != %d -> R%d", row(i), i%10, i) }),
			each(n, "", " state R%d { on F -> T }\n"))
	}},
	{"timers", 0, 18, func(n int) string {
		return fmt.Sprintf("machine M {\n context { %s, %s }\n event G\n initial S\n state S {\n %s\n  on G when %s -> T else reject }\n on cancel -> T\n terminal T\n}\n",
			each(n, ", ", "b%d bool = false"), each(n, ", ", "d%d duration 1s..1h = 1m"),
			each(n, "\n", "after d%[1]d { b%[1]d = true }"), each(n, " && ", "b%d"))
	}},
	{"deep composites", 10, 60, func(n int) string {
		return "machine M {\n event E\n event F\n initial C0\n" + each(n, " ", "state C%[1]d {\n after 1h -> T\n on F -> M%[1]d max 3 else -> T\n initial C%[2]d\n state M%[1]d { on E -> T }\n") +
			fmt.Sprintf(" state C%d { on E -> D unbounded }\n state D { on E -> C%d unbounded }\n", n, n) + strings.Repeat("}\n", n) + " terminal T\n}\n"
	}},
	{"deferred events", 0, 16, func(n int) string {
		return fmt.Sprintf("machine M {\n %s\n event G\n event H\n initial S\n state S { defer %s\n on G -> R }\n state R { %s\n on H -> T }\n terminal T\n}\n",
			each(n, "\n", "event E%d"), each(n, ", ", "E%d"), each(n, "\n", "on E%d {}"))
	}},
	{"bounds", 0, 6, func(n int) string {
		return fmt.Sprintf("machine M {\n %s\n initial S\n state S { %s }\n terminal T\n}\n",
			each(n, "\n", "event E%d"), each(n, "\n", "on E%d -> S max 9 else -> T"))
	}},
}

// elseChain is a machine with one handler of n arms.
func elseChain(n int, declared, more string, arm func(i int) string) string {
	return fmt.Sprintf("machine M {\n %s\n initial S\n state S {\n %s\n on E %s\n else -> U }\n terminal T\n terminal U\n}\n",
		declared, more, joined(n, "\n else ", arm))
}

// joined is text for each number below n.
func joined(n int, sep string, text func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = text(i)
	}
	return strings.Join(parts, sep)
}

// each is joined of a format for i and i+1.
func each(n int, sep, format string) string {
	return joined(n, sep, func(i int) string {
		if !strings.Contains(format, "[2]") {
			return strings.Split(fmt.Sprintf(format, i), "%!(EXTRA")[0]
		}
		return fmt.Sprintf(format, i, i+1)
	})
}

func countingLoop(n int) string {
	return fmt.Sprintf("machine M {\n context { a int 0..%d = 0 }\n event E\n event F\n initial S\n state S { on E { a = a + 1 }\n on F -> T }\n terminal T\n}\n", n)
}

// countersOf is a machine that counts in several fields, each of which has n values, with
// a way out, a cancel and a budget.
func countersOf(fields int) func(n int) string {
	return func(n int) string {
		format := func(text string) string { return strings.ReplaceAll(text, "MOST", fmt.Sprint(n-1)) }
		return fmt.Sprintf("machine M {\n context { %s }\n budget { steps 100 }\n %s\n event F\n event G\n initial S\n on cancel -> X\n after 24h -> T\n"+
			" state S {\n %s\n on F -> T\n on G when %s -> T else reject\n }\n terminal T\n terminal X cancelled\n}\n",
			each(fields, ", ", format("a%d int 0..MOST = 0")), each(fields, "\n", "event E%d"),
			each(fields, "\n", format("on E%[1]d when a%[1]d < MOST -> S { a%[1]d = a%[1]d + 1 } else reject")),
			each(fields, " && ", format("a%d == MOST")))
	}
}

func booleans(n int, body string) string {
	return fmt.Sprintf("machine M {\n context { %s }\n event E { %s }\n event G\n initial S\n"+body+" terminal T\n}\n",
		each(n, ", ", "b%d bool = false"), each(n, ", ", "f%d bool"), " state S {",
		each(n, "\n", "b%[1]d = event.f%[1]d"), each(n, " && ", "b%d"))
}

func chainOf(n int, when, declared, first string) string {
	arm := func(i int) string { return fmt.Sprintf(when, fmt.Sprintf(first, i), i, i) }
	return fmt.Sprintf("machine M {\n %s\n event E\n initial S\n state S { on E when %s -> T\n %s\n else -> U }\n terminal T\n terminal U\n}\n",
		each(n, "\n", declared), arm(0), joined(n-1, "\n", func(i int) string { return "else when " + arm(i+1) + " -> T" }))
}

// mixedChain has a chain of n arms, eight flags and a counter.
func mixedChain(n int, when func(i int) string) string {
	return fmt.Sprintf("machine M {\n context { %s, n int 0..10 = 0 }\n %s\n event Tick\n event Go { k int 0..%d }\n initial S\n"+
		" state S { %s\n on Tick when n < 10 { n = n + 1 } else ignore\n on Go when %s -> T\n %s\n else -> U }\n terminal T\n terminal U\n}\n",
		each(8, ", ", "b%d bool = false"), each(8, "\n", "event E%d"), n, each(8, "\n", "on E%[1]d { b%[1]d = true }"), when(0),
		joined(n-1, "\n", func(i int) string { return "else when " + when(i+1) + " -> T" }))
}

// valueChain is a chain of n arms whose guards multiply what an event may bring.
func valueChain(n int) string {
	return fmt.Sprintf("machine M {\n context { x int 0..100 = 0 }\n event Go { n int 0..100_000, s string }\n event Up\n initial S\n"+
		" state S { on Up when x < 100 { x = x + 1 } else reject\n  on Go when %s -> T else reject }\n terminal T\n}\n",
		joined(n, " -> T\n else when ", func(i int) string {
			switch i % 4 {
			case 0:
				return fmt.Sprintf("event.n == %d", i)
			case 1:
				return fmt.Sprintf("event.n > %d && x < %d", 10_000+i, i%100)
			case 2:
				return fmt.Sprintf("event.s == \"v%d\"", i)
			}
			return fmt.Sprintf("event.n == %d || event.s == \"w%d\"", 3*i, i)
		}))
}

func budgets(n int) string {
	return fmt.Sprintf("machine M {\n budget { usd 10 steps 1000 time 30d }\n %s\n initial S0\n on failed -> F\n %s\n event E\n state S%d { on E -> S0 max 900 else -> T }\n terminal T\n terminal F failure\n}\n",
		each(n, "\n", "activity a%d() cost usd 0.03"), each(n, "\n", "state S%[1]d { do a%[1]d() timeout 1m\n on failed retry 9 backoff 1m..15m else -> F\n on done -> S%[2]d }"), n)
}

// BenchmarkWorst is the machines that take longest, each a run of all rules.
func BenchmarkWorst(b *testing.B) {
	for _, w := range worst {
		b.Run(strings.ReplaceAll(w.name, " ", "_"), func(b *testing.B) {
			prog := program(b, []byte(w.source(w.large)))
			b.ReportAllocs()
			for b.Loop() {
				check.Run(prog, all.Rules)
			}
		})
	}
}

// batches makes of the results of n elements the list of the next n: of the shortest path to a figure of the second
// nothing can be shown, since that leaves out the first.
func batches(n int) string {
	return fmt.Sprintf(`machine M(input json) {
 context { results json = null, items [0..%[1]d]json = [], more [0..%[1]d]json = [] }
 activity fetch(item json) -> Fetched
 activity restore(item json)
 event Fetched { result json }
 initial First
 on failed -> Failed
 state First {
  entry { items = input.objects, results = [] }
  do fetch(item) for index, item in items timeout 1m
  on Fetched { results = results + {"result": event.result, "key": event.result.key} }
  on done -> Second
 }
 state Second {
  entry { more = results }
  do restore(item) for index, item in more timeout 1m
  on failed retry 6 backoff 2s..1m else -> Failed
  on done -> Done
 }
 terminal Done success
 terminal Failed failure
}
`, n)
}

// BenchmarkFigures is the worst case whose runs take longest to look for.
func BenchmarkFigures(b *testing.B) {
	prog := program(b, []byte(batches(1000)))
	for b.Loop() {
		check.Analyze(prog, nil, explore.DefaultLimit, false)
	}
}

// TestWorstGrows counts work, not time: what takes twice the size has at most twice
// the configurations, edges, and rows of witnesses.
func TestWorstGrows(t *testing.T) {
	for _, w := range worst {
		if w.small == 0 {
			continue
		}
		work := func(n int) map[string]int {
			c, e, r := check.Work(program(t, []byte(w.source(n))).Machines[0], all.Rules)
			return map[string]int{"configurations": c, "edges": e, "rows": r}
		}
		small, large := work(w.small), work(2*w.small)
		for of, n := range small {
			const more = 10 // what does not hang on the size may weigh in one of the two alone
			if large[of] > 2*n+more {
				t.Errorf("%s: %d %s for size %d, %d for twice that", w.name, n, of, w.small, large[of])
			}
		}
		if large["configurations"] == 0 {
			t.Errorf("%s: past the limit, so that nothing was measured", w.name)
		}
	}
}

// TestAttemptsAreCountedTogether: the attempts of all activities along a run are
// counted in one go, and those of a run that reaches many figures once.
func TestAttemptsAreCountedTogether(t *testing.T) {
	for _, n := range []int{5, 12} {
		if walked, longest := check.Walked(program(t, []byte(budgets(n))).Machines[0]); walked == 0 || walked > 4*longest {
			t.Errorf("%d activities: %d edges gone through for a run of %d", n, walked, longest)
		}
	}
}

// TestWideDecided: an event that sets so many fields at once that the configurations
// have far more edges than there may be leaves nothing undecided.
func TestWideDecided(t *testing.T) {
	for _, w := range worst {
		if !strings.Contains(w.name, "set by one event") && !strings.Contains(w.name, "each event sets") {
			continue
		}
		n := 16
		if strings.Contains(w.name, "numbers") {
			n = 5
		}
		m := program(t, []byte(w.source(n))).Machines[0]
		list, open := check.Asked(m, all.Rules, explore.DefaultLimit)
		if len(open) > 0 {
			t.Errorf("%s: %v is left open", w.name, open)
		}
		if lines(list) == "" {
			t.Errorf("%s: nothing is found, and there are states that wait for ever", w.name)
		}
		c, e, _ := check.Work(m, all.Rules)
		if c < 1<<14 || e > 8*c {
			t.Errorf("%s: %d configurations and %d edges", w.name, c, e)
		}
	}
}
