package flat_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// load gives every machine in the rules' testdata.
func load(t *testing.T) []*ir.Machine {
	return langtest.Machines(t, "../rule/*/testdata/*.fsm", "../testdata/codereview.fsm")
}

// TestTableIsWhatTheIRSays compares the table with ir.Machine.Cases and
// Choices, whose meaning it has.
func TestTableIsWhatTheIRSays(t *testing.T) {
	for _, m := range load(t) {
		table := flat.New(m, nil)
		for _, leaf := range m.States {
			if leaf.Kind != ir.Leaf {
				continue
			}
			got := map[ir.Case][]ir.Choice{}
			for in := range table.Inputs(leaf) {
				if _, twice := got[in.Case]; twice {
					t.Errorf("%s %s: %v comes twice", m.Span, leaf.Path, in.Case)
				}
				if table.Case(in.ID) != in.Case {
					t.Errorf("%s %s: number %d is not that of its case", m.Span, leaf.Path, in.ID)
				}
				got[in.Case] = in.Choices
			}
			want := map[ir.Case][]ir.Choice{}
			for _, c := range m.Cases(leaf) {
				if c.Do != nil && c.Do.NeverRuns() {
					continue // its list is always empty
				}
				choices := m.Choices(leaf, c)
				outside := c.Kind == ir.CaseEvent || c.Kind == ir.CaseCancel || c.Kind == ir.CaseOverBudget
				if !outside || len(choices) > 0 {
					want[c] = choices
				}
			}
			sameArms := cmp.Comparer(func(a, b ir.Choice) bool { return a == b })
			if len(got) != len(want) {
				t.Errorf("%s %s: %d inputs, want %d", m.Span, leaf.Path, len(got), len(want))
			}
			for c, choices := range want {
				if len(choices) == 0 && len(got[c]) == 0 {
					continue
				}
				if !cmp.Equal(got[c], choices, sameArms) {
					t.Errorf("%s %s: choices for %v differ", m.Span, leaf.Path, c)
				}
			}
		}
	}
}

func TestGuardTruth(t *testing.T) {
	lit := func(v int64) ir.Expr { return &ir.Lit{Value: &ir.Const{Kind: ir.Bool, Int: v}} }
	num := func(v int64) ir.Expr { return &ir.Lit{Value: &ir.Const{Kind: ir.Int, Int: v}} }
	free := &ir.VarRef{Var: &ir.Var{Slot: ir.Slot{Name: "x"}}}
	binary := func(x ir.Expr, op ir.Op, y ir.Expr) ir.Expr { return &ir.Binary{Op: op, X: x, Y: y} }
	for _, test := range []struct {
		name string
		expr ir.Expr
		want flat.Truth
	}{
		{"none", nil, flat.True},
		{"false", lit(0), flat.False},
		{"x", free, flat.Unknown},
		{"!true", &ir.Unary{Op: ir.OpNot, X: lit(1)}, flat.False},
		{"!x", &ir.Unary{Op: ir.OpNot, X: free}, flat.Unknown},
		{"x && false", binary(free, ir.OpAnd, lit(0)), flat.False},
		{"x && true", binary(free, ir.OpAnd, lit(1)), flat.Unknown},
		{"x || true", binary(free, ir.OpOr, lit(1)), flat.True},
		{"x || false", binary(free, ir.OpOr, lit(0)), flat.Unknown},
		{"1 < 2", binary(num(1), ir.OpLt, num(2)), flat.True},
		{"1 == 2", binary(num(1), ir.OpEq, num(2)), flat.False},
		{"x < 2", binary(free, ir.OpLt, num(2)), flat.Unknown},
	} {
		if got := flat.Guard(test.expr); got != test.want {
			t.Errorf("%s is %d, want %d", test.name, got, test.want)
		}
	}
}
