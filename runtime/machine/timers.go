package machine

import (
	"slices"
	"time"
)

// alarm is the index of a running timer, or -1.
func (s *Snapshot) alarm(timer int) int {
	return slices.IndexFunc(s.Alarms, func(a Alarm) bool { return a.Timer == timer })
}

// takeTimer spends a timer, whatever its arm does.
func (t *step) takeTimer() error {
	t.spendTimer(t.in.Timer)
	return t.handle(inputKey{kind: TimerInput, a: t.in.Timer})
}

// spendTimer takes a running timer away.
func (t *step) spendTimer(timer int) {
	t.next.Alarms = without(t.old.Alarms, t.old.alarm(timer))
}

// remaining are the timers of states down to depth kept. Alarms stand outermost
// first, so they are the first ones; appending to them copies.
func (t *step) remaining(kept int) []Alarm {
	alarms := t.next.Alarms
	n := 0
	for n < len(alarms) && t.m.states[t.m.def.Timers[alarms[n].Timer].State].depth() <= kept {
		n++
	}
	return alarms[:n:n]
}

// startTimers starts the timers of a state that is entered.
func (t *step) startTimers(s int) error {
	for _, timer := range t.m.def.States[s].Timers {
		alarm, err := t.newAlarm(timer)
		if err != nil {
			return err
		}
		t.next.Alarms = append(t.next.Alarms, alarm)
	}
	return nil
}

// newAlarm starts a timer, with its wait or its deadline as the data now is. A
// negative wait is 0.
func (t *step) newAlarm(timer int) (Alarm, error) {
	def := &t.m.def.Timers[timer]
	n := def.Delay
	if code := t.m.timers[timer]; code != nil {
		var err error
		if n, err = code.num(&t.env); err != nil {
			t.place = Place{"timer", def.Name}
			return Alarm{}, err
		}
		if code.typ.Kind == TimeKind {
			due, err := t.deadline(def, time.UnixMicro(n).UTC())
			return Alarm{Timer: timer, Due: due}, err // without a Wait: it never starts again
		}
	}
	alarm := Alarm{Timer: timer, Wait: max(time.Duration(n), 0)}
	var err error
	alarm.Due, err = t.due(def, alarm.Wait)
	if !def.Idle {
		alarm.Wait = 0 // it never starts again
	}
	return alarm, err
}

// deadline is when a timer fires that runs until a time: at once where that
// has passed. Its wait may be longer than a duration can be: only its jitter is
// a share of the longest at most.
func (t *step) deadline(def *Timer, at time.Time) (time.Time, error) {
	if at.Before(t.at) {
		at = t.at
	}
	if def.Jitter > 0 {
		wait := at.Sub(t.at) // saturates
		at = at.Add(lengthen(wait, def.Jitter, t.timerShare(def)) - wait)
	}
	return inYears(at)
}

// due is when a timer fires that starts now: jitter lengthens its wait. While the
// run is paused its time stands still.
func (t *step) due(def *Timer, wait time.Duration) (time.Time, error) {
	if def.Jitter > 0 {
		wait = lengthen(wait, def.Jitter, t.timerShare(def))
	}
	return inYears(t.next.standing(t.at).Add(wait))
}

func (t *step) timerShare(def *Timer) float64 { return jitterShare(t.next.Seed, def.Name, t.seq) }

// inYears is due, rounded up to the microsecond so that nothing is early, and
// within the years that a time can have.
func inYears(due time.Time) (time.Time, error) {
	if cut := due.Truncate(time.Microsecond); !cut.Equal(due) {
		due = cut.Add(time.Microsecond)
	}
	if due.UnixMicro() > maxTime {
		return due, faultOf(TimeTooLate)
	}
	return due, nil
}

// restartIdle starts the `idle` timers again; for those that the step itself has
// started this changes nothing. A deadline stays where it is.
func (t *step) restartIdle() {
	owned := false
	for i := range t.next.Alarms {
		alarm := &t.next.Alarms[i]
		def := &t.m.def.Timers[alarm.Timer]
		if !def.Idle || alarm.Wait == 0 {
			continue
		}
		due, err := t.due(def, alarm.Wait)
		if err != nil || due.Equal(alarm.Due) {
			continue
		}
		if !owned {
			t.next.Alarms = append([]Alarm(nil), t.next.Alarms...)
			alarm, owned = &t.next.Alarms[i], true
		}
		alarm.Due = due
	}
}

// A checkpoint starts `idle` timers again. It is an input of the run, but no line
// of history for each: an engine gives it to the run only when it matters, which
// is when such a timer would fire, or the run's time goes on after a pause. A
// run then has at most one line more for each time that the timer would have
// fired, however often its activities report.

// ProgressInput is a checkpoint that was made at since, and whether it starts a timer again: else the run does
// not take it.
func (m *Machine) ProgressInput(s *Snapshot, since time.Time) (in Input, starts bool) {
	for i := range s.Alarms {
		if a := &s.Alarms[i]; s.Status == Running && a.Wait > 0 && s.standing(since).Add(a.Wait).After(a.Due) {
			return Input{Kind: ProgressInput, Since: since}, true
		}
	}
	return Input{}, false
}

// standing is a time as timers see it: while the run is paused it stands still.
func (s *Snapshot) standing(at time.Time) time.Time {
	if !s.PausedAt.IsZero() && at.After(s.PausedAt) {
		return s.PausedAt
	}
	return at
}

func (t *step) takeProgress() error {
	t.next.Alarms = append([]Alarm(nil), t.next.Alarms...)
	for i := range t.next.Alarms {
		a := &t.next.Alarms[i]
		def := &t.m.def.Timers[a.Timer]
		if a.Wait == 0 {
			continue
		}
		due, err := inYears(t.old.standing(t.in.Since).Add(lengthen(a.Wait, def.Jitter, t.timerShare(def))))
		if err == nil && due.After(a.Due) {
			a.Due = due
		}
	}
	t.record.Effect, t.idle = Restarted, false
	return nil
}

// timerCommands are the difference between the timers before and after the
// step: no timer is named twice.
func (t *step) timerCommands() {
	before, after := t.old, t.next
	for _, a := range before.Alarms {
		if after.alarm(a.Timer) < 0 {
			t.commands = append(t.commands, Command{Kind: DropTimer, Timer: a.Timer})
		}
	}
	for _, a := range after.Alarms {
		if i := before.alarm(a.Timer); i < 0 || !before.Alarms[i].Due.Equal(a.Due) {
			t.commands = append(t.commands, Command{Kind: SetTimer, Timer: a.Timer, Due: a.Due})
		}
	}
}
