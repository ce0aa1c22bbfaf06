package check

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Raised says what the activities of each state, and of those inside it,
// raise. It is gathered from each activity outwards, so that asking is quick:
// the whole costs what the activities raise, times the depth.
type Raised map[source]bool

// source is one thing that an activity of state raises. With a label it is the
// activity that bears it, without one any.
type source struct {
	state *ir.State
	label string
	what  any // an event, a category of failure, or a nil one: any failure
}

// Raised is what the activities of the machine raise.
func (s *shared) Raised() Raised {
	if s.raised != nil {
		return s.raised
	}
	r := Raised{}
	for _, d := range s.Machine.Dos {
		labels := []string{""}
		if d.Label != "" {
			labels = append(labels, d.Label)
		}
		failures := append(s.Machine.FailuresOf(d), nil)
		for _, at := range d.State.Chain() {
			for _, label := range labels {
				for _, e := range d.Activity.Results {
					r[source{at, label, e}] = true
				}
				for _, c := range failures {
					r[source{at, label, c}] = true
				}
			}
		}
	}
	s.raised = r
	return r
}

// Has reports whether some activity of s, or of a state inside it, raises t.
func (r Raised) Has(s *ir.State, t *ir.Trigger) bool {
	switch t.Kind {
	case ir.OnEvent:
		return r[source{s, t.Label, t.Event}]
	case ir.OnFailed:
		if len(t.Categories) == 0 {
			return r[source{s, t.Label, (*ir.Category)(nil)}]
		}
		return slices.ContainsFunc(t.Categories, func(c *ir.Category) bool { return r[source{s, t.Label, c}] })
	}
	return false // nothing runs when `done` or `cancel` comes
}
