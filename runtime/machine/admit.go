package machine

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// admit refuses what s cannot be given at all.
func (m *Machine) admit(s *Snapshot, in *Input, now time.Time) error {
	switch {
	case in.Kind == StartInput && s.State >= 0:
		return m.Reject(s, in, "the run has started", ErrExists)
	case in.Kind == StartInput && !isToken(in.Token):
		return fmt.Errorf("%q is no token of a run", in.Token)
	case in.Kind == StartInput:
		return nil
	case s.State < 0:
		return errors.New("the run has not started")
	}
	switch in.Kind {
	case EventInput:
		if in.Event < 0 || in.Event >= len(m.def.Events) {
			return fmt.Errorf("there is no event %d", in.Event)
		}
	case LateInput, LostInput, ReturnInput:
		if !strings.HasPrefix(in.Key, s.keys()) {
			return fmt.Errorf("%w: %q is of another run that had the id", ErrFenced, in.Key)
		}
		if s.Late >= MaxLate {
			return fmt.Errorf("%w: %d late results, lost workers and released attempts of the run are recorded, and no more", ErrFenced, s.Late)
		}
		return nil
	case ToldInput: // whatever has become of the run meanwhile: it is spent
		return nil
	case ResultInput, FailureInput:
		if i := s.openTask(in); !in.Queued && (i < 0 || s.inQueue(&s.Tasks[i])) {
			return fmt.Errorf("%w: attempt %d of %q is not open", ErrFenced, in.Attempt, in.Key)
		}
	case ResumeInput:
		if s.Status == Halted {
			return nil
		}
	case BeginInput, SpentInput:
		if in.Do < 0 || in.Do >= len(m.dos) || s.openTask(in) < 0 {
			return fmt.Errorf("%w: attempt %d of %q is not open", ErrFenced, in.Attempt, in.Key)
		}
	}
	if in.Queued && !s.nextInQueue(in) {
		return errors.New("it is not the next in the queue")
	}
	switch s.Status {
	case Finished:
		return m.admitFinished(s, in)
	case Ending:
		return m.admitEnding(s, in)
	case Halted:
		return m.admitHalted(s, in)
	}
	return m.admitDue(s, in, now)
}

func (m *Machine) admitFinished(s *Snapshot, in *Input) error {
	switch in.Kind {
	case KeptInput:
		return m.admitDue(s, in, s.Now)
	case RetryInput:
		return m.admitEnded(s, in)
	case RepairInput:
		return nil
	case EventInput, CancelInput, PauseInput, ResumeInput:
		if !in.Queued {
			return m.Reject(s, in, "the run has ended", ErrFinished)
		}
	}
	if in.Queued {
		return nil
	}
	return ErrFinished
}

func (m *Machine) admitHalted(s *Snapshot, in *Input) error {
	switch in.Kind {
	case RetryInput:
		if in.Allow && !m.passes(&s.Halt.Input) {
			return m.Reject(s, in, notOverBudget, nil)
		}
		return nil
	case CancelInput, RepairInput:
		return nil
	case EventInput, PauseInput:
		return m.Reject(s, in, "the run is halted", ErrHalted)
	}
	return ErrHalted
}

// admitDue refuses an input from inside that is not due.
func (m *Machine) admitDue(s *Snapshot, in *Input, now time.Time) error {
	if paused := !s.PausedAt.IsZero(); paused && (in.Queued || in.Kind == TimerInput || in.Kind == DoneInput || in.Kind == KeptInput || in.Kind == OverBudgetInput) {
		return errors.New("the run is paused")
	}
	switch in.Kind {
	case EventInput, ResultInput, FailureInput, CancelInput, PauseInput, ResumeInput, RepairInput:
		return nil
	case BeginInput:
		return m.admitBegin(s, in)
	case SpentInput:
		if m.keepsBook(s) {
			return nil
		}
		return errors.New("no run is held to a budget")
	case OverBudgetInput:
		if len(s.OverDue) > 0 && s.OverDue[0] == in.Over {
			return nil
		}
		return errors.New("over_budget is not due")
	case RetryInput:
		if in.Allow {
			return m.Reject(s, in, notOverBudget, nil)
		}
		return m.admitBackoff(s, in, now)
	case ProgressInput:
		if _, starts := m.ProgressInput(s, in.Since); starts {
			return nil
		}
		return errors.New("no timer starts again with the checkpoint")
	case TimerInput:
		if i := s.alarm(in.Timer); i >= 0 && !s.Alarms[i].Due.After(now) {
			return nil
		}
		return errors.New("the timer is not due")
	case DoneInput:
		if s.DoneDue {
			return nil
		}
		return errors.New("done is not due")
	case KeptInput:
		if s.KeptNext < len(s.Kept) {
			return nil
		}
		return errors.New("no kept event is due")
	}
	return fmt.Errorf("there is no input of kind %q", in.Kind)
}

// Reject is the error of an input from outside that changes nothing.
func (m *Machine) Reject(s *Snapshot, in *Input, why string, err error) *Rejected {
	r := &Rejected{Input: in.Kind, Why: why, Err: err}
	if in.Kind == EventInput {
		r.Event = m.def.Events[in.Event].Name
	}
	if s.State >= 0 {
		r.State = m.def.States[s.State].Path
	}
	for _, e := range m.Allowed(s) {
		r.Allowed = append(r.Allowed, m.def.Events[e].Name)
	}
	return r
}
