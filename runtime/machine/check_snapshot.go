package machine

import (
	"errors"
	"fmt"
	"slices"
)

// checkSnapshot refuses what no run of the machine can be, so that a snapshot
// that was read back can be stepped without another look.
func (m *Machine) checkSnapshot(s *Snapshot) error {
	if !isToken(s.Token) {
		return fmt.Errorf("%q is no token of a run", shorten(s.Token))
	}
	if s.State < 0 {
		if s.Seq != 0 || s.Status != Running || len(s.Tasks)+len(s.Lists)+len(s.Tries)+len(s.Alarms)+len(s.Kept)+len(s.Executions) > 0 ||
			len(s.OverDue)+len(s.OverDone)+len(s.Stopping) > 0 || s.DoneDue || s.Cancelled || s.Halt != nil || s.Params != nil {
			return errors.New("the run has no state")
		}
		return nil
	}
	state := &m.def.States[s.State]
	switch {
	case state.Kind == CompositeState:
		return fmt.Errorf("state %q is no leaf", state.Path)
	case len(s.Params) != len(m.def.Params):
		return errors.New("the parameters are missing")
	case s.Seq == 0 || s.Visit == 0:
		return errors.New("a count is missing")
	case (s.Status == Halted) != (s.Halt != nil) || s.Halt != nil && s.Halt.Input.Kind == "":
		return errors.New("a halted run has an input that it could not take, and no other has")
	case s.KeptNext > len(s.Kept) || len(s.Kept) > MaxKept:
		return errors.New("the kept events are damaged")
	}
	if err := inPart(m.def.Fields, s.Data); err != nil {
		return err
	}
	for a, n := range s.Counters {
		if arm := &m.arms[a]; n > 0 && !arm.counted || arm.bounded && n > arm.max {
			return fmt.Errorf("the counter of arm %q is over its bound", arm.Name)
		}
	}
	for i := range s.Kept {
		if m.def.Events[s.Kept[i].Event].Internal {
			return errors.New("the kept events are damaged")
		}
	}
	if err := m.checkOverBudget(s); err != nil {
		return err
	}
	if s.Halt != nil && !s.canComeAgain(&s.Halt.Input) {
		return errors.New("the input that halted the run cannot come again")
	}
	for i := range s.Queue {
		switch in := &s.Queue[i]; in.Kind {
		case EventInput, ResultInput, FailureInput:
		default:
			return fmt.Errorf("an input of kind %q cannot wait in the queue", in.Kind)
		}
	}
	if s.Left && !m.calls || s.Forced && s.Status != Ending {
		return errors.New("the run has no children")
	}
	switch s.Status {
	case Finished:
		if s.Outcome != state.Ends() || s.Left || s.hasWork() {
			return errors.New("a finished run has an outcome and nothing open")
		}
		return nil
	case Ending:
		if s.Outcome != "" || !s.Left || s.hasWork() {
			return errors.New("a run that is ending has children, and nothing else open")
		}
		return nil
	}
	if s.Status != Running && s.Status != Halted || s.Outcome != "" || state.Kind == TerminalState {
		return fmt.Errorf("a run in state %q is not %q", state.Path, s.Status)
	}
	if err := m.checkTasks(s, state); err != nil {
		return err
	}
	return m.checkAlarms(s)
}

// hasWork reports whether there is something in s that only a run which goes on has.
func (s *Snapshot) hasWork() bool {
	return len(s.Tasks)+len(s.Lists)+len(s.Tries)+len(s.Alarms)+len(s.Executions) > 0 || s.DoneDue
}

// canComeAgain reports whether a halted run, which has not changed since, could
// take the input that halted it.
func (s *Snapshot) canComeAgain(in *Input) bool {
	switch {
	case in.Queued && !s.nextInQueue(in):
		return false
	case in.Kind == ResultInput, in.Kind == FailureInput:
		return s.openTask(in) >= 0
	case in.Kind == TimerInput:
		return s.alarm(in.Timer) >= 0
	case in.Kind == DoneInput:
		return s.DoneDue
	case in.Kind == KeptInput:
		return s.KeptNext < len(s.Kept)
	case in.Kind == OverBudgetInput:
		return len(s.OverDue) > 0 && s.OverDue[0] == in.Over
	}
	return in.Kind == CancelInput
}

// checkOverBudget refuses what a run that is held to no budget has not, and costs that are
// in none.
func (m *Machine) checkOverBudget(s *Snapshot) error {
	if len(s.OverDue) > 0 && s.Halt == nil {
		return errors.New("over_budget is due, and was not taken")
	}
	for _, list := range [][]string{s.OverDue, s.OverDone} {
		for i, name := range list {
			if !m.enforces || m.line(name) < 0 || i > 0 && list[i-1] >= name {
				return errors.New("the costs over their budget are damaged")
			}
		}
	}
	for _, list := range [][]Task{s.Tasks, s.Stopping} {
		for i := range list {
			t := &list[i]
			if t.Do < 0 || t.Begun == "" && t.Reported != nil || t.Begun != "" && !m.Begins(s, t.Do) {
				return errors.New("an attempt that has begun is damaged")
			}
		}
	}
	for i := range s.Stopping {
		if s.Stopping[i].Begun == "" || s.Stopping[i].Key == "" {
			return errors.New("an attempt that stops is damaged")
		}
	}
	return nil
}

