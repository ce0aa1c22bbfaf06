package oracletest

import (
	"math"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// others are external events, what activities say, and cancel.
func (s *Space) others(at *machine.Snapshot) []machine.Input {
	var list []machine.Input
	for e := range s.Def.Events {
		if !s.Def.Events[e].Internal {
			list = append(list, s.each(machine.Input{Kind: machine.EventInput, Event: e}, s.Def.Events[e].Fields)...)
		}
	}
	open := slices.DeleteFunc(slices.Clone(at.Tasks), func(t machine.Task) bool { return t.State != machine.TaskOpen })
	for _, task := range open {
		for _, in := range s.says(task) {
			for _, report := range s.reports(at, task.Do) {
				in.Cost = report
				list = append(list, in)
			}
		}
		for _, report := range s.reports(at, task.Do)[1:] {
			in := inputOf(machine.SpentInput, task)
			in.Cost = report
			list = append(list, in)
		}
	}
	if slices.ContainsFunc(at.Alarms, func(a machine.Alarm) bool { return s.Def.Timers[a.Timer].Idle }) {
		for _, task := range open {
			list = append(list, inputOf(machine.ProgressInput, task))
		}
	}
	if !at.Cancelled {
		list = append(list, machine.Input{Kind: machine.CancelInput})
	}
	return list
}

// inputOf is something that the attempt of a task says.
func inputOf(kind machine.InputKind, task machine.Task) machine.Input {
	return machine.Input{Kind: kind, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt}
}

// says is all that an attempt can say.
func (s *Space) says(task machine.Task) []machine.Input {
	do := &s.Def.Dos[task.Do]
	activity := &s.Def.Activities[do.Activity]
	in := inputOf(machine.ResultInput, task)
	in.Event = -1
	var list []machine.Input
	if len(activity.Results) == 0 && s.callees[do.Activity] == nil { // a machine ends in a terminal
		list = append(list, in)
	}
	for _, e := range activity.Results {
		if !s.mayRaise(do.Activity, e) {
			continue
		}
		in.Event = e
		list = append(list, s.each(in, s.Def.Events[e].Fields)...)
	}
	in.Kind, in.Event = machine.FailureInput, 0
	for k := range s.Def.Categories {
		if s.Def.CanFail(do, k) {
			in.Category = k
			list = append(list, in)
		}
	}
	return list
}

// inside reports whether state a is b or lies in it.
func (s *Space) inside(a, b int) bool {
	for ; a >= 0; a = s.Def.States[a].Parent {
		if a == b {
			return true
		}
	}
	return false
}

// mayRaise reports whether the activity raises event: of a machine that is called, whether
// some run of it ends so. Where no worker runs, that may be after its timeout.
func (s *Space) mayRaise(activity, event int) bool { return s.soonest(activity, event) >= 0 }

// soonest is how long after its start a run of the machine that activity calls ends as event says, at the
// earliest; -1 where none does, and 0 where it calls none.
func (s *Space) soonest(activity, event int) time.Duration {
	callee := s.callees[activity]
	if callee == nil {
		return 0
	}
	least := time.Duration(-1)
	for i, at := range callee.times() {
		if callee.Nodes[i].Snapshot.State == s.Machine.Events[event].Terminal.ID && (least < 0 || at < least) {
			least = at
		}
	}
	return least
}

// times are how long after its start a run is in each node at the earliest.
func (s *Space) times() []time.Duration {
	if s.reached == nil && len(s.Nodes) > 0 {
		s.reached = slices.Repeat([]time.Duration{math.MaxInt64}, len(s.Nodes))
		s.reached[0] = 0
		for changed := true; changed; {
			changed = false
			for i, n := range s.Nodes {
				for _, e := range n.Edges {
					if at := s.reached[i] + e.After; s.reached[i] < math.MaxInt64 && at < s.reached[e.To] {
						s.reached[e.To], changed = at, true
					}
				}
			}
		}
	}
	return s.reached
}
