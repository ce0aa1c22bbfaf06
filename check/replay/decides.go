package replay

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// deciding are the fields on which it may hang how the next lap goes: those that in
// the states of the lap a guard, a `require`, a wait reads, or an effect that may not
// fit, and those from which they are computed there.
func (b *book) deciding() []*ir.Var {
	if b.decides == nil {
		d := deciders{fields: map[*ir.Var]bool{}}
		d.ofLap(b.m, b.lapStates())
		b.decides = slices.DeleteFunc(append([]*ir.Var{}, b.m.Fields...), func(v *ir.Var) bool { return !d.fields[v] })
	}
	return b.decides
}

// deciders finds them.
type deciders struct {
	fields  map[*ir.Var]bool
	assigns []*ir.Assign // of the lap
}

// ofLap notes those of the states within, of which it says whether they are entered again.
func (d *deciders) ofLap(m *ir.Machine, within map[*ir.State]bool) {
	for s, reentered := range within {
		d.block(s.Entry)
		d.block(s.Exit)
		for _, t := range s.Timers {
			if t.Var != nil && reentered {
				d.fields[t.Var] = true
			}
		}
		for _, do := range s.Dos {
			if do.Fan != nil && reentered {
				d.fields[do.Fan.List] = true
			}
		}
	}
	for _, a := range m.Arms {
		if _, on := within[a.State]; !on {
			continue
		}
		d.reads(a.When)
		d.block(a.Block)
		if a.Backoff != nil {
			d.reads(a.Backoff.By)
		}
		d.require(a.Target)
	}
	for n := -1; n < len(d.fields); {
		n = len(d.fields)
		for _, a := range d.assigns {
			if d.fields[a.Var] {
				d.reads(a.Value)
			}
		}
	}
}

// reads notes what e reads.
func (d *deciders) reads(e ir.Expr) {
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.VarRef:
			d.fields[e.Var] = true
		case *ir.IsSet:
			if e.Var != nil {
				d.fields[e.Var] = true
			}
		case *ir.Call:
			return e.Guard == nil // a host may say anything
		}
		return true
	})
}

// block notes what effects of k read that may not fit.
func (d *deciders) block(k *ir.Block) {
	if k == nil {
		return
	}
	for _, a := range k.Assigns {
		d.assigns = append(d.assigns, a)
		if r := a.Var.Type.Limits(); r != nil && a.Value != nil && !data.Within(a.Value, r.Lo, r.Hi) {
			d.reads(a.Value)
		}
	}
	for _, p := range k.Publishes {
		for i, v := range p.Values {
			if p.Event.Fields[i].Type.Limits() != nil {
				d.reads(v)
			}
		}
	}
}

// require notes what the conditions read that hold where a run enters target, or is sent on.
func (d *deciders) require(target *ir.State) {
	if target == nil {
		return
	}
	for leaf := range target.Redirects() {
		if leaf != nil && leaf.Require != nil {
			d.reads(leaf.Require.Cond)
		}
	}
}