func (m *Machine) checkTasks(s *Snapshot, state *State) error {
	tasks, lists := s.Tasks, s.Lists
	for _, do := range state.Dos {
		n := 1
		if m.dos[do].Fan != nil {
			if len(lists) == 0 || lists[0].Do != do {
				return fmt.Errorf("the list of %q is missing", m.dos[do].Name)
			}
			n = int(lists[0].Items.n)
			lists = lists[1:]
		}
		if len(tasks) < n {
			return fmt.Errorf("state %q has %d activities, and some have no task", state.Path, len(state.Dos))
		}
		for i := range tasks[:n] {
			if !m.isTask(&tasks[i], do, i) {
				return errTask
			}
		}
		tasks = tasks[n:]
	}
	if len(tasks)+len(lists) > 0 {
		return fmt.Errorf("state %q has %d activities, and there are other tasks", state.Path, len(state.Dos))
	}
	return m.checkExecutions(s)
}

// isTask reports whether t can be the task of a do, or of one of its elements.
func (m *Machine) isTask(t *Task, do, index int) bool {
	switch {
	case t.Do != do || t.Index != index:
		return false
	case m.dos[do].Fan == nil:
		return (t.State == TaskOpen || t.State == TaskEnded) && t.Key != "" && t.Attempt >= 1
	case t.State == TaskEnded || t.State == TaskWaiting && t.Attempt == 0:
		return t.Key == "" && t.Attempt == 0 && t.NotBefore.IsZero() && t.Begun == ""
	}
	return (t.State == TaskOpen || t.State == TaskWaiting) && t.Key != "" && t.Attempt >= 1
}

func (m *Machine) checkExecutions(s *Snapshot) error {
	for i, x := range s.Executions {
		if x.Do < 0 || i > 0 && compareExecutions(s.Executions[i-1], x) >= 0 || m.dos[x.Do].Scope.Kind == PerVisit || x.Key == "" || x.Attempt < 1 ||
			x.Index >= MaxElements || m.dos[x.Do].Fan == nil && x.Index > 0 || (m.dos[x.Do].Fan == nil) != (x.Item == "") {
			return errors.New("an open execution is damaged")
		}
	}
	for i, x := range s.Tries {
		if x.Do < 0 || x.Arm < 0 || x.Index >= MaxElements || m.dos[x.Do].Fan == nil || m.arms[x.Arm].Kind != RetryArm ||
			x.Used < 1 || m.arms[x.Arm].bounded && x.Used > m.arms[x.Arm].max || i > 0 && compareTries(s.Tries[i-1], x) >= 0 {
			return errors.New("the retries of an element are damaged")
		}
	}
	return nil
}

func (m *Machine) checkAlarms(s *Snapshot) error {
	path := m.states[s.State].path
	depth := 0
	for i, a := range s.Alarms {
		if a.Timer < 0 || a.Wait < 0 || a.Due.IsZero() || a.Wait > 0 && !m.def.Timers[a.Timer].Idle {
			return errors.New("a timer is damaged")
		}
		state := m.def.Timers[a.Timer].State
		d := m.states[state].depth()
		twice := slices.ContainsFunc(s.Alarms[:i], func(b Alarm) bool { return b.Timer == a.Timer })
		if d < depth || d >= len(path) || path[d] != state || twice {
			return errors.New("a timer is damaged")
		}
		depth = d
	}
	return nil
}

// checkInput refuses an input that lacks what one of its kind has.
func (m *Machine) checkInput(in *Input) error {
	ok := false
	switch in.Kind {
	case StartInput:
		ok = len(in.Data) == len(m.def.Params) && isToken(in.Token)
	case EventInput, KeptInput:
		ok = in.Event >= 0 && len(in.Data) == len(m.def.Events[in.Event].Fields)
	case ResultInput:
		ok = m.hasElement(in) && (in.Event < 0 || len(in.Data) == len(m.def.Events[in.Event].Fields))
	case FailureInput:
		ok = m.hasElement(in) && in.Category >= 0
	case TimerInput:
		ok = in.Timer >= 0
	case ProgressInput:
		ok = !in.Since.IsZero()
	case LateInput, LostInput, ReturnInput, BeginInput, SpentInput:
		ok = m.hasElement(in)
	case ToldInput:
		ok = in.Key == "" || m.hasElement(in)
	case OverBudgetInput:
		ok = in.Over != ""
	case MigrateInput:
		ok = in.Migration != nil && in.Migration.Snapshot != nil
	case DoneInput, CancelInput, PauseInput, ResumeInput, RetryInput, RepairInput, StoppedInput:
		ok = true
	}
	if !ok {
		return fmt.Errorf("an input of kind %q is incomplete", in.Kind)
	}
	return nil
}

// hasElement reports whether an input names a do, and an element where it has some.
func (m *Machine) hasElement(in *Input) bool {
	return in.Do >= 0 && in.Index < MaxElements && (in.Index == 0 || m.dos[in.Do].Fan != nil)
}
