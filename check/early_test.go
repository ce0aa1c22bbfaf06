package check_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
)

// countingBatch is a batch of n items that counts in two fields how they ended, with the handlers of done given.
func countingBatch(n int, done ...string) string {
	return fmt.Sprintf(`machine Batch(items [0..%[1]d]string) {
    failures { busy }
    context { good int 0..%[1]d = 0, bad int 0..%[1]d = 0 }
    event Converted
    activity convert(doc string) -> Converted fails busy
    initial Work
    state Work {
        do convert(item) for item in items limit 20 timeout 10s
        on Converted { good = good + 1 }
        on failed(busy) retry 2 backoff 1s else { bad = bad + 1 }
        on failed { bad = bad + 1 }
        %[2]s
    }
    terminal AllGood success
    terminal AllBad failure
    terminal Partial failure
}
`, n, strings.Join(done, "\n"))
}

// threeFans is a machine with three fan-outs of n elements each in one state, which count in
// the way that effect says of each FIELD.
func threeFans(n int, effect string) string {
	count := func(field string) string { return strings.ReplaceAll(effect, "FIELD", field) }
	return fmt.Sprintf(`machine M(as [0..%[1]d]string, bs [0..%[1]d]string, cs [0..%[1]d]string) {
    context { a int 0..%[1]d = 0, b int 0..%[1]d = 0, c int 0..%[1]d = 0 }
    event Ok
    activity w(x string) -> Ok
    initial S
    state S {
        do w(x) for x in as limit 4 as p timeout 1m
        do w(x) for x in bs as q timeout 1m
        do w(x) for x in cs as r timeout 1m
        on p.Ok { a = %[2]s }
        on q.Ok { b = %[3]s }
        on r.Ok { c = %[4]s }
        on p.failed, q.failed, r.failed {}
        on done when a > %[5]d -> T else when b > %[6]d -> U else when c == %[1]d -> V else -> W
    }
    terminal T
    terminal U
    terminal V
    terminal W
}
`, n, count("a"), count("b"), count("c"), n/2, n/5)
}

// stages is a machine that goes through one list of up to n elements in three states, counts in each how
// many failed, and reads all that at the end.
func stages(n int, done string) string {
	src := fmt.Sprintf("machine M(xs [0..%[1]d]string) {\n    context { a int 0..%[1]d = 0, b int 0..%[1]d = 0, c int 0..%[1]d = 0 }\n"+
		"    event Ok\n    activity w(x string) -> Ok\n    initial Sa\n", n)
	for _, of := range [][2]string{{"a", "-> Sb"}, {"b", "-> Sc"}, {"c", done}} {
		src += strings.ReplaceAll("    state SFIELD {\n        do w(x) for x in xs timeout 1m\n        on Ok {}\n        on failed { FIELD = FIELD + 1 }\n"+
			"        on done "+of[1]+"\n    }\n", "FIELD", of[0])
	}
	return src + "    terminal T\n    terminal U\n    terminal V\n    terminal W\n}\n"
}

// sideBySide is a machine with n fan-outs of twenty elements in one state, whose failures one field counts. They can
// begin in 21^n ways.
func sideBySide(n int) string {
	return fmt.Sprintf("machine M(%s) {\n context { bad int 0..%d = 0 }\n activity w(x string)\n initial S\n state S {\n %s\n"+
		"  on failed { bad = bad + 1 }\n  on done when bad == 0 -> T else -> U\n }\n terminal T\n terminal U failure\n}\n",
		each(n, ", ", "l%d [0..20]string"), 20*n, each(n, "\n ", "do w(x) for x in l%[1]d as p%[1]d timeout 1m"))
}

