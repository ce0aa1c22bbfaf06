package check_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// visits writes the worst visits, a line for each state; "-" is without bound.
func visits(t *testing.T, src string, limit int) string {
	t.Helper()
	_, worst, err := check.VisitsContext(t.Context(), program(t, []byte(src)), nil, limit)
	if err != nil || worst[0] == nil {
		t.Fatal("no worst case", err)
	}
	amount := func(r *big.Rat) string {
		if r == nil {
			return "-"
		}
		return ir.DecimalText(r)
	}
	var b strings.Builder
	for _, v := range worst[0].Visits {
		lasts := "-"
		if v.Time != nil {
			lasts = time.Duration(v.Time.Num().Int64()).String()
		}
		fmt.Fprintf(&b, "%s: %s x %s", v.State.Path, amount(v.Entered), lasts)
		for _, c := range v.Costs {
			fmt.Fprintf(&b, ", %s %s", amount(c.Amount), c.Name)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestVisits(t *testing.T) {
	cases := []struct{ name, src, want string }{
		{"rounds", `
machine Patch {
    event Passed
    event Broken
    event Approved
    event Rejected
    activity write() cost usd 0.05
    activity try() -> Passed | Broken cost usd 0.01
    initial Round
    on cancel -> Gone
    state Round {
        initial Write
        after 2h -> Gone
        state Write {
            do write() timeout 5m
            on done -> Test
            on failed retry 2 backoff 1m else -> Gone
        }
        state Test {
            do try() timeout 30m
            on Passed -> Ask
            on Broken -> Write max 3 per Round else -> Gone
            on failed -> Gone
        }
    }
    state Ask {
        after 24h -> Gone
        on Approved -> Done
        on Rejected -> Round max 2 else -> Gone
    }
    terminal Done
    terminal Gone cancelled
}`, `Round: 3 x 2h0m0s, 0.64 usd
Round.Write: 12 x 17m0s, 0.15 usd
Round.Test: 12 x 30m0s, 0.01 usd
Ask: 3 x 24h0m0s, 0 usd
`},
		{"no bounds", `
machine Open {
    event Go
    event Back
    activity work() cost usd 1
    initial A
    state A { on Go -> B unbounded }
    state B {
        do work()
        on done -> C
        on failed retry unbounded
    }
    state C {
        on Back -> A
        after 1m -> T
        ignore Go
    }
    state Never { after 1s -> T }
    terminal T
}`, `A: - x -, 0 usd
B: - x -, - usd
C: - x 1m0s, 0 usd
Never: 0 x 0s, 0 usd
`},
		{"a state that enters itself", `
machine Self {
    event Go
    activity work() cost usd 0.5
    initial A
    state A {
        do work() timeout 10s
        on Go -> A max 4 else -> T
        on done -> T
        on failed -> T
    }
    terminal T
}`, "A: 5 x 10s, 0.5 usd\n"},
		{"elements side by side", `
machine Many(files [0..20]string) {
    activity check(file string) cost usd 0.1
    initial All
    state All {
        do check(file) for file in files limit 5 timeout 1m
        on done -> T
        on failed retry 1 backoff 1s jitter 0 else -> T
    }
    terminal T
}`, "All: 1 x 9m37s, 4 usd\n"},
		{"a run that is held to less", `
machine Held {
    activity work() cost usd 0.5
    budget { usd 0.6 }
    initial A
    state A {
        do work() timeout 10s
        on done -> A max 4 else -> T
        on failed retry 3 backoff 1s jitter 0 else -> T
        on over_budget(usd) -> T
    }
    terminal T
}`, "A: 5 x 43s, 0.6 usd\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, visits(t, c.src, explore.DefaultLimit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestVisitsOfLarge: where it takes too long to count visits exactly, there are upper bounds.
func TestVisitsOfLarge(t *testing.T) {
	defer check.WithoutEntryWork()()
	const src = `
machine Rounds {
    event Go
    event Back
    initial A
    state A { on Go -> B.C }
    state B {
        initial C
        on Back -> A max 4 else -> T
        state C { on Go -> D }
        state D { after 1h -> T }
    }
    terminal T
}`
	want := "A: 5 x -\nB: 10 x -\nB.C: 5 x -\nB.D: 5 x 1h0m0s\n"
	if diff := cmp.Diff(want, visits(t, src, explore.DefaultLimit)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestVisitsOfRuns: no run that reaches a figure has more visits of a state. (How long they last is not compared:
// runs wait for workers, of which times know nothing.)
func TestVisitsOfRuns(t *testing.T) {
	compared := 0
	for _, source := range langtest.Sources(t, "../examples/*/*.fsm", "rule/*/testdata/good*.fsm") {
		unit := lang.Load([]lang.Source{source})
		if len(unit.Diags) > 0 {
			continue
		}
		_, worst := check.Analyze(unit.Program, nil, 20_000, true)
		_, visits, _ := check.VisitsContext(t.Context(), unit.Program, nil, 20_000)
		for i, w := range worst {
			if w == nil || visits[i].Visits == nil {
				continue
			}
			for _, f := range slices.Concat([]check.Figure{w.Steps, w.Time}, w.Costs, w.Activities) {
				if f.Run != nil {
					compared++
					compareVisits(t, source.Name, visits[i], f.Run)
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("it compares with %d runs alone", compared)
	}
}

func compareVisits(t *testing.T, path string, w *check.Worst, run *witness.Witness) {
	t.Helper()
	entered := map[string]int64{}
	for i, row := range run.Path {
		if row.State == nil || row.State.Kind != ir.Leaf {
			continue
		}
		if i == 0 || run.Path[i-1].State != row.State || run.Path[i-1].Arm != nil && run.Path[i-1].Arm.Kind == ir.Goto {
			entered[row.State.Path]++
		}
		n, most := entered[row.State.Path], w.Visit(row.State.Path).Entered
		if most != nil && most.Cmp(big.NewRat(n, 1)) < 0 {
			t.Errorf("%s: a run enters %s %d times, which is said to be entered %s times at most", path, row.State.Path, n, most.RatString())
		}
	}
}

// TestEntries: what is counted of a few components of the product is what is counted of all of it.
func TestEntries(t *testing.T) {
	several := 0
	for _, m := range langtest.Machines(t, "../examples/*/*.fsm", "rule/*/testdata/*.fsm") {
		if m.Broken || m.Incomplete || m.Root.Leaf() == nil {
			continue
		}
		p := explore.NewProduct(flat.New(m, nil), 2_000)
		if p == nil {
			continue
		}
		got := p.Entries()
		of, n := p.Components()
		for _, s := range m.States {
			want := graph.NewLongest(&p.Graph, of, n, func(_, e int32) int64 {
				if p.BeginsVisit(e, s.Depth) && p.EntersAt(e, s.Depth) == s {
					return 1
				}
				return 0
			}).Length(0)
			if got[s.ID] != want {
				t.Errorf("%s: %s of %s is entered %d times at most, and not %d", m.Span, s.Path, m.Name, want, got[s.ID])
			}
			if want > 1 && want < graph.Infinite {
				several++
			}
		}
	}
	if several < 20 {
		t.Errorf("it compares %d states alone that are entered several times", several)
	}
}
