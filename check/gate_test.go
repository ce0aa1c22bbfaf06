package check_test

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
)

// gates are small machines whose data multiplies: who is inside, and how many may
// be. Each asks the questions about guards and about finishing in another way,
// and each has findings, or none, that do not depend on how large N is.
var gates = []struct{ name, machine, findings string }{
	{"data alone", `machine Gate(limit int 0..N) {
    enum Mode { Open, Closing }
    event Enter
    event Leave
    event Close
    context { inside int 0..N = 0, mode Mode = Mode.Open }
    initial Working
    after 24h -> Done
    state Working {
        on Enter when mode == Mode.Open && inside < limit -> Working unbounded { inside = inside + 1 }
            else reject
        on Leave when inside > 0 -> Working unbounded { inside = inside - 1 }
            else reject
        on Close when inside == 0 -> Done
            else -> Working unbounded { mode = Mode.Closing }
    }
    terminal Done
}
`, ""},
	{"stays, host guards and payloads", `machine Gate(limit int 0..N) {
    enum Mode { Open, Closing }
    guard allowed(kind int)
    guard forced()
    event Enter { kind int 0..9 }
    event Leave
    event Close
    context { inside int 0..N = 0, mode Mode = Mode.Open }
    initial Working
    after 24h -> Done
    state Working {
        on Enter when mode == Mode.Open && inside < limit && allowed(event.kind) { inside = inside + 1 }
            else reject
        on Leave when inside > 0 { inside = inside - 1 }
            else reject
        on Close when inside == 0 || forced() -> Done
            else { mode = Mode.Closing }
    }
    terminal Done
}
`, ""},
	{"arms that no run takes", `machine Gate(limit int 0..N) {
    guard allowed()
    event Enter
    event Leave
    event Close
    context { inside int 0..N = 0 }
    initial Working
    after 24h -> Done
    state Working {
        on Enter when inside > limit -> Done
            else when inside < limit && allowed() -> Working unbounded { inside = inside + 1 }
            else when inside - limit > 0 && allowed() -> Done
            else reject
        on Leave when inside > 0 -> Working unbounded { inside = inside - 1 }
            else reject
        on Close when inside > limit -> Done
            else -> Closing
    }
    state Closing {
        on Leave when inside > 0 -> Closing unbounded { inside = inside - 1 }
            else -> Done
    }
    terminal Done
}
`, `10: dead-arm: this arm is never taken: its guard is false in every run
12: dead-arm: this arm is never taken: its guard is false in every run
16: dead-arm: this arm is never taken: its guard is false in every run
`},
	{"data that is not tracked", `machine Gate(limit int 0..N, owner string) {
    event Enter { by string }
    event Leave { by string }
    event Close
    context { inside int 0..N = 0 }
    initial Working
    after 24h -> Done
    state Working {
        on Enter when inside < limit && len(event.by) > 3 -> Working unbounded { inside = inside + 1 }
            else reject
        on Leave when inside > 0 && event.by == owner -> Working unbounded { inside = inside - 1 }
            else when inside > limit -> Done
            else reject
        on Close when inside > 0 -> Closing
            else -> Done
    }
    state Closing {
        on Leave when inside > 1 || event.by == owner -> Closing unbounded { inside = max(inside - 1, 0) }
            else -> Done
    }
    terminal Done
}
`, `12: dead-arm: this arm is never taken: its guard is false in every run
`},
}

// TestGates holds the findings of small gates.
func TestGates(t *testing.T) {
	for _, g := range gates {
		t.Run(g.name, func(t *testing.T) {
			if got := lines(check.Run(program(t, gate(g.machine, "20")), all.Rules)); got != g.findings {
				t.Errorf("findings:\n%swant:\n%s", got, g.findings)
			}
		})
	}
}

// BenchmarkGates asks everything of gates with some hundred thousand
// configurations.
func BenchmarkGates(b *testing.B) {
	for _, g := range gates {
		prog := program(b, gate(g.machine, "1000"))
		b.Run(g.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got := lines(check.Run(prog, all.Rules)); got != g.findings {
					b.Fatal(got)
				}
			}
			p := explore.NewProduct(flat.New(prog.Machines[0], nil), explore.DefaultLimit)
			b.ReportMetric(float64(p.Configurations()), "configurations")
			b.ReportMetric(float64(len(p.To)), "edges")
		})
	}
}

func gate(machine, n string) []byte { return []byte(strings.ReplaceAll(machine, "0..N", "0.."+n)) }
