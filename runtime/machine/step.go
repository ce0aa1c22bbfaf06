package machine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Step takes exactly one input and gives the next snapshot, the commands that
// make it real, and the history record. It is pure: it reads no clock, and s is
// not changed (the next snapshot may share memory with it).
//
// The time of the step is now, or s.Now if that is later; it is cut to the
// microsecond. Where the step cannot be taken, the next snapshot is nil and
// nothing has changed; the error is
//
//   - a *Rejected for an external event, a start or a cancel that is refused;
//   - ErrFenced for a result or failure of an attempt that is not open;
//   - ErrHalted for what a halted run does not take;
//   - another error where the caller is at fault, such as a timer that is not due.
//
// An input from inside that nothing takes, or that cannot be computed, halts
// the run: that is a snapshot with a record, and no error.
//
// These inputs leave no record: a cancel that was taken before, a pause of a
// paused run and a resume of one that is not give s itself; and a kept event
// that is deferred again (unless a host guard was asked).
//
// While a run is paused it moves by itself no more: events, results and
// failures are queued, each with a record, and are taken when it resumes.
func (m *Machine) Step(s *Snapshot, in Input, now time.Time, ask Ask) (*Snapshot, []Command, *Record, error) {
	if s.standsAlready(&in) {
		return s, nil, nil, nil
	}
	now = stepTime(s, now)
	if micro := now.UnixMicro(); micro < minTime || micro > maxTime {
		return nil, nil, nil, fmt.Errorf("the time of a step lies in the years 1 to 9999")
	}
	if in.Kind == MigrateInput {
		return m.stepMigrated(s, in, now)
	}
	if err := m.admit(s, &in, now); err != nil {
		return nil, nil, nil, err
	}
	t := m.newStep(s, in, now, ask)
	defer t.release()
	err := t.take()
	if err != nil && in.Queued && in.Kind == EventInput {
		err = t.refuseQueued(err)
	}
	switch {
	case err != nil:
		if err := t.fault(err, &in); err != nil {
			return nil, nil, nil, err
		}
	case t.silent:
		return t.next, nil, nil, nil
	default:
		t.finish()
		if m.enforces {
			t.raiseOverBudget()
		}
	}
	return t.next, slices.Clone(t.commands), t.record, nil
}

// fault is what becomes of an input that was not taken: an error, or nothing where
// the run halts with it.
func (t *step) fault(err error, in *Input) error {
	var fault *fault
	switch outside := in.Kind == EventInput || in.Kind == StartInput || in.Kind == RepairInput; {
	case !errors.As(err, &fault):
		return err
	case outside || in.Kind == RetryInput && t.old.Status == Finished:
		cause := t.cause(fault)
		r := t.m.Reject(t.old, in, cause.String(), nil)
		r.Cause = cause
		return r
	}
	t.halt(t.cause(fault))
	return nil
}

// stepTime is the time of a step at now: time never runs backwards in a run.
func stepTime(s *Snapshot, now time.Time) time.Time {
	now = now.UTC().Truncate(time.Microsecond)
	if now.Before(s.Now) {
		return s.Now
	}
	return now
}

// step is one step under way. next starts as a copy of old; its slices are
// copied before they are first changed.
type step struct {
	env
	m        *Machine
	old      *Snapshot
	next     *Snapshot
	in       *Input // as the record has it
	at       time.Time
	seq      int64 // of the record
	record   *Record
	commands []Command

	task     int   // index in Tasks of the attempt that this input ends, or -1
	fan      *Fan  // of its do; nil for none
	place    Place // what is being computed, for the cause of a fault
	messages int   // published so far
	silent   bool  // no record
	idle     bool  // `idle` timers start again

	ownsData, ownsCounters, ownsTasks, ownsTries, ownsExecutions bool
}

func (m *Machine) newStep(s *Snapshot, in Input, now time.Time, ask Ask) *step {
	next := new(Snapshot)
	*next = *s
	record := &Record{From: s.State, Arm: -1, Input: in}
	t := steps.Get().(*step)
	*t = step{
		env:      env{machine: m, run: next, params: s.Params, data: s.Data, now: now.UnixMicro(), source: noSource, ask: ask},
		m:        m,
		old:      s,
		next:     next,
		in:       &record.Input,
		at:       now,
		seq:      s.Seq + 1,
		record:   record,
		commands: t.commands[:0],
		task:     -1,
		idle:     true,
	}
	return t
}

// steps keeps what a step needs only while it is under way: half of what it
// would allocate.
var steps = sync.Pool{New: func() any { return new(step) }}

// release returns a step. Nothing that Step returned is part of it.
func (t *step) release() {
	clear(t.commands)
	*t = step{commands: t.commands[:0]}
	steps.Put(t)
}

