package replay

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// What a json has to have hangs on where it is copied to: an event's field is put into a field of
// the run, of which a later block takes a list, or of which a member is put into a third one. So the
// parts that are read of each json are handed to what it was made of, until nothing is new. The order
// of steps is left out: a part that only some later value needs does no harm.

// maxParts is how many parts of one json are kept, and maxKeys how deep they may lie: a json that
// is made of a member of itself has no end of them.
const (
	maxParts = 24
	maxKeys  = 8
)

// holder is what holds a json: a parameter or a field of the run, or the field of an event.
type holder struct {
	v     *ir.Var
	event *ir.Event
	field string
}

// needs are the parts that are read of each json. A part without keys is all of it.
func (b *book) needs() map[holder][]part {
	if b.needed != nil {
		return b.needed
	}
	n := &needs{of: map[holder][]part{}}
	for again := true; again; {
		n.grown = false
		for whole, arm := range b.m.Blocks() {
			for _, a := range whole.Assigns {
				if a.Value == nil {
					continue
				}
				n.fits(a.Value, arm, a.Var)
				if a.Var.Type.Kind == ir.JSON {
					for _, p := range slices.Clone(n.of[holder{v: a.Var}]) {
						n.push(a.Value, arm, p)
					}
				}
			}
			for _, p := range whole.Publishes {
				for _, v := range p.Values {
					n.fits(v, arm, nil)
				}
			}
		}
		again = n.grown
	}
	for e := range b.m.Exprs() {
		n.fits(e, nil, nil)
	}
	b.needed = n.of
	return n.of
}

// needs is the parts that are found so far.
type needs struct {
	of    map[holder][]part
	grown bool
}

// fits notes what whole, in the block of an arm or of a state, takes out of some json, and puts into v.
func (n *needs) fits(whole ir.Expr, arm *ir.Arm, v *ir.Var) {
	for e := range ir.PartsOf(whole) {
		into := v
		if e != whole {
			into = nil
		}
		eachPart(e, func(of ir.Expr, t *ir.Type, optional bool) { n.push(of, arm, part{nil, t, optional, into}) })
	}
}

// push hands a part of the value of e to what e is made of.
func (n *needs) push(e ir.Expr, arm *ir.Arm, p part) {
	switch e := e.(type) {
	case *ir.VarRef:
		n.add(holder{v: e.Var}, p)
	case *ir.FieldRef:
		if arm == nil || arm.Handler == nil {
			return
		}
		for _, t := range arm.Handler.Triggers {
			if t.Event != nil {
				n.add(holder{event: t.Event, field: e.Name}, p)
			}
		}
	case *ir.Key:
		p.keys = append([]string{e.Name}, p.keys...)
		n.push(e.X, arm, p)
	case *ir.Object:
		if len(p.keys) == 0 {
			return
		}
		if i := slices.Index(e.Keys, p.keys[0]); i >= 0 {
			p.keys = p.keys[1:]
			n.push(e.Values[i], arm, p)
		}
	}
}

// add adds a part of what h holds.
func (n *needs) add(h holder, p part) {
	list := n.of[h]
	if len(list) == maxParts || len(p.keys) > maxKeys {
		return
	}
	for _, known := range list {
		if slices.Equal(known.keys, p.keys) && known.t.Same(p.t) {
			return
		}
	}
	n.of[h], n.grown = append(list, p), true
}

// together puts those parts together that one json can have: a part has no parts itself. What is
// read of a json at one time need not be there at another.
func together(parts []part) (groups [][]part) {
	for _, p := range parts {
		i := slices.IndexFunc(groups, func(g []part) bool {
			return !slices.ContainsFunc(g, func(o part) bool {
				shared := min(len(o.keys), len(p.keys))
				return slices.Equal(o.keys[:shared], p.keys[:shared])
			})
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	return groups
}

// valuesOf are values of type t to try for what h holds: of a json first those that have what is
// read of it.
func (b *book) valuesOf(t *ir.Type, h holder) []machine.Value {
	if t.Kind != ir.JSON {
		return b.constantsOf(t)
	}
	made := lookUp(b.made, h, func() (out []machine.Value) {
		groups := together(b.needs()[h])
		for _, g := range groups {
			list := b.objects(g)
			out = append(out, list[:min(len(list), max(maxDocuments/len(groups), maxEach))]...)
		}
		return out
	})
	return append(made[:len(made):len(made)], b.constantsOf(t)...)
}
