package flat

import "github.com/fsmc-dev/fsmc/lang/ir"

// InPlace holds the activities that can end with the run still in their leaf.
type InPlace map[*ir.Do]bool

// EndsInPlace finds them.
func (t *Table) EndsInPlace() InPlace {
	ends := InPlace{}
	for _, d := range t.Machine.Dos {
		if len(d.Activity.Results) == 0 {
			ends[d] = true // it has nothing to say
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

// CanStay reports whether an input may be handled without leaving the state and
// without a retry.
func CanStay(choices []ir.Choice) bool {
	for c := range Takeable(choices) {
		if c.Arm == nil || c.Arm.Kind == ir.Stay || c.Arm.Kind == ir.IgnoreArm {
			return true
		}
	}
	return false
}

// All reports whether leaf has activities, and all of them can end in place.
func (ends InPlace) All(leaf *ir.State) bool {
	for _, d := range leaf.Dos {
		if !ends[d] {
			return false
		}
	}
	return len(leaf.Dos) > 0
}
