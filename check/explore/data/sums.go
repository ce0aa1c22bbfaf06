package data

import (
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Sum is a field with a range, or a list with one of its length, that arms add to and on which
// no path depends: what nobody knows of it is whether it stays in its range. Where that is settled
// by how often the arms are taken, no configuration has to hold it. See explore/sums.go.
type Sum struct {
	Var         *ir.Var
	Least, Most int64             // what it is set to, its default included, lies between these
	Adds        map[*ir.Arm]Added // what arms add to it
	Sets        map[*ir.Arm]bool  // arms that set it
	Rises       bool              // some arm raises it that does not clamp it at the end of its range
	Falls       bool              // the same of one that lowers it
}

// Added is what an arm adds to a field: By, or -By where Less, which lies between Lo and Hi.
type Added struct {
	By     ir.Expr
	Less   bool
	Lo, Hi int64
}

// Up is by how much the field rises at most.
func (a Added) Up() int64 { return max(a.Hi, 0) }

// Down is by how much it falls at most.
func (a Added) Down() int64 { return max(-a.Lo, 0) }

// Sums are the sums of m, in source order.
func Sums(m *ir.Machine) []*Sum {
	decides := decisive(m)
	list := slices.DeleteFunc(AllSums(m), func(s *Sum) bool { return slices.Contains(decides, s.Var) })
	held := NewWithout(m, list, MostValues)
	return slices.DeleteFunc(list, func(s *Sum) bool { return held.Vars[s.Var].Read })
}

// AllSums are the fields of m that are sums but for that paths may depend on them, in source order.
func AllSums(m *ir.Machine) (list []*Sum) {
	for _, v := range m.Fields {
		if s := SumOf(m, v); s != nil {
			list = append(list, s)
		}
	}
	return list
}

// decisive are the variables that guards, requires, timers and waits read, and what host
// guards are told.
func decisive(m *ir.Machine) []*ir.Var {
	var out []*ir.Var
	note := func(e ir.Expr) {
		if e != nil {
			out = append(out, ir.Vars(e)...)
		}
	}
	for _, a := range m.Arms {
		note(a.When)
		if a.Backoff != nil {
			note(a.Backoff.By)
		}
	}
	for _, s := range m.States {
		if s.Require != nil {
			note(s.Require.Cond)
		}
	}
	for _, t := range m.Timers {
		out = append(out, t.Var)
	}
	for whole := range m.Exprs() {
		for _, call := range ir.GuardCalls(whole) {
			note(call)
		}
	}
	return out
}

// SumOf is v as a sum; nil where it has no range, where something else is done with it than to set it and to add
// to it, or where that is done by a block of no arm.
func SumOf(m *ir.Machine, v *ir.Var) *Sum {
	r := v.Type.Limits()
	if r == nil {
		return nil
	}
	s := &Sum{Var: v, Least: r.Hi, Most: r.Lo, Adds: map[*ir.Arm]Added{}, Sets: map[*ir.Arm]bool{}}
	if v.Default != nil {
		s.Least, s.Most = v.Default.Int, v.Default.Int
	}
	for b, arm := range m.Blocks() {
		for _, a := range b.Assigns {
			if a.Var == v && a.Value != nil && !s.assigns(a, arm) {
				return nil
			}
		}
	}
	if len(s.Adds) == 0 || s.Least > s.Most {
		return nil
	}
	return s
}

// assigns notes what a does; false where that is neither to set nor to add.
func (s *Sum) assigns(a *ir.Assign, arm *ir.Arm) bool {
	value, clamp := flat.Clamped(a)
	if !slices.Contains(ir.Vars(a.Value), s.Var) {
		x := spanOf(a.Value)
		s.Least, s.Most = min(s.Least, x.lo), max(s.Most, x.hi)
		if arm != nil {
			s.Sets[arm] = true
		}
		return !x.open && x.fits
	}
	sum, ok := value.(*ir.Binary)
	if !ok || arm == nil || MayOverflow(a.Value) || sum.Op != ir.OpAdd && sum.Op != ir.OpSub {
		return false
	}
	x, y := sum.X, sum.Y
	if ref, is := y.(*ir.VarRef); is && ref.Var == s.Var && sum.Op == ir.OpAdd {
		x, y = y, x
	}
	ref, is := x.(*ir.VarRef)
	if !is || ref.Var != s.Var || slices.Contains(ir.Vars(y), s.Var) {
		return false
	}
	by := spanOf(y)
	if sum.T.Kind == ir.List {
		by = span{1, 1, by.fits, false} // an item
	}
	less := sum.Op == ir.OpSub
	if less {
		by.lo, by.hi = -by.hi, -by.lo
	}
	add := Added{y, less, by.lo, by.hi}
	r := s.Var.Type.Limits()
	s.Rises = s.Rises || add.Up() > 0 && (clamp == nil || *clamp != r.Hi)
	s.Falls = s.Falls || add.Down() > 0 && (clamp == nil || *clamp != r.Lo)
	s.Adds[arm] = add
	return !by.open
}

// Fits reports whether s stays in its range if arms raise it by no more than up in all, and
// lower it by no more than down; math.MaxInt64 has no end.
func (s *Sum) Fits(up, down int64) bool {
	r := s.Var.Type.Limits()
	return r.Lo <= s.Least && s.Most <= r.Hi && (!s.Rises || room(s.Most, r.Hi) >= up) && (!s.Falls || room(r.Lo, s.Least) >= down)
}

// room is how far b lies beyond a, and less than what has no end.
func room(a, b int64) int64 {
	if b-a < 0 {
		return math.MaxInt64 - 1
	}
	return min(b-a, math.MaxInt64-1)
}

// Adds reports whether arm, nil for none, assigns a sum that is not held.
func (t *Tracked) Adds(arm *ir.Arm) bool {
	return arm != nil && arm.Block != nil && slices.ContainsFunc(arm.Block.Assigns, func(a *ir.Assign) bool { return t.Vars[a.Var].Sum != nil })
}
