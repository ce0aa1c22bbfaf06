package data

import (
	"math"
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// MayLeaveRange reports whether some effect of m, as it stands, could leave the
// range of its field: it computes the value, sets a constant outside, or copies
// from where more values fit.
func MayLeaveRange(m *ir.Machine, settled map[*ir.Var]bool) bool {
	t := New(m)
	may := false
	t.assigns(func(a *ir.Assign, arm *ir.Arm) {
		if settled[a.Var] {
			return
		}
		r := a.Var.Type.Limits()
		may = may || a.Value != nil && MayOverflow(a.Value)
		if r == nil || a.Value == nil || may {
			return
		}
		if c := ir.Value(a.Value); c != nil {
			may = !r.Contains(c.Int)
			return
		}
		if a.Var.Type.Kind == ir.List {
			may = t.MayLeaveLength(a.Var.Type, a.Value, arm)
			return
		}
		if staysInside(a) || t.FitsByGuard(a.Var.Type, a.Value, arm) || t.FitsByFlow(a.Var.Type, a.Value) {
			return
		}
		sources := t.Refs(a.Value, arm)
		may = len(sources) == 0
		for _, source := range sources {
			may = may || Narrows(source, t.Vars[a.Var])
		}
	})
	return may || len(t.Checked) > 0
}

// staysInside reports whether a is `v = min(v + c, hi)` or `v = max(v - c, lo)`
// with the ends of v's own range.
func staysInside(a *ir.Assign) bool {
	x, r := flat.EffectOf(a, flat.Declared), a.Var.Type.Range
	if x.Clamp == nil || r.Lo >= r.Hi {
		return false
	}
	return x.Step > 0 && *x.Clamp == r.Hi || x.Step < 0 && *x.Clamp == r.Lo
}

// Within reports whether every value that e can have lies in the range from lo
// to hi, by the ranges of what it reads alone, and can be computed.
func Within(e ir.Expr, lo, hi int64) bool {
	v := spanOf(e)
	return v.fits && lo <= v.lo && v.hi <= hi
}

// Outside reports whether no value that e can have lies in the range from lo to hi, by the
// ranges of what it reads alone.
func Outside(e ir.Expr, lo, hi int64) bool {
	v := spanOf(e)
	return v.hi < lo || v.lo > hi
}

// MayOverflow reports whether some part of e may need more than 64 bits, by the
// ranges of what it reads. Of data without a range nothing is said.
func MayOverflow(e ir.Expr) bool { return !spanOf(e).fits }

// FitsByFlow reports whether e, the right side of an effect on a field of type to, lies in
// its range by what runs have done before.
func (t *Tracked) FitsByFlow(to *ir.Type, e ir.Expr) bool {
	if to.Kind != ir.Int && to.Kind != ir.Duration {
		return false
	}
	if t.flow == nil {
		t.flow = flowOf(t.machine)
	}
	x, made := t.flow.made[e]
	return made && x.fits && to.Range.Lo <= x.lo && x.hi <= to.Range.Hi
}

// FitsByGuard reports whether the guards with which arm is taken, in whose block the value of e is
// put where a value of type to stands, say that it lies in its range, or is as long as it says: that
// of arm, and those of the arms before it, which were false. Guards and block read the same data but
// for what an exit block sets between them.
func (t *Tracked) FitsByGuard(to *ir.Type, e ir.Expr, arm *ir.Arm) bool {
	if arm == nil || t.setOnExit(e) {
		return false
	}
	r, kind, more := to.Limits(), to.Kind, int64(0)
	if kind == ir.List {
		kind = ir.Int
		e, more = grown(e)
		e = &ir.Len{E: ir.E{T: &ir.Type{Kind: kind}}, X: e}
	}
	outside := guard.Or(beyond(e, ir.OpLt, kind, r.Lo-more), beyond(e, ir.OpGt, kind, r.Hi-more))
	known := []guard.Formula{outside, guard.Read(arm.When, nil).Holds}
	if guard.Satisfy(known...).Verdict == guard.Unsat {
		return true
	}
	before := concerning(arm, e)
	for _, a := range before {
		known = append(known, guard.Read(a.When, nil).Fails)
	}
	return len(before) > 0 && guard.Satisfy(known...).Verdict == guard.Unsat
}

// mostConcerning is how many arms before one are asked at most: of a chain of thousands, all would be asked for each.
const mostConcerning = 64

// concerning are the arms before arm without a bound whose guards have to do with e: they read what e
// does, or the guard of another of them or of arm that does. Other data says nothing of e, and a chain
// may have thousands of arms.
func concerning(arm *ir.Arm, e ir.Expr) (list []*ir.Arm) {
	met := map[any]bool{}
	touches := func(e ir.Expr) bool {
		return slices.ContainsFunc(ir.Vars(e), func(v *ir.Var) bool { return met[v] }) ||
			slices.ContainsFunc(ir.Sent(e), func(ref *ir.FieldRef) bool { return met[ref.Name] })
	}
	note := func(e ir.Expr) {
		for _, v := range ir.Vars(e) {
			met[v] = true
		}
		for _, ref := range ir.Sent(e) {
			met[ref.Name] = true
		}
	}
	note(e)
	for left, grown := slices.Clone(arm.Chain()[:arm.Index+1]), true; grown && len(list) < mostConcerning; {
		grown = false
		left = slices.DeleteFunc(left, func(a *ir.Arm) bool {
			if a != arm && a.Max != nil || len(list) == mostConcerning || !touches(a.When) {
				return false
			}
			if note(a.When); a != arm {
				list = append(list, a)
			}
			grown = true
			return true
		})
	}
	return list
}

// beyond is where `e op end` holds: of a `min`, where one of the two is less, or both are more. It
// may hold anywhere where one of the two may need more than 64 bits.
func beyond(e ir.Expr, op ir.Op, kind ir.Kind, end int64) guard.Formula {
	if call, ok := e.(*ir.Call); ok && call.Builtin != "" {
		if MayOverflow(call) {
			return guard.And()
		}
		x, y := beyond(call.Args[0], op, kind, end), beyond(call.Args[1], op, kind, end)
		if (call.Builtin == "min") == (op == ir.OpLt) {
			return guard.Or(x, y)
		}
		return guard.And(x, y)
	}
	k := &ir.Const{Kind: kind, Int: end}
	return guard.Read(&ir.Binary{
		E: ir.E{T: &ir.Type{Kind: ir.Bool}}, Op: op, X: e, Y: &ir.Lit{E: ir.E{T: &ir.Type{Kind: kind}}, Value: k},
	}, nil).Holds
}

// setOnExit reports whether some exit block sets what e reads.
func (t *Tracked) setOnExit(e ir.Expr) bool {
	return ir.Has(e, func(e ir.Expr) bool {
		ref, ok := e.(*ir.VarRef)
		return ok && slices.ContainsFunc(t.machine.States, func(s *ir.State) bool {
			return s.Exit != nil && slices.ContainsFunc(s.Exit.Assigns, func(a *ir.Assign) bool { return a.Var == ref.Var })
		})
	})
}

// span is what values lie between. The ends of 64 bits stand for what lies beyond
// them, too: fits says that nothing does, as far as that can be said. Where it is
// open, an end is that of 64 bits for want of a range.
type span struct {
	lo, hi     int64
	fits, open bool
}

// or is between what the values of both lie.
func (x span) or(y span) span {
	return span{min(x.lo, y.lo), max(x.hi, y.hi), x.fits && y.fits, x.open || y.open}
}

// and is between what the values lie that both have; none does where lo is above hi.
func (x span) and(y span) span {
	return span{max(x.lo, y.lo), min(x.hi, y.hi), true, x.open && y.open}
}

// compared is between what those values of x lie for which `x op y` can hold.
func (x span) compared(op ir.Op, y span) span {
	switch op {
	case ir.OpEq:
		return x.and(y)
	case ir.OpNe:
		if y.lo == y.hi && y.lo == x.lo && x.lo < x.hi {
			x.lo++
		} else if y.lo == y.hi && y.lo == x.hi {
			x.hi--
		}
	case ir.OpLt:
		if x.hi >= y.hi {
			x.hi = y.hi - 1
		}
	case ir.OpLe:
		x.hi = min(x.hi, y.hi)
	case ir.OpGt:
		if x.lo <= y.lo {
			x.lo = y.lo + 1
		}
	case ir.OpGe:
		x.lo = max(x.lo, y.lo)
	}
	return x
}

// spanOf is spanIn by the ranges alone.
func spanOf(e ir.Expr) span { return spanIn(e, nil) }

// Nearest is the value that e can have which comes next to n, as far as is known.
func Nearest(e ir.Expr, n int64) int64 {
	x := spanOf(e)
	return max(x.lo, min(x.hi, n))
}

// spanIn is between what the values of e lie, of a list its lengths, by the ranges of
// what it reads, and by what is known of it.
func spanIn(e ir.Expr, known spans) span {
	if c := ir.Value(e); c != nil {
		return span{lo: c.Int, hi: c.Int, fits: true}
	}
	switch e := e.(type) {
	case *ir.VarRef:
		if x, there := known[e.Var]; there {
			return x
		}
	case *ir.FieldRef:
		if x, there := known[e.Name]; there {
			return x
		}
	case *ir.Len:
		return lengthSpan(e.X.Type())
	case *ir.Unary:
		if e.Op == ir.OpSub {
			return combine(span{fits: true}, spanIn(e.X, known), (*big.Int).Sub)
		}
	case *ir.Binary:
		switch e.Op {
		case ir.OpAdd:
			if e.T.Kind == ir.List {
				return combine(spanIn(e.X, known), span{1, 1, spanIn(e.Y, known).fits, false}, (*big.Int).Add)
			}
			return combine(spanIn(e.X, known), spanIn(e.Y, known), (*big.Int).Add)
		case ir.OpSub:
			return combine(spanIn(e.X, known), spanIn(e.Y, known), (*big.Int).Sub)
		case ir.OpMul:
			return combine(spanIn(e.X, known), spanIn(e.Y, known), (*big.Int).Mul)
		}
	case *ir.Call:
		if e.Guard != nil {
			break
		}
		x, y := spanIn(e.Args[0], known), spanIn(e.Args[1], known)
		if e.Builtin == "min" {
			return span{min(x.lo, y.lo), min(x.hi, y.hi), x.fits && y.fits, x.open || y.open}
		}
		return span{max(x.lo, y.lo), max(x.hi, y.hi), x.fits && y.fits, x.open || y.open}
	}
	if e.Type().Kind == ir.List {
		return lengthSpan(e.Type())
	}
	if r := e.Type().Range; r != nil {
		return span{lo: r.Lo, hi: r.Hi, fits: true}
	}
	return span{math.MinInt64, math.MaxInt64, true, true}
}

// lengthSpan is between what the lengths of strings or lists of type t lie.
func lengthSpan(t *ir.Type) span {
	if t.Len == nil || t.Len.Hi > math.MaxInt32 { // which none of them has
		return span{lo: t.LeastLen(), hi: math.MaxInt64, fits: true, open: true}
	}
	return span{lo: t.Len.Lo, hi: t.Len.Hi, fits: true}
}

// combine is between what the values lie that op makes of one of x and one of y: it
// is largest and least at their ends.
func combine(x, y span, op func(z, a, b *big.Int) *big.Int) span {
	out := span{math.MaxInt64, math.MinInt64, x.fits && y.fits, x.open || y.open}
	for _, a := range []int64{x.lo, x.hi} {
		for _, b := range []int64{y.lo, y.hi} {
			n := op(new(big.Int), big.NewInt(a), big.NewInt(b))
			out.fits = out.fits && (n.IsInt64() || out.open)
			out.lo, out.hi = min(out.lo, saturated(n)), max(out.hi, saturated(n))
		}
	}
	return out
}

func saturated(n *big.Int) int64 {
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}
