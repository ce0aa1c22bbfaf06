package explore

import (
	"math"
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// MayLeaveRange reports whether some effect of m, as it stands, could leave the
// range of its field: it computes the value, sets a constant outside, or copies
// from where more values fit.
func MayLeaveRange(m *ir.Machine) bool {
	t := newTracked(m)
	may := false
	t.assigns(func(a *ir.Assign, arm *ir.Arm) {
		r := a.Var.Type.Range
		if r == nil || a.Value == nil || may {
			return
		}
		if c := ir.Value(a.Value); c != nil {
			may = !r.Contains(c.Int)
			return
		}
		if staysInside(a) {
			return
		}
		sources := t.refs(a.Value, arm)
		may = len(sources) == 0
		for _, source := range sources {
			may = may || narrows(source, t.vars[a.Var])
		}
	})
	for _, list := range t.published {
		may = may || len(list) > 0
	}
	return may
}

// staysInside reports whether a is `v = min(v + c, hi)` or `v = max(v - c, lo)`
// with the ends of v's own range.
func staysInside(a *ir.Assign) bool {
	x, r := effectOf(a, nil), a.Var.Type.Range
	if x.clamp == nil || r.Lo >= r.Hi {
		return false
	}
	return x.step > 0 && *x.clamp == r.Hi || x.step < 0 && *x.clamp == r.Lo
}

// within reports whether every value that e can have lies in the range from lo
// to hi, by the ranges of what it reads alone.
func within(e ir.Expr, lo, hi int64) bool {
	l, h := spanOf(e)
	return lo <= l && h <= hi
}

// granted reports whether the guard of arm, in whose block n is given the value of
// e, says that this lies in n's range. Guard and block read the same data but for
// what an exit block sets between them.
func (t *tracked) granted(n *node, e ir.Expr, arm *ir.Arm) bool {
	if arm == nil || arm.When == nil || t.setOnExit(e) {
		return false
	}
	outside := func(op ir.Op, end int64) guard.Formula {
		k := &ir.Const{Kind: n.typ.Kind, Int: end}
		return guard.Read(&ir.Binary{
			E: ir.E{T: &ir.Type{Kind: ir.Bool}}, Op: op, X: e, Y: &ir.Lit{E: ir.E{T: &ir.Type{Kind: n.typ.Kind}}, Value: k},
		}, nil).Holds
	}
	holds, r := guard.Read(arm.When, nil).Holds, n.typ.Range
	return guard.Satisfy(holds, guard.Or(outside(ir.OpLt, r.Lo), outside(ir.OpGt, r.Hi))).Verdict == guard.Unsat
}

// setOnExit reports whether some exit block sets what e reads.
func (t *tracked) setOnExit(e ir.Expr) bool {
	found := false
	for _, s := range t.m.States {
		if s.Exit == nil {
			continue
		}
		for _, a := range s.Exit.Assigns {
			ir.Walk(e, func(e ir.Expr) bool {
				ref, ok := e.(*ir.VarRef)
				found = found || ok && ref.Var == a.Var
				return true
			})
		}
	}
	return found
}

// spanOf is the least and the greatest value that e may have by the ranges of
// what it reads; the ends of 64 bits stand for what lies beyond them, too.
func spanOf(e ir.Expr) (lo, hi int64) {
	switch e := e.(type) {
	case *ir.Lit:
		return e.Value.Int, e.Value.Int
	case *ir.Len:
		return 0, math.MaxInt64
	case *ir.Unary:
		if e.Op == ir.OpSub {
			l, h := spanOf(e.X)
			return difference(0, h), difference(0, l)
		}
	case *ir.Binary:
		l, h := spanOf(e.X)
		l2, h2 := spanOf(e.Y)
		switch e.Op {
		case ir.OpAdd:
			return sum(l, l2), sum(h, h2)
		case ir.OpSub:
			return difference(l, h2), difference(h, l2)
		case ir.OpMul:
			corners := []int64{product(l, l2), product(l, h2), product(h, l2), product(h, h2)}
			return slices.Min(corners), slices.Max(corners)
		}
	case *ir.Call:
		if e.Guard != nil {
			break
		}
		l, h := spanOf(e.Args[0])
		l2, h2 := spanOf(e.Args[1])
		if e.Builtin == "min" {
			return min(l, l2), min(h, h2)
		}
		return max(l, l2), max(h, h2)
	}
	if r := e.Type().Range; r != nil {
		return r.Lo, r.Hi
	}
	return math.MinInt64, math.MaxInt64
}

// sum, difference and product are kept within 64 bits.

func sum(a, b int64) int64 { return saturated(new(big.Int).Add(big.NewInt(a), big.NewInt(b))) }

func difference(a, b int64) int64 { return saturated(new(big.Int).Sub(big.NewInt(a), big.NewInt(b))) }

func product(a, b int64) int64 { return saturated(new(big.Int).Mul(big.NewInt(a), big.NewInt(b))) }

func saturated(n *big.Int) int64 {
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}
