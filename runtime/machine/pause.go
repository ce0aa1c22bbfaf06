package machine

import (
	"cmp"
	"errors"
	"time"
)

// Pause and resume are operations on a run, not states. While it is paused its
// time stands still: timers keep what remained of their wait, but a deadline (a
// `time` field) is a time of the world and does not shift. Attempts under way go
// on; what they return, and events, wait in Snapshot.Queue.

// standsAlready reports whether an operator's input would change nothing.
func (s *Snapshot) standsAlready(in *Input) bool {
	if in.Kind == CancelInput {
		return s.Cancelled && (!in.Force || s.Status == Finished || s.Forced)
	}
	paused := !s.PausedAt.IsZero()
	return !s.Status.Over() && s.State >= 0 && (in.Kind == PauseInput && paused || in.Kind == ResumeInput && !paused)
}

func (t *step) takePause() error {
	t.next.PausedAt = t.at
	t.record.Effect, t.idle = Paused, false
	return nil
}

func (t *step) takeResume() error {
	n := t.next
	away := t.at.Sub(n.PausedAt)
	n.PausedAt = time.Time{}
	n.Alarms = append([]Alarm(nil), n.Alarms...)
	for i := range n.Alarms {
		if t.m.isDeadline(n.Alarms[i].Timer) {
			continue
		}
		due, err := inYears(n.Alarms[i].Due.Add(away))
		if err != nil {
			due = time.UnixMicro(maxTime).UTC()
		}
		n.Alarms[i].Due = due
	}
	t.record.Effect, t.idle = Resumed, false
	return nil
}

// isDeadline reports whether a timer runs until a time, not for a while.
func (m *Machine) isDeadline(timer int) bool {
	code := m.timers[timer]
	return code != nil && code.typ.Kind == TimeKind
}

// takeQueue puts what reaches a paused run into its queue, and takes what
// comes from there out of it. It reports whether the step is done with that.
func (t *step) takeQueue() (done bool, err error) {
	if t.in.Queued {
		t.unqueue()
		if t.next.Status.Over() || t.in.Kind != EventInput && t.old.openTask(t.in) < 0 {
			t.record.Effect, t.record.Cause, t.idle = Dropped, &Cause{Code: MovedOn}, false
			return true, nil
		}
		return false, nil
	}
	if t.old.PausedAt.IsZero() {
		return false, nil
	}
	switch t.in.Kind {
	case EventInput:
		return true, t.queueEvent()
	case ResultInput, FailureInput:
		t.fit()
		t.noteLeft()
		end := Command{Kind: EndTask, Task: t.old.Tasks[t.old.openTask(t.in)]}
		t.commands = append(t.commands, end)
		t.queue()
		return true, nil
	}
	return false, nil
}

// queueEvent refuses what no state could take. Whether the state that the run
// is then in takes the event is judged when it resumes.
func (t *step) queueEvent() error {
	if err := t.checkEvent(); err != nil {
		return err
	}
	events, size := 0, keptSize(t.in.Data)
	for i := range t.old.Queue {
		if in := &t.old.Queue[i]; in.Kind == EventInput {
			events++
			size += keptSize(in.Data)
		}
	}
	if events >= MaxKept || size > MaxKeptData {
		return t.m.Reject(t.old, t.in, "the run is paused, and no more events can wait until it resumes", nil)
	}
	if err := t.checkHeld(t.old.Data, t.in.Data); err != nil {
		return err
	}
	t.queue()
	return nil
}

func (t *step) queue() {
	queue := make([]Input, 0, len(t.next.Queue)+1)
	waits := *t.in
	waits.Cost, waits.Below, waits.Uncounted = nil, nil, nil // they have been counted
	waits.Stderr = ""                                        // this line has it
	t.next.Queue = append(append(queue, t.next.Queue...), waits)
	t.record.Effect, t.idle = Queued, false
}

func (t *step) unqueue() {
	t.next.Queue = t.next.Queue[1:]
	if len(t.next.Queue) == 0 {
		t.next.Queue = nil
	}
}

// refuseQueued drops an event that came while the run was paused and is not
// taken now: its sender is gone.
func (t *step) refuseQueued(err error) error {
	var cause *Cause
	if refused, ok := errors.AsType[*Rejected](err); ok {
		cause = cmp.Or(refused.Cause, &Cause{Code: NotAccepted, Said: CleanMessage(refused.Why)})
	} else if fault, ok := errors.AsType[*fault](err); ok {
		cause = t.cause(fault)
	} else {
		return err
	}
	next := new(Snapshot)
	*next = *t.old
	t.next, t.commands, t.idle = next, nil, false
	t.unqueue()
	t.record = &Record{From: t.old.State, Arm: -1, Effect: Dropped, Cause: cause, Passed: t.record.Passed}
	return nil
}

// inQueue reports whether the attempt has returned while the run was paused.
func (s *Snapshot) inQueue(t *Task) bool {
	for i := range s.Queue {
		if q := &s.Queue[i]; q.Kind != EventInput && t.says(q) {
			return true
		}
	}
	return false
}

// nextInQueue reports whether in is what the queue has next.
func (s *Snapshot) nextInQueue(in *Input) bool {
	if len(s.Queue) == 0 {
		return false
	}
	q := &s.Queue[0]
	return q.Kind == in.Kind && q.Event == in.Event && q.Do == in.Do && q.Index == in.Index && q.Key == in.Key && q.Attempt == in.Attempt && q.ID == in.ID
}
