package machine

import "time"

// Retry is what an operator asks for where a run does not go on by itself: a
// halted one takes the same input again; activities that wait for their
// backoff are tried at once; one that ended in failure continues in the
// leaf in which it failed. With Allow a run that a cost, or the time of its budget, has halted
// goes on without that input, and it holds nothing back any more.

// notOverBudget is why a retry over a budget is refused.
const notOverBudget = "nothing that passes its budget has halted the run"

// passes reports whether in says that a cost, or the time, has passed its budget.
func (m *Machine) passes(in *Input) bool {
	return in.Kind == OverBudgetInput || in.Kind == TimerInput && m.def.Timers[in.Timer].Budget
}

// admitEnded refuses to retry a run that has not ended in failure.
func (m *Machine) admitEnded(s *Snapshot, in *Input) error {
	switch {
	case in.Allow:
		return m.Reject(s, in, notOverBudget, ErrFinished)
	case s.Outcome != Failed:
		return m.Reject(s, in, "the run ended as "+string(s.Outcome)+", and only one that ended in failure can be retried", ErrFinished)
	case in.State <= 0 || in.State >= len(m.def.States) || m.def.States[in.State].Kind != LeafState:
		return m.Reject(s, in, "no state is known in which the run failed", ErrFinished)
	}
	return nil
}

// admitBackoff refuses a retry of a running run in which nothing waits.
func (m *Machine) admitBackoff(s *Snapshot, in *Input, now time.Time) error {
	for i := range s.Tasks {
		if s.Tasks[i].waits(now) && !s.inQueue(&s.Tasks[i]) {
			return nil
		}
	}
	return m.Reject(s, in, "no activity waits to be tried again", nil)
}

// waits reports whether a task is one that will be tried later.
func (t *Task) waits(now time.Time) bool { return t.State != TaskEnded && t.NotBefore.After(now) }

func (t *step) takeRetry() error {
	switch t.old.Status {
	case Halted:
		if t.in.Allow {
			if halt := &t.old.Halt.Input; halt.Kind == TimerInput {
				t.spendTimer(halt.Timer)
			} else {
				t.passBudget()
			}
			t.next.Status, t.next.Halt = Running, nil
			t.record.Effect, t.idle = Ignored, false
			return nil
		}
		return t.retakeHalted()
	case Finished:
		return t.tryAgain()
	}
	t.record.Effect, t.idle = Retried, false
	own(&t.ownsTasks, &t.next.Tasks)
	for i := range t.next.Tasks {
		task := t.next.Tasks[i]
		if !task.waits(t.at) {
			continue
		}
		task.NotBefore = time.Time{}
		t.next.Tasks[i] = task
		if task.State == TaskOpen {
			t.commands = append(t.commands, Command{Kind: ReadyTask, Task: task})
		}
	}
	for i := range t.next.Lists {
		t.fill(t.next.Lists[i].Do)
	}
	return nil
}

// retakeHalted takes the input that halted the run again. The record is of
// the retry; the line of the halt has the input.
func (t *step) retakeHalted() error {
	operator := *t.in
	*t.in = t.old.Halt.Input
	t.next.Status, t.next.Halt = Running, nil
	err := t.take()
	*t.in, t.silent = operator, false
	return err
}

// tryAgain enters again the leaf in which a run failed, as from outside. Every arm
// that can be taken there has its bound again: the run would else fail again at
// once.
func (t *step) tryAgain() error {
	leaf := t.in.State
	t.record.Effect = Moved
	t.next.Outcome, t.next.Cancelled = "", false
	for _, h := range t.m.def.States[leaf].Handlers {
		t.resetCounters(h.Arms)
	}
	t.enterState(0)
	return t.enter(leaf, 0, -1)
}
