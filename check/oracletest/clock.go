package oracletest

import (
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Tick is the least time that passes: every input comes at every tick at which it can. The waits
// of generated machines are multiples of four ticks, so that between two of them there is room for
// some inputs. Where a wait begins again and again there may be too little of it: then shorter ones
// tell (ExploreBy).
const Tick = time.Second

// arrival is an input, and how long after the step before it comes.
type arrival struct {
	*machine.Input
	after time.Duration
	run   string // of a start: the id of the run
}

// arrivals are all inputs that can reach a run, by the order of language.md, section 5.
func (s *Space) arrivals(at *machine.Snapshot) []arrival {
	var list []arrival
	switch {
	case at.State < 0:
		for _, in := range s.each(machine.Input{Kind: machine.StartInput}, s.Def.Params) {
			for _, id := range s.values.ids() {
				list = append(list, arrival{Input: &in, run: id})
			}
		}
		return list
	case at.Status != machine.Running:
		return nil
	}
	inputs := s.others(at)
	others := make([]arrival, len(inputs))
	for i := range inputs {
		others[i] = arrival{Input: &inputs[i], after: s.ready(at, inputs[i])}
	}
	for _, after := range s.delays(at, others) {
		if in, due := s.m.Next(at, start.Add(after)); due {
			return append(list, arrival{Input: &in, after: after})
		}
		for _, o := range others {
			if after >= o.after {
				list = append(list, arrival{Input: o.Input, after: after})
			}
		}
	}
	return list
}

// delays are the times at which something is tried: all ticks until a timer is due,
// and where none runs those from which on something can come.
func (s *Space) delays(at *machine.Snapshot, others []arrival) []time.Duration {
	var list []time.Duration
	for _, o := range others {
		list = append(list, o.after)
	}
	first := time.Duration(-1)
	for _, a := range at.Alarms {
		if due := a.Due.Sub(start); first < 0 || due < first {
			first = max(due, 0)
		}
	}
	if first >= 0 {
		list = slices.DeleteFunc(list, func(d time.Duration) bool { return d > first })
		for d := time.Duration(0); d < first; d += s.tick {
			list = append(list, d)
		}
		list = append(list, first)
	}
	list = append(list, 0)
	slices.Sort(list)
	return slices.Compact(list)
}

// ready is after how long in can come at the earliest: what an attempt says once it
// has started and, if that is a matter of a time limit, once it has run so long.
func (s *Space) ready(at *machine.Snapshot, in machine.Input) time.Duration {
	if in.Kind != machine.ResultInput && in.Kind != machine.FailureInput && in.Kind != machine.ProgressInput && in.Kind != machine.SpentInput {
		return 0
	}
	for _, task := range at.Tasks {
		if of(in, task) {
			wait := task.NotBefore.Sub(start)
			if in.Kind == machine.FailureInput {
				if limit := limits(&s.Def.Dos[in.Do])[s.Def.Categories[in.Category]]; limit != nil {
					wait += time.Duration(*limit)
				}
			} else if in.Kind == machine.ResultInput && in.Event >= 0 {
				wait += s.soonest(s.Def.Dos[in.Do].Activity, in.Event)
			}
			return max(wait, 0)
		}
	}
	return 0
}

// of reports whether in is of a task.
func of(in machine.Input, task machine.Task) bool {
	return in.Do == task.Do && in.Index == task.Index
}

// limits are the time limits of a do, by the category with which an attempt fails that reaches one.
func limits(do *machine.Do) map[string]*int64 {
	return map[string]*int64{"timeout": do.Timeout, "silent": do.Heartbeat, "stalled": do.Progress}
}

// longestLimit is the longest time limit of a do, or least time of the machine that it calls.
func (s *Space) longestLimit(do *machine.Do) time.Duration {
	longest := int64(0)
	for _, limit := range limits(do) {
		if limit != nil {
			longest = max(longest, *limit)
		}
	}
	for _, e := range s.Def.Activities[do.Activity].Results {
		longest = max(longest, int64(s.soonest(do.Activity, e)))
	}
	return time.Duration(longest)
}

// settle makes the times of a snapshot count from now on: when timers are due, and
// since when attempts run, as far back as a limit asks.
func (s *Space) settle(c *machine.Snapshot, now time.Time) {
	c.Tasks = slices.Clone(c.Tasks)
	for i := range c.Tasks {
		task := &c.Tasks[i]
		task.Key, task.Attempt = "key", 1
		since := task.NotBefore.Sub(now)
		if task.NotBefore.IsZero() {
			since = 0
		}
		switch {
		case task.State == machine.TaskWaiting && since > 0: // a place that is free later goes to who can run first
			task.Key, task.Attempt, task.NotBefore = "", 0, start.Add(since)
			continue
		case task.State == machine.TaskWaiting:
			task.Key, task.Attempt, task.NotBefore = "", 0, time.Time{}
			continue
		case task.State != machine.TaskOpen:
			task.NotBefore = time.Time{}
			continue
		}
		task.NotBefore = start.Add(max(since, -s.longestLimit(&s.Def.Dos[task.Do])))
	}
	c.Alarms = slices.Clone(c.Alarms)
	for i := range c.Alarms {
		a := &c.Alarms[i]
		a.Due = start.Add(a.Due.Sub(now))
	}
}

// jittered are the snapshots that next may be: those timers of it that have started
// with the step, or started again, wait as long as they say, or longer by their jitter.
func (s *Space) jittered(from, next *machine.Snapshot, now time.Time) []*machine.Snapshot {
	list := []*machine.Snapshot{next}
	if next.Status != machine.Running {
		return list
	}
	for i, a := range next.Alarms {
		t := &s.Def.Timers[a.Timer]
		if t.Jitter == 0 || slices.ContainsFunc(from.Alarms, func(b machine.Alarm) bool { return b.Timer == a.Timer && b.Due.Equal(a.Due) }) {
			continue
		}
		var longer []*machine.Snapshot
		for _, one := range list {
			for wait := t.Delay; wait <= t.Delay+int64(float64(t.Delay)*t.Jitter); wait += int64(s.tick) {
				c := *one
				c.Alarms = slices.Clone(c.Alarms)
				c.Alarms[i].Due = now.Add(time.Duration(wait))
				longer = append(longer, &c)
			}
		}
		list = longer
	}
	return list
}

// Begun are the tasks for which a retry waited since the time given and which start
// until a step at the time now. What a timer comes together with comes too late,
// unless the run goes on after it in the same visit, as next has it. A task of which
// in tells has started: a witness may keep to shorter waits than the runtime's.
func Begun(at, next *machine.Snapshot, in machine.Input, since, now time.Time) []machine.Task {
	var out []machine.Task
	for _, task := range at.Tasks {
		speaks := of(in, task) && (in.Kind == machine.ResultInput || in.Kind == machine.FailureInput || in.Kind == machine.ProgressInput || in.Kind == machine.SpentInput)
		if task.State != machine.TaskOpen || !task.NotBefore.After(since) || task.NotBefore.After(now) && !speaks {
			continue
		}
		if in.Kind != machine.TimerInput || task.NotBefore.Before(now) || waits(next, task) && !due(next, now) {
			out = append(out, task)
		}
	}
	return out
}

// Waiting are the tasks that start if nothing else comes.
func Waiting(at *machine.Snapshot, since time.Time) []machine.Task {
	var out []machine.Task
	for _, task := range at.Tasks {
		if at.Status == machine.Running && task.State == machine.TaskOpen && task.NotBefore.After(since) && !due(at, task.NotBefore) {
			out = append(out, task)
		}
	}
	return out
}

// waits reports whether next has task, which still waits.
func waits(next *machine.Snapshot, task machine.Task) bool {
	return next.Status == machine.Running && slices.ContainsFunc(next.Tasks, func(t machine.Task) bool {
		return t.Do == task.Do && t.Index == task.Index && t.State == machine.TaskOpen && t.NotBefore.Equal(task.NotBefore)
	})
}

// due reports whether a timer of at is due at a time.
func due(at *machine.Snapshot, now time.Time) bool {
	return slices.ContainsFunc(at.Alarms, func(a machine.Alarm) bool { return !a.Due.After(now) })
}
