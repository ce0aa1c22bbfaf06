package flat

import (
	"iter"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// choicesOf are what leaf may do with event; none where it says nothing of it.
func (t *Table) choicesOf(leaf *ir.State, event *ir.Event) []ir.Choice {
	for in := range t.Inputs(leaf) {
		if in.Kind == ir.CaseEvent && in.Event == event {
			return in.Choices
		}
	}
	return nil
}

// Heeds reports whether leaf may do anything with event but reject it.
func (t *Table) Heeds(leaf *ir.State, event *ir.Event) bool {
	for c := range Takeable(t.choicesOf(leaf, event)) {
		if c.Arm == nil || c.Arm.Kind != ir.Reject {
			return true
		}
	}
	return false
}

// Deferral is the `defer` of event that may be taken in leaf, or nil.
func (t *Table) Deferral(leaf *ir.State, event *ir.Event) *ir.EventUse {
	return DeferralIn(t.choicesOf(leaf, event))
}

// DeferralIn is the `defer` among choices that may be taken, or nil.
func DeferralIn(choices []ir.Choice) *ir.EventUse {
	for c := range Takeable(choices) {
		if c.Defer {
			return c.Use
		}
	}
	return nil
}

// InPlace holds the activities that can end with the run still in their leaf.
type InPlace map[*ir.Do]bool

// EndsInPlace finds them.
func (t *Table) EndsInPlace() InPlace {
	ends := InPlace{}
	for _, d := range t.Machine.Dos {
		if d.Activity.Silent() || MayBeEmpty(d) {
			ends[d] = true // it has nothing to say, or not even begun
		}
	}
	for _, s := range t.Machine.States {
		if s.Kind != ir.Leaf || len(s.Dos) == 0 {
			continue
		}
		for in := range t.Inputs(s) {
			if in.Do != nil && CanStay(in.Choices) {
				ends[in.Do] = true
			}
		}
	}
	return ends
}

// DoneAtOnce reports whether `done` may come as s is entered, before anything else: s is a
// choice state, or its activities run for elements of lists that may be empty.
func DoneAtOnce(s *ir.State) bool {
	return s.IsChoice() || MayDoNothing(s)
}

// MayDoNothing reports whether s is a leaf with activities, and the lists for whose elements they
// all run may be empty.
func MayDoNothing(s *ir.State) bool {
	return s.Kind == ir.Leaf && len(s.Dos) > 0 && !slices.ContainsFunc(s.Dos, func(d *ir.Do) bool { return !MayBeEmpty(d) })
}

// MayBeEmpty reports whether d may run for no element at all.
func MayBeEmpty(d *ir.Do) bool {
	least, _ := d.Elements()
	return least == 0
}

// CanStay reports whether an input may be handled without leaving the state and
// without a retry.
func CanStay(choices []ir.Choice) bool {
	for c := range Takeable(choices) {
		if Stays(c) {
			return true
		}
	}
	return false
}

// Stays reports whether a choice handles its input without leaving the state and without a retry.
func Stays(c ir.Choice) bool {
	return c.Arm == nil || c.Arm.Kind == ir.Stay || c.Arm.Kind == ir.IgnoreArm
}

// All reports whether leaf has activities, and all of them can end in place.
func (ends InPlace) All(leaf *ir.State) bool {
	return len(leaf.Dos) > 0 && !slices.ContainsFunc(leaf.Dos, func(d *ir.Do) bool { return !ends[d] })
}

// Retries lists the arms that may retry d in its leaf, each once.
func (t *Table) Retries(d *ir.Do) []*ir.Arm {
	var out []*ir.Arm
	for in := range t.Inputs(d.State) {
		if in.Do != d {
			continue
		}
		for _, c := range in.Choices {
			if c.Arm != nil && c.Arm.Kind == ir.Retry && !slices.Contains(out, c.Arm) {
				out = append(out, c.Arm)
			}
		}
	}
	return out
}

// Takeable yields those of choices that some data and some state of the
// counters let be taken, every bound being both open and used up: an arm whose
// guard is not plainly false and whose bound is not zero, up to and with the
// first that is always taken.
func Takeable(choices []ir.Choice) iter.Seq[ir.Choice] {
	return func(yield func(ir.Choice) bool) {
		for _, c := range choices {
			if c.Arm == nil {
				yield(c) // ignore and defer take all that comes
				return
			}
			guard := Guard(c.Arm.When)
			if guard == False || c.Arm.Max != nil && *c.Arm.Max <= 0 {
				continue
			}
			if !yield(c) || guard == True && c.Arm.Max == nil {
				return
			}
		}
	}
}

// LastBound is the arm whose spent bound leaves an input to nobody: choices
// end with it, and it is bounded. It is nil where the last choice is of another
// sort, or where one before it always takes.
func LastBound(choices []ir.Choice) *ir.Arm {
	var last *ir.Arm
	for _, c := range choices {
		if c.Arm == nil {
			return nil
		}
		switch guard := Guard(c.Arm.When); {
		case guard == False:
		case c.Arm.Max != nil:
			last = c.Arm
		case guard == True:
			return nil
		default:
			last = nil // a guarded arm comes after: whether it takes over is a matter of values
		}
	}
	return last
}
