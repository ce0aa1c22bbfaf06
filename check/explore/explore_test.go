package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

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

// rows writes the witness into s as "at state input".
func rows(t *testing.T, c *control.Graph, s *ir.State) []string {
	t.Helper()
	leaf, ok := c.Entered(s)
	if !ok {
		t.Fatalf("%s is not entered", s.Path)
	}
	return lines(c.Witness(leaf, nil).Diag())
}

func lines(w *diag.Witness) []string {
	var out []string
	for _, row := range w.Path {
		out = append(out, strings.TrimSpace(row.At+" "+row.State+" "+row.Input))
	}
	return out
}

// controlled lists the states that c enters, in source order.
func controlled(c *control.Graph) []string {
	var out []string
	for _, s := range c.Table.Machine.States[1:] {
		if _, ok := c.Entered(s); ok {
			out = append(out, s.Path)
		}
	}
	return out
}

func TestWitnessTimes(t *testing.T) {
	m := langtest.Machine(t, `
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
	g := control.New(flat.New(m, nil), flat.Declared)
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
	m := langtest.Machine(t, parallel(n))
	p := explore.NewProduct(flat.New(m, nil), explore.DefaultLimit)
	if got, want := p.Configurations(), n+4; got != want {
		t.Errorf("%d configurations, want %d: the start, one for each end, two terminals", got, want)
	}
	c, _ := p.Entered(state(t, m, "Done"))
	w, sure := p.Run(p.PathTo(c), -1)
	if path := lines(w.Diag()); !sure || len(path) != n+2 || path[n] != "0s All done" {
		t.Errorf("the run to Done has %d rows and ends with %q", len(path), path[len(path)-2:])
	}
}

// TestRequire sends a run elsewhere within the step.
func TestRequire(t *testing.T) {
	m := langtest.Machine(t, `
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
	g := control.New(flat.New(m, nil), flat.Declared)
	if diff := cmp.Diff([]string{"A", "B", "D", "Done"}, controlled(g)); diff != "" {
		t.Errorf("entered (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0s A Go", "D"}, rows(t, g, state(t, m, "D"))); diff != "" {
		t.Errorf("witness (-want +got):\n%s", diff)
	}
}

// TestChoiceWaitsForNothing: in a choice state nothing comes before done.
func TestChoiceWaitsForNothing(t *testing.T) {
	m := langtest.Machine(t, `
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
	g := control.New(flat.New(m, nil), flat.Declared)
	if diff := cmp.Diff([]string{"A", "B", "Done"}, controlled(g)); diff != "" {
		t.Errorf("entered (-want +got):\n%s", diff)
	}
}

// TestControlHasAllPaths: what a run enters the control graph does, too, and what
// that surely enters or surely finishes from a run does, if no step halts it.
func TestControlHasAllPaths(t *testing.T) {
	for _, m := range langtest.Machines(t, "../rule/*/testdata/*.fsm") {
		table := flat.New(m, nil)
		p := explore.NewProduct(table, explore.DefaultLimit)
		if p == nil {
			continue
		}
		c := control.New(table, flat.Declared)
		surely, halts := c.SurelyEntered(), len(p.Faults()) > 0
		for _, s := range m.States {
			_, some := c.Entered(s)
			_, run := p.Entered(s)
			if run && !some || surely[s.ID] && !run && !halts {
				t.Errorf("%s: %s is entered by a run: %t, on some path %t, surely %t", m.Span, s.Path, run, some, surely[s.ID])
			}
		}
		if c.SureToFinish() && !halts && slices.Contains(p.Doomed(), true) {
			t.Errorf("%s: every run can finish, says the control graph", m.Span)
		}
	}
}

func BenchmarkExplore(b *testing.B) {
	m := langtest.Machine(b, parallel(200))
	table := flat.New(m, nil)
	for b.Loop() {
		explore.NewProduct(table, explore.DefaultLimit)
	}
}
