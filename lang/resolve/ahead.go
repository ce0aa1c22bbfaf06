package resolve

import (
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// noteAhead notes of each deadline how far ahead it is when its timer starts, where
// every step that enters the state sets it to `now + d`.
func (r *resolver) noteAhead() {
	ahead := map[*ir.Var]*ir.Range{}
	for b := range r.m.Blocks() {
		for _, a := range b.Assigns {
			if a.Var.Type.Kind != ir.Time || a.Value == nil {
				continue
			}
			lo, hi := afterNow(a.Value)
			if known := ahead[a.Var]; known != nil {
				lo, hi = min(lo, known.Lo), max(hi, known.Hi)
			}
			ahead[a.Var] = &ir.Range{Lo: lo, Hi: hi}
		}
	}
	for _, t := range r.m.Timers {
		if of := ahead[t.Var]; of != nil && of.Lo > 0 && !t.Idle && r.setOnEntering(t.Var, t.State) {
			t.Ahead = of
		}
	}
}

// afterNow is the least and the most that d of `now + d` can be: times are whole
// microseconds. It is 0 for anything else.
func afterNow(e ir.Expr) (lo, hi int64) {
	sum, ok := e.(*ir.Binary)
	if !ok || sum.Op != ir.OpAdd {
		return 0, 0
	}
	_, fromNow := sum.X.(*ir.Now)
	switch d, r := ir.Value(sum.Y), sum.Y.Type().Range; {
	case !fromNow:
	case d != nil:
		lo, hi = d.Int, d.Int
	case r != nil:
		lo, hi = r.Lo, r.Hi
	}
	return lo / int64(time.Microsecond) * int64(time.Microsecond), hi
}

// setOnEntering reports whether every step that enters s gives v a value.
func (r *resolver) setOnEntering(v *ir.Var, s *ir.State) bool {
	var around []*ir.State // those around s that give it a value
	if sets(s.Entry, v) {
		return true
	}
	for _, c := range s.Chain()[1:] {
		if sets(c.Entry, v) {
			around = append(around, c)
		}
	}
	if leadsInto(r.m.Root, s) && len(around) == 0 {
		return false
	}
	for _, a := range r.m.Arms {
		stays := a.State.Inside(s) && a.Target != s && a.Target.Inside(s) && a.Target.Leaf().Require == nil
		entered := func(c *ir.State) bool {
			return a.Target == c || !a.State.Inside(c) && !c.Inside(a.State)
		}
		if a.Kind == ir.Goto && !stays && leadsInto(a.Target, s) && !sets(a.Block, v) && !slices.ContainsFunc(around, entered) {
			return false
		}
	}
	return true
}

func sets(b *ir.Block, v *ir.Var) bool {
	return b != nil && slices.ContainsFunc(b.Assigns, func(a *ir.Assign) bool { return a.Var == v && a.Value != nil })
}

// leadsInto reports whether a run that is to enter target may enter s: on its way to
// the leaf, or to one to which a `require` sends it instead.
func leadsInto(target, s *ir.State) bool {
	for leaf := range target.Redirects() {
		if leaf == nil || leaf.Inside(s) {
			return true
		}
	}
	return false
}
