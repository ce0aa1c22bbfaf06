package machine

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
)

// A do that calls a machine runs a child. To the step it is an activity whose attempts are
// runs: its results are the terminals of the child, and a retry is another child. What the
// step must know besides is whether a child may still go on that the run has left: by a
// transition, because its `timeout` has passed, or because an operator has ended the do. A
// run with such a child is not finished when it is over. It is ending, takes no more than a
// cancel with force, and finishes with StoppedInput.

// MaxChildID is the most bytes that the id of a child may have.
const MaxChildID = 1000

// ChildID is the id of the run that an attempt of a do that calls a machine is:
// "PARENT/STATE.LABEL.VISIT.ATTEMPT", and the index behind that of an element. Attempts are
// counted through the visit.
func (m *Machine) ChildID(s *Snapshot, t *Task) string {
	do := &m.dos[t.Do]
	id := s.Run + "/" + m.def.States[do.State].Path + "." + m.def.labelOf(do.Do) + "." +
		strconv.FormatInt(s.Visit, 10) + "." + strconv.Itoa(t.Attempt)
	if do.Fan != nil {
		return ElementName(id, t.Index)
	}
	return id
}

// labelOf names a do among those of its state.
func (d *Definition) labelOf(do *Do) string {
	return cmp.Or(do.Label, d.Activities[do.Activity].Name)
}

// Calls reports whether some do of the machine runs a child.
func (m *Machine) Calls() bool { return m.calls }

// Callee is the hash of the definition that an attempt of do runs as a child; empty for an
// activity of the host.
func (m *Machine) Callee(do int) string { return m.def.Activities[m.dos[do].Activity].Callee }

// ToldInput is what the child tells of what it and those below it have used: total, of which
// the run knows told. Of the task the do, the key and the number of the attempt are read; it
// is nil where the run has left the child behind.
func (m *Machine) ToldInput(s *Snapshot, t *Task, child string, total, told []Cost) Input {
	in := Input{Kind: ToldInput, Actor: child}
	if t != nil {
		in.Do, in.Index, in.Key, in.Attempt = t.Do, t.Index, t.Key, t.Attempt
	}
	in.AddBelow(s, total, told)
	return in
}

// AddBelow adds to an input what a child has used, as far as the run can count it: total, of
// which the run knows told.
func (in *Input) AddBelow(s *Snapshot, total, told []Cost) {
	more := map[string]json.Number{}
	for _, c := range beyond(total, told) {
		more[c.Name] = json.Number(c.Amount)
	}
	in.Below, in.Uncounted = CountedCosts(more, s.Spent)
}

// Returned are the fields that a run returns which ends in a state, by its index.
func (m *Machine) Returned(state int) []Field { return m.states[state].returned }

// EndedInput is what a child that has ended tells its parent: the terminal that it is in with
// what that returns, or that it was cancelled. Of the task the do, the key and the number of
// the attempt are read; it is of m, the child of callee.
func (m *Machine) EndedInput(t *Task, callee *Machine, child *Snapshot, maxPayload int) Input {
	state := &callee.def.States[child.State]
	if state.Kind != TerminalState {
		return m.FailureInput(t, "cancelled", "the run "+strconv.Quote(child.Run)+" was cancelled")
	}
	return m.EndInput(t, state.Path, callee.View(child).Returns, maxPayload)
}

// Over reports whether a run of that status takes no event any more.
func (s Status) Over() bool { return s == Finished || s == Ending }

// Ends is the outcome of a run that is over in that state.
func (s *State) Ends() Outcome {
	if s.Kind == TerminalState {
		return s.Outcome
	}
	return Cancelled
}

// noteLeft notes that the child of the attempt that the input is of may go on: of what ends
// an attempt only the `timeout` and an operator, who is no worker, do not wait for it.
func (t *step) noteLeft() {
	if !t.m.dos[t.in.Do].calls {
		return
	}
	late := t.in.Kind == FailureInput && t.m.def.Categories[t.in.Category] == "timeout"
	t.next.Left = t.next.Left || late || t.in.Worker == ""
}

// admitEnding refuses what a run does not take that only waits for its children.
func (m *Machine) admitEnding(s *Snapshot, in *Input) error {
	switch {
	case in.Kind == StoppedInput, in.Kind == RepairInput, in.Kind == CancelInput && in.Force:
		return nil
	case in.Kind == KeptInput:
		return m.admitDue(s, in, s.Now)
	case in.Queued:
		return nil
	}
	switch in.Kind {
	case EventInput, CancelInput, PauseInput, ResumeInput, RetryInput:
		return m.Reject(s, in, "the run is over, and waits for its children to end", ErrFinished)
	}
	return ErrFinished
}

// StoppedInput finishes a run that is ending, once its children have ended. The error is a *Rejected for
// any other run.
func (m *Machine) StoppedInput(s *Snapshot) (Input, error) {
	in := Input{Kind: StoppedInput}
	if s.Status != Ending {
		return in, m.Reject(s, &in, "the run is "+string(s.Status), ErrFinished)
	}
	return in, nil
}

// takeStopped finishes a run whose children have ended.
func (t *step) takeStopped() error {
	if t.old.Status != Ending {
		return errors.New("the run is not ending")
	}
	n := t.next
	n.Status, n.Left, n.Forced, n.Outcome = Finished, false, false, t.m.def.States[n.State].Ends()
	t.record.Effect, t.idle = Over, false
	t.commands = append(t.commands, Command{Kind: Finish, Outcome: n.Outcome})
	return nil
}
