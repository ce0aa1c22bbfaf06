package oracletest

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// inputs are all that can come to a run, by the order of language.md, section 5:
// `done` before timers that are due, these before deferred events, these before
// everything else.
func (s *Space) inputs(at *runtime.Snapshot) []runtime.Input {
	switch {
	case at.State < 0:
		return s.each(runtime.Input{Kind: runtime.StartInput}, s.Def.Params)
	case at.Status != runtime.Running:
		return nil
	case at.DoneDue:
		return []runtime.Input{{Kind: runtime.DoneInput}}
	}
	kept := at.KeptNext < len(at.Kept)
	instant := false
	var list []runtime.Input
	for _, a := range at.Alarms {
		least, most := s.wait(a.Timer)
		instant = instant || most == 0
		if (!kept || least == 0) && !s.forestalled(at, a.Timer) {
			list = append(list, runtime.Input{Kind: runtime.TimerInput, Timer: a.Timer})
		}
	}
	switch {
	case instant:
		return list
	case kept:
		k := at.Kept[at.KeptNext]
		return append(list, runtime.Input{Kind: runtime.KeptInput, Event: k.Event, Data: k.Data})
	}
	return append(list, s.others(at)...)
}

// others are external events, what activities say, and cancel.
func (s *Space) others(at *runtime.Snapshot) []runtime.Input {
	var list []runtime.Input
	for e := range s.Def.Events {
		if !s.Def.Events[e].Internal {
			list = append(list, s.each(runtime.Input{Kind: runtime.EventInput, Event: e}, s.Def.Events[e].Fields)...)
		}
	}
	for _, task := range at.Tasks {
		if task.State == runtime.TaskOpen {
			list = append(list, s.says(at, task)...)
		}
	}
	if !at.Cancelled {
		list = append(list, runtime.Input{Kind: runtime.CancelInput})
	}
	return list
}

// says is all that an attempt can say.
func (s *Space) says(at *runtime.Snapshot, task runtime.Task) []runtime.Input {
	do := &s.Def.Dos[task.Do]
	activity := &s.Def.Activities[do.Activity]
	in := runtime.Input{Kind: runtime.ResultInput, Event: -1, Do: task.Do, Key: task.Key, Attempt: task.Attempt}
	var list []runtime.Input
	if len(activity.Results) == 0 {
		list = append(list, in)
	}
	for _, e := range activity.Results {
		in.Event = e
		list = append(list, s.each(in, s.Def.Events[e].Fields)...)
	}
	in.Kind, in.Event = runtime.FailureInput, 0
	for k, name := range s.Def.Categories {
		if s.canFail(at, do, k, name) {
			in.Category = k
			list = append(list, in)
		}
	}
	return list
}

// canFail reports whether an attempt can fail with a category. A time limit does
// not run out where a timer that started no later is due before it.
func (s *Space) canFail(at *runtime.Snapshot, do *runtime.Do, k int, name string) bool {
	limit := s.mayFail(do, k, name)
	if limit == nil {
		return false
	}
	for _, a := range at.Alarms {
		most := s.most(a.Timer)
		if *limit > 0 && most >= 0 && most <= *limit {
			return false
		}
	}
	return true
}

// mayFail is after how long an attempt can fail with a category at the earliest,
// in nanoseconds; nil where it cannot.
func (s *Space) mayFail(do *runtime.Do, k int, name string) *int64 {
	switch name {
	case "unknown":
		return new(int64)
	case "timeout":
		return do.Timeout
	case "silent":
		return do.Heartbeat
	case "stalled":
		return do.Progress
	}
	if slices.Contains(s.Def.Activities[do.Activity].Fails, k) {
		return new(int64)
	}
	return nil
}

// forestalled reports whether another running timer, of the same state or of one
// around it, is always due before this one.
func (s *Space) forestalled(at *runtime.Snapshot, timer int) bool {
	least, _ := s.wait(timer)
	for _, a := range at.Alarms {
		other := &s.Def.Timers[a.Timer]
		most := s.most(a.Timer)
		if a.Timer != timer && s.idlesOut(at.State, a.Timer, timer) {
			return true
		}
		if a.Timer == timer || most < 0 || !s.inside(s.Def.Timers[timer].State, other.State) {
			continue
		}
		if most < least || most == least && s.ranksBefore(a.Timer, timer) {
			return true
		}
	}
	return false
}

// ranksBefore reports whether of two timers of one state that are due at one
// instant a fires first (docs/decisions/0017-timers-of-one-instant.md).
func (s *Space) ranksBefore(a, b int) bool {
	x, y := &s.Def.Timers[a], &s.Def.Timers[b]
	return x.State == y.State && x.Name < y.Name
}

// idlesOut reports whether an idle timer, here or around, is always due before
// another, a timer of the leaf: it starts with the visit, too, and nothing but that
// other can start it anew.
func (s *Space) idlesOut(leaf, idle, timer int) bool {
	_, most := s.wait(idle)
	least, _ := s.wait(timer)
	if !s.Def.Timers[idle].Idle || s.Def.Timers[timer].State != leaf || most < 0 || most >= least || len(s.Def.States[leaf].Dos) > 0 {
		return false
	}
	for _, h := range s.Def.States[leaf].Handlers {
		for _, a := range h.Arms {
			switch s.Def.Arms[a].Kind {
			case runtime.GotoArm, runtime.RejectArm, runtime.DeferArm:
			default:
				if h.Kind != runtime.TimerInput || h.Timer != timer {
					return false
				}
			}
		}
	}
	return true
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

// most is how long a timer runs at most; -1 where there is no end. An idle one
// may be started anew for ever, unless it fires at once.
func (s *Space) most(timer int) int64 {
	_, most := s.wait(timer)
	if s.Def.Timers[timer].Idle && most > 0 {
		return -1
	}
	return most
}

// wait is the least and the most that a timer can wait, in nanoseconds; most is
// -1 where it has no end.
func (s *Space) wait(timer int) (least, most int64) {
	t := &s.Def.Timers[timer]
	least, most = t.Delay, t.Delay
	if d, fixed := s.constantWait(t.Var); fixed {
		least, most = d, d
	} else if t.Var != nil {
		least, most = 0, -1
		if t.Var.Type.Kind == runtime.DurationKind && t.Var.Type.Min != nil {
			least, most = max(*t.Var.Type.Min, 0), max(*t.Var.Type.Max, 0)
		}
	}
	if most > 0 {
		most += int64(float64(most) * t.Jitter)
	}
	return least, most
}

// constantWait is the duration that e reads where nothing ever assigns that.
func (s *Space) constantWait(e *runtime.Expr) (int64, bool) {
	if e == nil || e.Op != "field" || e.Type.Kind != runtime.DurationKind || s.assigned()[e.Index] {
		return 0, false
	}
	var text string
	if json.Unmarshal(s.Def.Fields[e.Index].Default, &text) != nil {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	return max(int64(d), 0), err == nil
}