// TestPartOfTheProduct: past the limit what one run shows is found, be it the shortest run or one in which a
// hundred elements end in one way and a hundred others in another.
func TestPartOfTheProduct(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a batch", countingBatch(1000, "on done when good == len(items) -> AllGood else when bad == len(items) -> AllBad else -> Partial"), ""},
		{"a batch without else", countingBatch(1000, "on done when good == len(items) -> AllGood", "on done when bad == len(items) -> AllBad", "on done when good != len(items) && bad != len(items) -> Partial"),
			"overlapping-guards"},
		{"a batch that counts too far", strings.Replace(countingBatch(1000, "on done when good == len(items) -> AllGood else when bad == len(items) -> AllBad else -> Partial"),
			"good = good + 1", "good = good + 2", 1), "out-of-range"},
		{"a batch that leaves a case out", countingBatch(100, "on done when good <= 60 -> AllBad else when bad <= 10 -> AllGood"), "unhandled-case"},
		{"a batch that leaves out that some fail", countingBatch(1000, "on done when good == len(items) -> AllGood else when bad == len(items) -> AllBad"), "unhandled-case"},
		{"three that count", threeFans(100, "FIELD + 1"), ""},
		{"three that count, clamped", threeFans(100, "min(FIELD + 1, 100)"), ""},
		{"a total of results with a thousand values", `machine M(xs [1..100]string) {
    context { total int 0..100_000 = 0  lost int 0..100 = 0 }
    event Ok { used int 0..1000 }
    activity w(x string) -> Ok
    initial S
    state S {
        do w(x) for x in xs limit 10 timeout 1m
        on Ok { total = total + event.used }
        on failed { lost = lost + 1 }
        on done when total > 50_000 -> Dear else when lost > 10 -> Partly else -> Cheap
    }
    terminal Dear
    terminal Cheap
    terminal Partly failure
}`, ""},
		{"a total that all of twenty results take too far", `machine M(xs [0..20]string) {
    context { total int 0..9_999 = 0 }
    event Ok { used int 0..500 }
    activity w(x string) -> Ok
    initial S
    state S {
        do w(x) for x in xs timeout 1m
        on Ok { total = total + event.used }
        on failed {}
        on done -> T
    }
    terminal T returns total
}`, "out-of-range"},
		{"six that one field counts", sideBySide(6), ""},
		{"a batch that may be done again", strings.Replace(countingBatch(1000, "on done when good == len(items) -> AllGood else when bad == len(items) -> AllBad else -> Again"),
			"terminal AllGood", "state Again { after 1h -> Work max 3 { good = 0, bad = 0 } else -> Partial }\n    terminal AllGood", 1), ""},
		{"three stages", stages(100, "when a > 50 -> T else when b > 50 -> U else when c > 50 -> V else -> W"), ""},
	} {
		found := check.RunUpTo(program(t, []byte(c.source)), all.Rules, 100_000)
		rules := map[string]bool{}
		for _, d := range found {
			rules[d.Rule] = true
		}
		if c.want == "" && len(found) > 0 || c.want != "" && !rules[c.want] {
			t.Errorf("%s: expected %q, findings:\n%s", c.name, c.want, lines(found))
		}
	}
}

// TestPastTheLimit: what the limit leaves open is said; what the control graph
// settles is not, and what a short run meets is found.
func TestPastTheLimit(t *testing.T) {
	src, err := os.ReadFile("testdata/many.fsm")
	if err != nil {
		t.Fatal(err)
	}
	want := `15: undecided: undecided: whether some run takes an arm ("Counting")
21: unbounded-loop: "Counting" can be entered again and again without end
  loop 0s Counting Up
  0s Counting Down
   Counting 
`
	if diff := cmp.Diff(want, lines(check.RunUpTo(program(t, src), all.Rules, 1000))); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if got := lines(check.RunUpTo(program(t, chain(1000)), all.Rules, 1000)); got != "" {
		t.Errorf("a chain of bounded loops has findings:\n%s", got)
	}
}

// TestNeverFiresPastTheLimit: that a timer never fires needs no run in which another one does.
func TestNeverFiresPastTheLimit(t *testing.T) {
	const src = `machine Far {
 event Ping
 event Go
 initial Work
 after 1h -> Late
 state Work {
  initial Wait
  on Ping {}
  after 10m idle -> Late
  state Wait { on Go -> Deep }
  state Deep { after 2h -> Done on Go -> Done }
 }
 terminal Done
 terminal Late failure
}
`
	want := `11: never-fires: "after 2h" of "Work.Deep" never fires: "after 1h" of the machine always comes before it
  0s Work.Wait Go
   Work.Deep `
	for _, limit := range []int{10, 100} {
		got := strings.TrimSpace(lines(check.RunUpTo(program(t, []byte(src)), all.Rules, limit)))
		if diff := cmp.Diff(strings.TrimSpace(want), got); diff != "" {
			t.Errorf("findings within %d configurations (-want +got):\n%s", limit, diff)
		}
	}
}

// TestAssertsWithoutTimes: where times are not told apart, the shortest path that breaks an assert may be
// no run, as here the one by the timer of Work; a longer one is.
func TestAssertsWithoutTimes(t *testing.T) {
	const src = `machine Far {
 event Move
 event Turn
 event Hit { hard bool }
 context { at int 0..4 = 0, hits int 0..2 = 0 }
 assert Home precedes Late
 initial Work
 state Work {
  initial Run
  after 30m -> Late
  on Hit when event.hard -> Crash
    else when hits < 2 { hits = hits + 1 }
    else -> Crash
  state Run {
   initial Ahead
   after 5m idle -> Rest
   state Ahead { on Move when at < 4 { at = at + 1 } else -> Home on Turn -> Back }
   state Back {
    on Move when at > 0 { at = at - 1 } else -> Ahead max 3 per Run else -> Crash
    on Turn -> Ahead max 5 per Run else ignore
   }
  }
  state Rest {
   after 1m -> Run max 2 per Work else -> Crash
   defer Move, Turn
   on Hit reject
  }
 }
 state Crash {
  after 10s -> Late
  ignore Move, Turn, Hit
 }
 state Home { on done -> Won }
 terminal Won
 terminal Late failure
}
`
	want := `6: assertion-violated: a run can enter "Late" without having entered "Home"
  0s Work.Run.Ahead Hit
  10s Crash after 10s
   Late 
`
	for _, limit := range []int{10_000, explore.DefaultLimit} {
		if diff := cmp.Diff(want, lines(check.RunUpTo(program(t, []byte(src)), all.Rules, limit))); diff != "" {
			t.Errorf("findings within %d configurations (-want +got):\n%s", limit, diff)
		}
	}
}
