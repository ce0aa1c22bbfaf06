package check

import "github.com/fsmc-dev/fsmc/lang/ir"

// Raised says what the activities of each state, and of those inside it,
// raise. It is gathered from each activity outwards, so that asking is quick:
// the whole costs what the activities raise, times the depth.
type Raised struct {
	events   map[source[*ir.Event]]bool
	failures map[source[*ir.Category]]bool
}

// source is one thing that an activity of state raises. With a label it is the
// activity that bears it, without one any.
type source[T comparable] struct {
	state *ir.State
	label string
	what  T // nil: any failure
}

// Raised is what the activities of the machine raise.
func (s *shared) Raised() *Raised {
	if s.raised != nil {
		return s.raised
	}
	m := s.Machine
	r := &Raised{events: map[source[*ir.Event]]bool{}, failures: map[source[*ir.Category]]bool{}}
	for _, d := range m.Dos {
		labels := []string{""}
		if d.Label != "" {
			labels = append(labels, d.Label)
		}
		failures := append(m.FailuresOf(d), nil)
		for at := d.State; at != nil; at = at.Parent {
			for _, label := range labels {
				for _, e := range d.Activity.Results {
					r.events[source[*ir.Event]{at, label, e}] = true
				}
				for _, c := range failures {
					r.failures[source[*ir.Category]{at, label, c}] = true
				}
			}
		}
	}
	s.raised = r
	return r
}

// Has reports whether some activity of s, or of a state inside it, raises t.
func (r *Raised) Has(s *ir.State, t *ir.Trigger) bool {
	switch t.Kind {
	case ir.OnEvent:
		return r.events[source[*ir.Event]{s, t.Label, t.Event}]
	case ir.OnFailed:
		if len(t.Categories) == 0 {
			return r.failures[source[*ir.Category]{s, t.Label, nil}]
		}
		for _, c := range t.Categories {
			if r.failures[source[*ir.Category]{s, t.Label, c}] {
				return true
			}
		}
	}
	return false // nothing runs when `done` or `cancel` comes
}
