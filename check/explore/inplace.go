package explore

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// inPlace holds the activities that can end with the run still in their leaf.
type inPlace map[*ir.Do]bool

func endsInPlace(t *flat.Table) inPlace {
	ends := inPlace{}
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
			if in.Do != nil && canStay(in.Choices) {
				ends[in.Do] = true
			}
		}
	}
	return ends
}

// canStay reports whether an input may be handled without leaving the state and
// without a retry.
func canStay(choices []ir.Choice) bool {
	for c := range flat.Takeable(choices) {
		if c.Arm == nil || c.Arm.Kind == ir.Stay || c.Arm.Kind == ir.IgnoreArm {
			return true
		}
	}
	return false
}

// all reports whether leaf has activities, and all of them can end in place.
func (ends inPlace) all(leaf *ir.State) bool {
	for _, d := range leaf.Dos {
		if !ends[d] {
			return false
		}
	}
	return len(leaf.Dos) > 0
}
