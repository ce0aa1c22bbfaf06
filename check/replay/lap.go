package replay

import (
	"fmt"
	"math"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A cycle is shown by going round it twice. That is a proof where all that decides
// the next lap is after the second what it was after the first; the product tells
// that of what it follows, and here it is looked at of all data.

// Changes is the error of a cycle that can be gone round, but with other data after
// each lap, so that nobody knows how often.
type Changes struct{ Var *ir.Var }

func (c *Changes) Error() string {
	return fmt.Sprintf("%q is not what it was before the lap", c.Var.Name)
}

// lap is what decides the next lap, as it is after one.
type lap []string

// lapOf is the lap of r: of a time how far off it is.
func (b *book) lapOf(r *run) lap {
	var out lap
	for _, v := range b.deciding() {
		held := r.value(v)
		if v.Type.Kind == ir.Time && held.IsSet() {
			held = machine.IntValue(since(held.Time()) - r.now)
		}
		if most, capped := b.lengths()[v]; v.Type.Kind == ir.List && held.IsSet() {
			n := int64(len(held.List())) // no item decides anything
			if capped {
				n = min(n, most)
			}
			held = machine.IntValue(n)
		}
		out = append(out, key(held))
	}
	return out
}

// changed is the first field in which a and c, two laps, differ; nil for none.
func (b *book) changed(a, c lap) *ir.Var {
	for i, v := range b.deciding() {
		if a[i] != c[i] {
			return v
		}
	}
	return nil
}

// deciding are the fields on which it may hang how the next lap goes: those that in
// the states of the lap a guard, a `require`, a wait reads, or an effect that may not
// fit, and those from which they are computed there.
func (b *book) deciding() []*ir.Var {
	if b.decides != nil {
		return b.decides
	}
	decides := map[*ir.Var]bool{}
	note := func(e ir.Expr) {
		ir.Walk(e, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.VarRef:
				decides[e.Var] = true
			case *ir.IsSet:
				if e.Var != nil {
					decides[e.Var] = true
				}
			case *ir.Call:
				return e.Guard == nil // a host may say anything
			}
			return true
		})
	}
	var assigns []*ir.Assign
	block := func(k *ir.Block) {
		if k == nil {
			return
		}
		for _, a := range k.Assigns {
			assigns = append(assigns, a)
			if r := a.Var.Type.Limits(); r != nil && a.Value != nil && !data.Within(a.Value, r.Lo, r.Hi) {
				note(a.Value)
			}
		}
		for _, p := range k.Publishes {
			for i, v := range p.Values {
				if p.Event.Fields[i].Type.Limits() != nil {
					note(v)
				}
			}
		}
	}
	require := func(target *ir.State) {
		for seen := map[*ir.State]bool{}; target != nil && !seen[target]; {
			seen[target] = true
			leaf := target.Leaf()
			if leaf == nil || leaf.Require == nil {
				return
			}
			note(leaf.Require.Cond)
			target = leaf.Require.Target
		}
	}
	within := b.lapStates()
	for s, reentered := range within {
		block(s.Entry)
		block(s.Exit)
		for _, t := range s.Timers {
			if t.Var != nil && reentered {
				decides[t.Var] = true
			}
		}
		for _, d := range s.Dos {
			if d.Fan != nil && reentered {
				decides[d.Fan.List] = true
			}
		}
	}
	for _, a := range b.m.Arms {
		if _, on := within[a.State]; !on {
			continue
		}
		note(a.When)
		block(a.Block)
		if a.Backoff != nil {
			note(a.Backoff.By)
		}
		require(a.Target)
	}
	for n := -1; n < len(decides); {
		n = len(decides)
		for _, a := range assigns {
			if decides[a.Var] {
				note(a.Value)
			}
		}
	}
	b.decides = []*ir.Var{}
	for _, v := range b.m.Fields {
		if decides[v] {
			b.decides = append(b.decides, v)
		}
	}
	return b.decides
}

// lengths are the lists of whose lengths nothing is asked but how they compare with
// constants, and where they fit: all that are as long as said here, or longer, are alike.
func (b *book) lengths() map[*ir.Var]int64 {
	if b.alike != nil {
		return b.alike
	}
	most, open := map[*ir.Var]int64{}, map[*ir.Var]bool{}
	for _, v := range b.m.Fields {
		if v.Type.Kind == ir.List {
			most[v] = 0
		}
	}
	note := func(e ir.Expr) {
		ir.Walk(e, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.Binary:
				list, _, k, ok := ir.ListLength(e)
				ref, isVar := list.(*ir.VarRef)
				if ok && isVar && k < math.MaxInt64 {
					most[ref.Var] = max(most[ref.Var], k+1)
					return false
				}
			case *ir.Len:
				if ref, isVar := e.X.(*ir.VarRef); isVar {
					open[ref.Var] = true
				}
			}
			return true
		})
	}
	for e := range b.m.Exprs() {
		note(e)
	}
	for list, to := range b.lists() {
		if from := source(list); from != nil {
			most[from] = max(most[from], to.Lo, min(to.Hi, math.MaxInt32)+1)
		}
	}
	for _, d := range b.m.Dos {
		if d.Fan != nil {
			most[d.Fan.List] = max(most[d.Fan.List], d.Fan.Most)
		}
	}
	for changed := true; changed; {
		changed = false
		for block := range b.m.Blocks() {
			for _, a := range block.Assigns {
				from := source(a.Value)
				if from == nil || most[a.Var] <= most[from] && (!open[a.Var] || open[from]) {
					continue
				}
				most[from], open[from], changed = max(most[from], most[a.Var]), open[from] || open[a.Var], true
			}
		}
	}
	for v := range open {
		delete(most, v)
	}
	b.alike = most
	return most
}

// source is the field whose list e is, with items behind it or none.
func source(e ir.Expr) *ir.Var {
	for e != nil && e.Type().Kind == ir.List {
		switch x := e.(type) {
		case *ir.VarRef:
			return x.Var
		case *ir.Binary:
			e = x.X
			continue
		}
		break
	}
	return nil
}

// lapStates are the states in which the run is in the course of the lap, each with
// whether it is left there, so that its timers start again.
func (b *book) lapStates() map[*ir.State]bool {
	var leaves []*ir.State
	for _, s := range b.m.States {
		if b.lap[s] && s.Kind == ir.Leaf {
			leaves = append(leaves, s)
		}
	}
	out := map[*ir.State]bool{}
	for _, leaf := range leaves {
		for s := leaf; s != nil; s = s.Parent {
			around := s != leaf
			for _, other := range leaves {
				around = around && other.Inside(s)
			}
			out[s] = !around
		}
	}
	return out
}
