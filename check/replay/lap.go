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
	for value, to := range b.puts() {
		if from := source(value); from != nil && to.Len != nil {
			most[from] = max(most[from], to.Len.Lo, min(to.Len.Hi, math.MaxInt32)+1)
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
	if ref, ok := data.GrownFrom(e).(*ir.VarRef); ok && ref.T.Kind == ir.List {
		return ref.Var
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