// own copies a list of the next snapshot before it is first changed.
func own[T any](owned *bool, list *[]T) {
	if !*owned {
		*list, *owned = slices.Clone(*list), true
	}
}

// drop takes some items out of a list of the next snapshot.
func drop[T any](owned *bool, list *[]T, which func(*T) bool) {
	for i := range *list {
		if which(&(*list)[i]) {
			own(owned, list)
			*list = slices.DeleteFunc(*list, func(x T) bool { return which(&x) })
			return
		}
	}
}

// without is a list but its i-th item; nil for no more.
func without[T any](list []T, i int) []T {
	if len(list) == 1 {
		return nil
	}
	return slices.Delete(slices.Clone(list), i, i+1)
}

// cause is that of a fault, with the place where it was met.
func (t *step) cause(f *fault) *Cause {
	cause := f.cause // which other steps may share
	cause.Place = t.place
	return &cause
}

// take does what the input asks for.
func (t *step) take() error {
	switch done, err := t.takeQueue(); {
	case done || err != nil:
		return err
	}
	switch t.in.Kind {
	case StartInput:
		return t.takeStart()
	case EventInput:
		return t.takeEvent()
	case KeptInput:
		return t.takeKept()
	case ResultInput:
		return t.takeResult()
	case FailureInput:
		return t.takeFailure()
	case TimerInput:
		return t.takeTimer()
	case DoneInput:
		t.next.DoneDue = false
		return t.handle(inputKey{kind: DoneInput})
	case OverBudgetInput:
		return t.takeOverBudget()
	case BeginInput:
		return t.takeBegin()
	case SpentInput, ToldInput:
		t.record.Effect, t.idle = Noted, false
		return nil
	case ProgressInput:
		return t.takeProgress()
	case PauseInput:
		return t.takePause()
	case ResumeInput:
		return t.takeResume()
	case RetryInput:
		return t.takeRetry()
	case RepairInput:
		return t.takeRepair()
	case StoppedInput:
		return t.takeStopped()
	case LateInput, LostInput, ReturnInput:
		t.next.Late++
		t.record.Effect, t.idle = Reissued, false
		if t.in.Kind == LateInput {
			t.record.Effect = Refused
		}
		return nil
	}
	return t.takeCancel()
}

// finish completes snapshot, commands and record of a step that was taken.
func (t *step) finish() {
	n, r := t.next, t.record
	n.Seq, n.Now = t.seq, t.at
	t.spend()
	if t.idle {
		t.restartIdle()
	}
	t.timerCommands()
	r.Seq, r.At = t.seq, t.at
	if t.in != &r.Input { // a halt has a record of its own
		r.Input = *t.in
	}
	r.To, r.Visit, r.Verdicts = n.State, n.Visit, t.verdicts
	if r.From >= 0 {
		r.Held = t.at.Sub(t.old.Entered)
	}
	for i := range t.commands {
		t.commands[i].Seq = t.seq
	}
}

// halt gives the snapshot of a run that stands still with the input that it
// could not take; nothing else changes. A run that was halted before keeps
// that input.
func (t *step) halt(cause *Cause) {
	next := new(Snapshot)
	*next = *t.old
	next.Status = Halted
	if next.Halt == nil {
		next.Halt = &Halt{Cause: cause, Input: *t.in}
	}
	t.next, t.commands, t.idle, t.silent = next, t.commands[:0], false, false
	t.record = &Record{From: t.old.State, Arm: -1, Effect: HaltedBy, Cause: cause, Passed: t.record.Passed}
	t.finish()
}

// messageID is the stable id of the next message of the step.
func (t *step) messageID() string {
	t.messages++
	return t.next.keys() + strconv.FormatInt(t.seq, 10) + "/" + strconv.Itoa(t.messages)
}

// CleanMessage makes what an activity said of its failure fit to be stored. A character that the cut
// divides becomes U+FFFD, which may be two bytes too long, and not nothing: old histories have it so,
// and a replay cleans what they have.
func CleanMessage(message string) string {
	message = strings.ToValidUTF8(message, "\uFFFD")
	if len(message) > MaxMessage {
		message = strings.ToValidUTF8(message[:MaxMessage], "\uFFFD")
	}
	return message
}

// CleanStderr is the end of what an attempt wrote to standard error, fit to be stored:
// at most MaxStderr bytes, behind "…" where there was more.
func CleanStderr(text string) string {
	text = strings.TrimRightFunc(strings.ToValidUTF8(text, "\uFFFD"), unicode.IsSpace)
	if len(text) <= MaxStderr {
		return text
	}
	begin := len(text) - MaxStderr + len("…")
	for !utf8.RuneStart(text[begin]) {
		begin++
	}
	return "…" + text[begin:]
}
