package flat

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Lost are the arms, of s and of the states around it, of which it is not known
// for which input they stand: no trigger of their handler could be resolved, or
// in a broken machine the activity that raises it. Some input takes them.
func (t *Table) Lost(s *ir.State) []*ir.Arm { return t.lost[s.ID] }

// lostArms computes Lost for s, after the state around it.
func (t *Table) lostArms(s *ir.State) []*ir.Arm {
	var arms []*ir.Arm
	if s.Parent != nil {
		arms = slices.Clip(t.lost[s.Parent.ID])
	}
	if !t.Machine.Broken && !t.Machine.Incomplete {
		return arms
	}
	for _, h := range s.Handlers {
		if !slices.ContainsFunc(h.Triggers, func(trigger *ir.Trigger) bool { return arises(s, trigger) }) {
			arms = append(arms, h.Arms...)
		}
	}
	return arms
}

// arises reports whether something raises the trigger of s as far as s itself
// shows. What a composite waits for is raised by what stands inside.
func arises(s *ir.State, t *ir.Trigger) bool {
	switch {
	case s.Kind != ir.Leaf:
		return true
	case t.Kind == ir.OnFailed:
		return len(s.Dos) > 0
	case t.Kind == ir.OnEvent && !t.Event.External():
		return slices.ContainsFunc(s.Dos, func(d *ir.Do) bool { return slices.Contains(d.Activity.Results, t.Event) })
	}
	return true
}
