package explore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// machine is the one machine in src, which has no fault in its names.
func machine(t testing.TB, src string) *ir.Machine {
	t.Helper()
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
	for _, d := range unit.Diags {
		t.Fatalf("%s: %s: %s", d.Span, d.Rule, d.Message)
	}
	return unit.Program.Machines[0]
}

func state(t testing.TB, m *ir.Machine, path string) *ir.State {
	t.Helper()
	for _, s := range m.States {
		if s.Path == path {
			return s
		}
	}
	t.Fatalf("no state %q", path)
	return nil
}

// entered lists the states that g enters, in source order.
func entered(g *explore.Graph) []string {
	var out []string
	for _, s := range g.Table.Machine.States[1:] {
		if _, ok := g.Entered(s); ok {
			out = append(out, s.Path)
		}
	}
	return out
}

// rows writes the witness into s as "at state input".
func rows(t *testing.T, g *explore.Graph, s *ir.State) []string {
	t.Helper()
	c, ok := g.Entered(s)
	if !ok {
		t.Fatalf("%s is not entered", s.Path)
	}
	var out []string
	for _, row := range g.Witness(g.PathTo(c), -1).Path {
		out = append(out, strings.TrimSpace(row.At+" "+row.State+" "+row.Input))
	}
	return out
}

func TestWitnessTimes(t *testing.T) {
	m := machine(t, `
machine Times {
    context {
        wait duration 1s..1m = 30s
        pause duration 5s..1m
    }
    event Go
    activity work() -> Go
    initial A
    after 3h -> E
    state A { after wait -> B }
    state B { after pause -> C }
    state C {
        do work() as w timeout 2m heartbeat 10s
        on w.failed(timeout) -> D
        on failed retry 1 else -> E
        on Go -> E
    }
    state D { on cancel -> F }
    terminal E
    state F { after 1h -> G }
    terminal G
}`)
	g := explore.Explore(flat.New(m), explore.DefaultLimit)
	want := []string{"30s A after wait", "35s B after pause", "2m35s C w.failed(timeout)", "2m35s D cancel", "F"}
	if diff := cmp.Diff(want, rows(t, g, state(t, m, "F"))); diff != "" {
		t.Errorf("witness (-want +got):\n%s", diff)
	}
	want = []string{"3h0m0s A after 3h", "E"}
	if diff := cmp.Diff(want, rows(t, g, state(t, m, "E"))); diff != "" {
		t.Errorf("witness (-want +got):\n%s", diff)
	}
}

// parallel is a machine with n activities side by side, all of which end in
// place before the run can go on.
func parallel(n int) string {
	var b strings.Builder
	b.WriteString("machine Parallel {\n event Found\n event Lost\n activity work() -> Found | Lost\n initial All\n state All {\n")
	for i := range n {
		fmt.Fprintf(&b, "  do work() as w%d\n  on w%d.Found ignore\n  on w%d.Lost -> Failed\n", i, i, i)
	}
	b.WriteString("  on failed ignore\n  on done -> Done\n }\n terminal Done\n terminal Failed failure\n}\n")
	return b.String()
}

func TestActivitiesSideBySide(t *testing.T) {
	const n = 300
	m := machine(t, parallel(n))
	g := explore.Explore(flat.New(m), explore.DefaultLimit)
	if got, want := g.Len(), n+3; got != want {
		t.Errorf("%d configurations, want %d: one for each end, two terminals", got, want)
	}
	path := rows(t, g, state(t, m, "Done"))
	if len(path) != n+2 || path[n] != "0s All done" {
		t.Errorf("the run to Done has %d rows and ends with %q", len(path), path[len(path)-2:])
	}
}

// TestRequire sends a run elsewhere within the step.
func TestRequire(t *testing.T) {
	m := machine(t, `
machine Requires {
    context { ok bool = true }
    event Go
    initial A
    state A { on Go -> B }
    state B {
        require ok else -> C
        on Go -> Done
    }
    state C {
        require false else -> D
        on Go -> Done
    }
    state D { on Go -> Done }
    terminal Done
}`)
	g := explore.Explore(flat.New(m), explore.DefaultLimit)
	if diff := cmp.Diff([]string{"A", "B", "D", "Done"}, entered(g)); diff != "" {
		t.Errorf("entered (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0s A Go", "D"}, rows(t, g, state(t, m, "D"))); diff != "" {
		t.Errorf("witness (-want +got):\n%s", diff)
	}
}

// TestChoiceWaitsForNothing: in a choice state nothing comes before done.
func TestChoiceWaitsForNothing(t *testing.T) {
	m := machine(t, `
machine Choice {
    context { ok bool = true }
    event Go
    initial A
    on Go -> Never
    state A {
        on done when ok -> B
        on done when !ok -> Done
    }
    state B {
        on done ignore
        after 1h -> Done
        on Go -> Done
    }
    terminal Done
    terminal Never
}`)
	g := explore.Explore(flat.New(m), explore.DefaultLimit)
	if diff := cmp.Diff([]string{"A", "B", "Done"}, entered(g)); diff != "" {
		t.Errorf("entered (-want +got):\n%s", diff)
	}
}

// TestCoarseHasAllPaths: past the limit every state that was entered still is.
func TestCoarseHasAllPaths(t *testing.T) {
	files, err := filepath.Glob("../rule/*/testdata/*.fsm")
	if err != nil || len(files) == 0 {
		t.Fatalf("no machines: %v", err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range lang.Load([]lang.Source{{Name: f, Src: src}}).Program.Machines {
			if m.Root.Leaf() == nil {
				continue
			}
			table := flat.New(m)
			fine, coarse := explore.Explore(table, explore.DefaultLimit), explore.Explore(table, 0)
			if fine.Coarse || !coarse.Coarse {
				t.Errorf("%s: coarse is %t and %t", m.Span, fine.Coarse, coarse.Coarse)
			}
			for _, s := range m.States {
				_, inFine := fine.Entered(s)
				_, inCoarse := coarse.Entered(s)
				if inFine && !inCoarse {
					t.Errorf("%s: %s is lost in the coarse graph", m.Span, s.Path)
				}
			}
		}
	}
}

func BenchmarkExplore(b *testing.B) {
	m := machine(b, parallel(200))
	table := flat.New(m)
	for b.Loop() {
		explore.Explore(table, explore.DefaultLimit)
	}
}
