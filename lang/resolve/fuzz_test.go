package resolve_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/ir/irtest"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// FuzzResolve holds that whatever is loaded gives a program that others can
// work on without looking out for holes.
func FuzzResolve(f *testing.F) {
	for _, s := range langtest.Sources(f, "testdata/*/*.fsm") {
		f.Add(s.Src)
		f.Add(s.Src[:len(s.Src)/2])
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		sources := []lang.Source{{Name: "fuzz.fsm", Src: src}}
		unit := lang.Load(sources)
		again := lang.Load(sources)
		if diff := cmp.Diff(unit.Diags, again.Diags); diff != "" {
			t.Errorf("findings differ from one time to the next:\n%s", diff)
		}
		if irtest.Dump(unit.Program) != irtest.Dump(again.Program) {
			t.Error("the resolved form differs from one time to the next")
		}
		for _, d := range unit.Diags {
			if d.Rule != "syntax" { // those are the parser's, with its own tests
				checkFinding(t, d, len(src))
			}
		}
		for _, m := range unit.Program.Machines {
			checkMachine(t, m)
			if !m.Broken && !m.Incomplete {
				checkWhole(t, m)
			}
		}
	})
}

func checkFinding(t *testing.T, d diag.Diagnostic, size int) {
	t.Helper()
	if at := d.Span; at.Start.Offset > at.End.Offset || at.End.Offset > size {
		t.Errorf("%s: a span of %d..%d in %d bytes", d.Rule, at.Start.Offset, at.End.Offset, size)
	}
	if d.Message == "" || strings.HasSuffix(d.Message, ".") || d.Help != "" && !strings.HasSuffix(d.Help, ".") && !strings.HasSuffix(d.Help, "?") {
		t.Errorf("%s: message %q, help %q", d.Rule, d.Message, d.Help)
	}
}

// checkMachine holds what is true of every machine, however broken.
func checkMachine(t *testing.T, m *ir.Machine) {
	t.Helper()
	if m.Root == nil || m.States[0] != m.Root {
		t.Fatal("the first state is not the root")
	}
	for i, s := range m.States {
		if s.ID != i || i > 0 && s.Parent == nil || s.Parent != nil && m.States[s.Parent.ID] != s.Parent {
			t.Errorf("state %d %q is not in its place", i, s.Path)
		}
		checkState(t, m, s)
	}
	for i, a := range m.Arms {
		if a.ID != i || (a.Handler == nil) == (a.Timer == nil) || m.States[a.State.ID] != a.State {
			t.Errorf("arm %d is not in its place", i)
		}
		if (a.Kind == ir.Goto || a.Kind == ir.Retry) && a.Scope.Kind == ir.PerState && a.Scope.State == nil {
			t.Errorf("arm %d counts per no state", i)
		}
		if a.Kind == ir.Retry && (a.Backoff == nil || a.Max == nil && !a.Unbounded) {
			t.Errorf("arm %d is a retry without a bound or a backoff", i)
		}
	}
	for i, e := range m.Events {
		if e.Index != i {
			t.Errorf("event %q is not in its place", e.Name)
		}
	}
}

func checkState(t *testing.T, m *ir.Machine, s *ir.State) {
	t.Helper()
	for _, d := range s.Dos {
		if m.Dos[d.ID] != d || d.Activity == nil || m.Activities[d.Activity.Index] != d.Activity {
			t.Errorf("do %d is not in its place", d.ID)
		}
	}
	for _, h := range s.Handlers {
		for _, trigger := range h.Triggers {
			if trigger.Text() == "" {
				t.Errorf("a trigger without a text in %q", s.Path)
			}
		}
	}
	if s.Kind != ir.Leaf {
		return
	}
	for _, c := range m.Cases(s) {
		for _, choice := range m.Choices(s, c) {
			if choice.Arm == nil && choice.Use == nil {
				t.Errorf("a choice of nothing in %q", s.Path)
			}
		}
	}
}

// checkWhole holds what is true of a machine without a finding.
func checkWhole(t *testing.T, m *ir.Machine) {
	t.Helper()
	for _, a := range m.Arms {
		if a.Kind == ir.Goto && a.Target == nil {
			t.Errorf("arm %d leads nowhere", a.ID)
		}
		ir.Walk(a.When, func(e ir.Expr) bool {
			if e.Type().Kind == ir.Invalid {
				t.Errorf("arm %d has an invalid guard", a.ID)
			}
			return true
		})
	}
	for _, s := range m.States {
		if s.Kind == ir.Composite && s.Initial == nil && len(s.Children) > 0 {
			t.Errorf("%q begins nowhere", s.Path)
		}
		for _, h := range s.Handlers {
			if len(h.Triggers) == 0 {
				t.Errorf("an `on` of nothing in %q", s.Path)
			}
		}
	}
}
