package data

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// MaxHeldElements is the most elements of a list whose number is held while the run is
// elsewhere, for a fan-out whose elements are counted: each is a configuration more of
// all that lies before. Of a longer list it is held whether it is empty.
const MaxHeldElements = 16

// readFans notes of the lists of fan-outs whether they are set, and how long they are as
// far as it matters on entering: whether there is an element, or where an element that
// ends has effects how many there are.
func (t *Tracked) readFans() {
	for _, d := range t.machine.Dos {
		f := d.Fan
		if f == nil || f.List.Always() != nil {
			continue
		}
		n := t.Vars[f.List]
		if n == nil {
			continue // in a machine that is broken
		}
		n.needed = true
		switch {
		case f.Least < f.Most && f.Most <= MaxHeldElements && (t.endsWithEffects(d) || t.parts[part{d, ir.IndexField}] != nil):
			n.Read = true
			n.cuts = append(n.cuts, &ir.Const{Kind: ir.List, Int: f.Most - 1})
		case f.Least == 0:
			n.Read = true
		}
	}
}

// endsWithEffects reports whether an arm that an element of d takes without leaving the
// state assigns anything.
func (t *Tracked) endsWithEffects(d *ir.Do) bool {
	for _, c := range t.machine.Cases(d.State) {
		if c.Do == d && slices.ContainsFunc(t.machine.Choices(d.State, c), func(c ir.Choice) bool {
			return c.Arm != nil && c.Arm.Kind != ir.Goto && c.Arm.Block != nil && len(c.Arm.Block.Assigns) > 0
		}) {
			return true
		}
	}
	return false
}

// Elements is how many elements the list of f has in a configuration, as far as that is
// held.
func (t *Tracked) Elements(f *ir.Fan, words []uint64) (least, most int64) {
	least, most = f.Least, f.Most
	if c := f.List.Always(); c != nil {
		return c.Int, c.Int
	}
	n := t.Vars[f.List]
	if n.Slot == nil || !n.Valued() {
		return least, most
	}
	code, set := n.Slot.Load(words)
	switch {
	case !set:
	case code < n.Domain.Most:
		return code, code
	default:
		least = max(least, code)
	}
	return least, max(least, most)
}

// PartSpan is from where to where the values of e lie, a part of an element that the handler of arm
// reads; false where e is none, or has more values than a choice may have.
func (t *Tracked) PartSpan(e *ir.FieldRef, arm *ir.Arm) (lo, hi int64, few bool) {
	if arm == nil || arm.Handler == nil || !e.IsElement() || len(t.Refs(e, arm)) > 0 {
		return 0, 0, false
	}
	lo, hi, ranged := (&Node{Type: e.T}).Limits()
	return lo, hi, ranged && e.T.Kind != ir.List && hi-lo >= 0 && hi-lo < MostValues
}

// ofElement reports whether f is what an element adds to `event` where trigger is met: it
// is free, as nothing tells elements apart.
func (t *Tracked) ofElement(trigger *ir.Trigger, f *ir.EventField) bool {
	if trigger.Kind == ir.OnFailed {
		return f.Index >= len(t.failure)
	}
	return t.fields[f] == nil
}
