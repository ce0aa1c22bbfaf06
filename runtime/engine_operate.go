package runtime

import (
	"context"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Pause stops a run from moving. Attempts under way go on, and nothing new starts. Their results,
// and events from outside, wait. Timers keep their remaining time. A deadline, which is a point
// in time, does not shift, and a wait before a retry goes on. Pausing a paused run does nothing.
// A paused run takes Cancel. The runs below it are paused, too, unless they have ended or are
// halted.
//
// The error is a *Rejected for a run that has ended or is halted, and ErrNotFound if there is no
// such run.
func (e *Engine) Pause(ctx context.Context, run string, o Operator) (View, error) {
	return e.steerTree(ctx, &request{run: run}, machine.Input{Kind: machine.PauseInput, Actor: o.Actor, Reason: o.Reason})
}

// Resume lets a paused run go on. The run takes what has arrived meanwhile, in order: first the
// timers whose deadline has passed, then each input as if it came now. It drops an event that it
// does not take any more, with a line of history. Resuming a run that is not paused does nothing.
// The runs below it resume, too, also those that were paused alone.
func (e *Engine) Resume(ctx context.Context, run string, o Operator) (View, error) {
	return e.steerTree(ctx, &request{run: run, resumes: true}, machine.Input{Kind: machine.ResumeInput, Actor: o.Actor, Reason: o.Reason})
}

// Retry lets a stopped run continue. A halted run takes the input that halted it again.
// Activities that wait for their backoff start at once. A run that ended in failure continues in
// the state in which it failed, as if it had entered that state from outside; the bounds of that
// state start again from zero. A child that has ended refuses: its parent has the result. The
// error is a *Rejected if there is nothing to retry.
func (e *Engine) Retry(ctx context.Context, run string, o Operator) (View, error) {
	return e.retry(ctx, run, machine.Input{Kind: machine.RetryInput, Actor: o.Actor, Reason: o.Reason})
}

// RetryOverBudget lets a run continue that is halted because a cost, or its time, passed the
// budget and nothing takes over_budget in its state. The run continues without that input, and
// the budget of this cost holds nothing back any more. The error is a *Rejected if no budget has
// halted the run.
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
	return e.applyView(ctx, &request{run: run, input: func(m *Machine, s *machine.Snapshot) (machine.Input, error) {
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
}

// childTold is why a child that has ended cannot be retried.
func childTold(m *Machine, s *machine.Snapshot, parent string) *Rejected {
	in := machine.Input{Kind: machine.RetryInput}
	return m.Reject(s, &in, fmt.Sprintf("the run %q, which it is a child of, has its result", parent), ErrFinished)
}

// failedIn is the leaf that a run left for the terminal in which it has ended;
// 0 where there is none.
func (e *Engine) failedIn(ctx context.Context, m *Machine, s *machine.Snapshot) (int, error) {
	newest := int64(0)
	left, err := e.lastRecord(ctx, s.Run, s.Seq, func(h *store.HistoryRow) bool {
		newest = max(newest, h.Seq)
		return h.To != h.From
	})
	switch {
	case err != nil:
		return 0, err
	case newest < s.Seq:
		return 0, m.Reject(s, &machine.Input{Kind: machine.RetryInput}, "it has failed just now, before the retry could be taken", nil)
	case left == nil:
		return 0, nil
	}
	state, _ := m.State(left.From)
	return state, nil
}

// Refusal is why a run, as a store has listed it with its snapshot, would refuse a pause, resume,
// cancel or retry. It is nil if the run would take the command, or if the command would do
// nothing. It does not know what only the step can tell: what is due before it, what a guard
// answers, and whether there is a state in which a failed run can continue.
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

// Complete ends an open activity by hand, as if it had returned. A worker that has the attempt is
// fenced off: the context of the activity is cancelled, and what it returns is refused. The error
// is a *Rejected if the activity is not open or the event does not fit; then nothing has changed.
func (e *Engine) Complete(ctx context.Context, run string, c Completion) (View, error) {
	return e.applyView(ctx, &request{run: run, input: func(m *Machine, s *machine.Snapshot) (machine.Input, error) {
		return m.CompleteInput(s, &c, e.maxPayload)
	}})
}

// steer takes an operator's input.
func (e *Engine) steer(ctx context.Context, c *request, in machine.Input) (View, error) {
	c.input = func(*Machine, *machine.Snapshot) (machine.Input, error) { return in, nil }
	return e.applyView(ctx, c)
}

// applyView is the run after a request.
func (e *Engine) applyView(ctx context.Context, c *request) (View, error) {
	out, err := e.apply(ctx, c)
	if err != nil {
		return View{}, err
	}
	return out.view(), nil
}
