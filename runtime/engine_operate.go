package runtime

import (
	"context"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Pause stops a run from moving: attempts under way go on, nothing new starts,
// what they return and events from outside wait, and timers keep what remained
// of their time. A deadline, which is a time of the world, stays where it is. A
// wait before a retry goes on. Pausing a paused run does nothing. Cancel is
// taken all the same. The runs below it in its tree are paused, too, as far as they go on.
//
// The error is a *Rejected for a run that has ended or is halted, and
// ErrNotFound where there is none.
func (e *Engine) Pause(ctx context.Context, run string, o Operator) (View, error) {
	return e.steerTree(ctx, &request{run: run}, machine.Input{Kind: machine.PauseInput, Actor: o.Actor, Reason: o.Reason})
}

// Resume lets a paused run go on, and takes what has come meanwhile, in order:
// first the timers whose deadline has passed, then each as if it came now. An
// event that the run does not take any more is dropped, with a line of history.
// Resuming a run that is not paused does nothing. The runs below it resume, too, also those that
// were paused by themselves.
func (e *Engine) Resume(ctx context.Context, run string, o Operator) (View, error) {
	return e.steerTree(ctx, &request{run: run, resumes: true}, machine.Input{Kind: machine.ResumeInput, Actor: o.Actor, Reason: o.Reason})
}

// Retry lets what has stopped continue: a halted run takes the
// input again that halted it; activities that wait for their backoff are tried
// at once; a run that ended in failure continues in the state in which
// it failed, as if entered from outside, with the bounds of all that it can take
// there again; but not a child, whose end its parent is told. The error is a *Rejected where
// there is nothing of the kind.
func (e *Engine) Retry(ctx context.Context, run string, o Operator) (View, error) {
	return e.retry(ctx, run, machine.Input{Kind: machine.RetryInput, Actor: o.Actor, Reason: o.Reason})
}

// RetryOverBudget lets a run continue that a cost, or the time of its budget, has halted because
// nothing takes its over_budget there: the run does without that input, and the cost holds
// nothing back any more. The error is a *Rejected where no budget has halted the run.
func (e *Engine) RetryOverBudget(ctx context.Context, run string, o Operator) (View, error) {
	return e.retry(ctx, run, machine.Input{Kind: machine.RetryInput, Allow: true, Actor: o.Actor, Reason: o.Reason})
}

func (e *Engine) retry(ctx context.Context, run string, in machine.Input) (View, error) {
	// What is due is written first: the run may fail by it, and where it failed
	// is read from its history.
	if _, err := e.apply(ctx, &request{run: run}); err != nil {
		return View{}, err
	}
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return View{}, fmt.Errorf("run %q: %w", run, err)
	}
	out, err := e.apply(ctx, &request{run: run, input: func(m *Machine, s *machine.Snapshot) (machine.Input, error) {
		if s.Status != Finished || s.Outcome != Failed {
			return in, nil
		}
		if row.Parent != "" {
			return in, childTold(m, s, row.Parent)
		}
		var err error
		in.State, err = e.failedIn(ctx, m, s)
		return in, err
	}})
	if err != nil {
		return View{}, err
	}
	return out.view(), nil
}

// childTold is why a child that has ended cannot be retried.
func childTold(m *Machine, s *machine.Snapshot, parent string) *Rejected {
	in := machine.Input{Kind: machine.RetryInput}
	return m.Reject(s, &in, fmt.Sprintf("the run %q, which it is a child of, has its result", parent), ErrFinished)
}

// failedIn is the leaf that a run left for the terminal in which it has ended;
// 0 where there is none.
func (e *Engine) failedIn(ctx context.Context, m *Machine, s *machine.Snapshot) (int, error) {
	const page = 100
	for end := s.Seq; end > 0; end -= page {
		from := max(0, end-page)
		rows, err := e.store.History(ctx, s.Run, from, int(end-from))
		if err != nil {
			return 0, fmt.Errorf("the history of run %q: %w", s.Run, err)
		}
		if end == s.Seq && (len(rows) == 0 || rows[len(rows)-1].Seq < end) {
			return 0, m.Reject(s, &machine.Input{Kind: machine.RetryInput}, "it has failed just now, before the retry could be taken", nil)
		}
		for i := len(rows) - 1; i >= 0; i-- {
			if rows[i].To != rows[i].From {
				state, _ := m.State(rows[i].From)
				return state, nil
			}
		}
	}
	return 0, nil
}

// Refusal is why a run, as a store has listed it with its snapshot, would refuse a
// pause, resume, cancel or retry; nil where it would take it, or has nothing to do.
// What only taking it can tell is not known: what is due before it, what a guard
// says, and whether there is a state in which a failed run can continue.
func (e *Engine) Refusal(ctx context.Context, row *RunRow, kind InputKind) error {
	h, s, err := e.decode(ctx, row)
	if err != nil {
		return err
	}
	if kind == machine.RetryInput && s.Status == Finished && row.Parent != "" {
		return childTold(h.machine, s, row.Parent)
	}
	return h.machine.Refusal(s, kind, e.now())
}

// Complete ends an open activity by hand, as if it had returned. Whoever holds
// the attempt is fenced off: its context is cancelled, and what it returns is
// refused. The error is a *Rejected where the activity is not open or the event
// does not fit; nothing has changed then.
func (e *Engine) Complete(ctx context.Context, run string, c Completion) (View, error) {
	out, err := e.apply(ctx, &request{run: run, input: func(m *Machine, s *machine.Snapshot) (machine.Input, error) {
		return m.CompleteInput(s, &c, e.maxPayload)
	}})
	if err != nil {
		return View{}, err
	}
	return out.view(), nil
}

// steer takes an operator's input.
func (e *Engine) steer(ctx context.Context, c *request, in machine.Input) (View, error) {
	c.input = func(*Machine, *machine.Snapshot) (machine.Input, error) { return in, nil }
	out, err := e.apply(ctx, c)
	if err != nil {
		return View{}, err
	}
	return out.view(), nil
}
