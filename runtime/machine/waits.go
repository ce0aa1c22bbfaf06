package machine

import (
	"slices"
	"time"
)

// WaitsOutside reports whether a run with nothing due waits only for events
// from outside; RunUntilIdle says what that means.
func (m *Machine) WaitsOutside(s *Snapshot) bool {
	if s.HasOpenTask() {
		return false
	}
	allowed := m.Allowed(s)
	for _, e := range allowed {
		for _, a := range m.handlers[inputKey{state: s.State, kind: EventInput, a: e}] {
			if m.def.Arms[a].State == s.State {
				return true
			}
		}
	}
	for _, alarm := range s.Alarms {
		if m.def.Timers[alarm.Timer].State == s.State {
			return false
		}
	}
	return len(allowed) > 0 || len(s.Alarms) == 0
}

// IdleDue reports whether a timer is due that a checkpoint starts again.
func (m *Machine) IdleDue(s *Snapshot, now time.Time) bool {
	return slices.ContainsFunc(s.Alarms, func(a Alarm) bool { return a.Wait > 0 && !a.Due.After(now) })
}

// NextDue is when the next timer of the run falls due; zero where none runs.
func (s *Snapshot) NextDue() (next time.Time) {
	for i := range s.Alarms {
		if due := s.Alarms[i].Due; next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next
}

// IsOpen reports whether the attempt with that do, key and number has not ended.
func (s *Snapshot) IsOpen(t *Task) bool {
	return s.openTask(&Input{Do: t.Do, Index: t.Index, Key: t.Key, Attempt: t.Attempt}) >= 0
}

// HandedOut are the attempts for which a task stands: those that are open, and
// have not returned what waits in the queue or has halted the run.
func (s *Snapshot) HandedOut() (tasks []Task) {
	for _, t := range s.Tasks {
		returned := s.inQueue(&t)
		if s.Halt != nil {
			in := &s.Halt.Input
			returned = returned || (in.Kind == ResultInput || in.Kind == FailureInput) && t.says(in)
		}
		if t.State == TaskOpen && !returned {
			tasks = append(tasks, t)
		}
	}
	return tasks
}
