package runtime

import (
	"context"
	"encoding/json"
	"fmt"
)

// Operator is who steers a run, and why. Both stand in its history.
type Operator struct {
	Actor  string
	Reason string
}

// Pause stops a run from moving: attempts under way go on, nothing new starts,
// what they return and events from outside wait, and timers keep what remained
// of their time. A deadline, which is a time of the world, stays where it is. A
// wait before a retry goes on. Pausing a paused run does nothing. Cancel is
// taken all the same.
//
// The error is a *Rejected for a run that has ended or is halted, and
// ErrNotFound where there is none.
func (e *Engine) Pause(ctx context.Context, run string, o Operator) (View, error) {
	return e.steer(ctx, &request{run: run}, Input{Kind: PauseInput, Actor: o.Actor, Reason: o.Reason})
}

// Resume lets a paused run go on, and takes what has come meanwhile, in order:
// first the timers whose deadline has passed, then each as if it came now. An
// event that the run does not take any more is dropped, with a line of history.
// Resuming a run that is not paused does nothing.
func (e *Engine) Resume(ctx context.Context, run string, o Operator) (View, error) {
	return e.steer(ctx, &request{run: run, resumes: true}, Input{Kind: ResumeInput, Actor: o.Actor, Reason: o.Reason})
}

// Retry lets what has stopped continue: a halted run takes the
// input again that halted it; activities that wait for their backoff are tried
// at once; a run that ended in failure continues in the state in which
// it failed, as if entered from outside, with the bounds of all that it can take
// there again. The error is a *Rejected where there is nothing of the kind.
func (e *Engine) Retry(ctx context.Context, run string, o Operator) (View, error) {
	in := Input{Kind: RetryInput, Actor: o.Actor, Reason: o.Reason}
	// What is due is written first: the run may fail by it, and where it failed
	// is read from its history.
	if _, err := e.apply(ctx, &request{run: run}); err != nil {
		return View{}, err
	}
	out, err := e.apply(ctx, &request{run: run, input: func(m *Machine, s *Snapshot) (Input, error) {
		if s.Status != Finished || s.Outcome != Failed {
			return in, nil
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

// failedIn is the leaf that a run left for the terminal in which it has ended;
// 0 where there is none.
func (e *Engine) failedIn(ctx context.Context, m *Machine, s *Snapshot) (int, error) {
	const page = 100
	for end := s.Seq; end > 0; end -= page {
		from := max(0, end-page)
		rows, err := e.store.History(ctx, s.Run, from, int(end-from))
		if err != nil {
			return 0, fmt.Errorf("the history of run %q: %w", s.Run, err)
		}
		if end == s.Seq && (len(rows) == 0 || rows[len(rows)-1].Seq < end) {
			return 0, m.reject(s, &Input{Kind: RetryInput}, "it has failed just now, before the retry could be taken", nil)
		}
		for i := len(rows) - 1; i >= 0; i-- {
			if rows[i].To != rows[i].From {
				return m.index.states[rows[i].From], nil
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
	in := Input{Kind: kind}
	if err != nil || s.standsAlready(&in) || kind == RetryInput && s.Status == Finished && s.Outcome == Failed {
		return err
	}
	return h.machine.admit(s, &in, stepTime(s, e.now()))
}

// Completion is how an operator ends an activity that was done outside.
type Completion struct {
	// Activity is the activity's name, or where the state has several attempts
	// of it open the label or the name of its `do`.
	Activity string
	Event    string          // that it raises; empty where it has nothing to say
	Data     json.RawMessage // the object of the event's fields
	Operator
}

// Complete ends an open activity by hand, as if it had returned. Whoever holds
// the attempt is fenced off: its context is cancelled, and what it returns is
// refused. The error is a *Rejected where the activity is not open or the event
// does not fit; nothing has changed then.
func (e *Engine) Complete(ctx context.Context, run string, c Completion) (View, error) {
	out, err := e.apply(ctx, &request{run: run, input: func(m *Machine, s *Snapshot) (Input, error) {
		in := Input{Kind: ResultInput, Event: -1, Actor: c.Actor, Reason: c.Reason}
		refuse := func(why string, err error) error {
			r := m.reject(s, &in, why, err)
			r.Input = CompleteRefused
			return r
		}
		if s.Status != Running {
			err := map[Status]error{Halted: ErrHalted, Finished: ErrFinished}[s.Status]
			return in, refuse(err.Error(), err)
		}
		t, why := m.openActivity(s, c.Activity)
		if why != "" {
			return in, refuse(why, nil)
		}
		in.Do, in.Key, in.Attempt = t.Do, t.Key, t.Attempt
		if s.inQueue(&in) {
			return in, refuse("it has returned, and is taken when the run resumes", nil)
		}
		if err := e.readResult(m, &in, c.Event, c.Data); err != nil {
			return in, refuse(err.Error(), err)
		}
		return in, nil
	}})
	if err != nil {
		return View{}, err
	}
	return out.view(), nil
}

// CompleteRefused is the Input of the *Rejected of a Complete.
const CompleteRefused InputKind = "complete"

// openActivity finds the open task that an operator means, or says why not.
func (m *Machine) openActivity(s *Snapshot, name string) (found *Task, why string) {
	var open []string
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.State != TaskOpen {
			continue
		}
		do := m.dos[t.Do]
		activity := m.def.Activities[do.Activity].Name
		open = append(open, activity)
		switch {
		case name == do.Name || name == do.Label:
			return t, ""
		case name == activity && found != nil:
			return nil, fmt.Sprintf("several attempts of activity %q are open; the label or the name of its do says which: %q or %q",
				name, m.dos[found.Do].Name, do.Name)
		case name == activity:
			found = t
		}
	}
	switch {
	case found != nil:
		return found, ""
	case len(open) == 0:
		return nil, fmt.Sprintf("activity %q is not open there, and no other is", name)
	}
	return nil, fmt.Sprintf("activity %q is not open there, expected %s%s", name, alternatives(open), didYouMean(name, open))
}

// steer takes an operator's input.
func (e *Engine) steer(ctx context.Context, c *request, in Input) (View, error) {
	c.input = func(*Machine, *Snapshot) (Input, error) { return in, nil }
	out, err := e.apply(ctx, c)
	if err != nil {
		return View{}, err
	}
	return out.view(), nil
}

// readResult reads what an activity raises against what it declares.
func (e *Engine) readResult(m *Machine, in *Input, event string, data json.RawMessage) error {
	activity := &m.def.Activities[m.def.Dos[in.Do].Activity]
	var names []string
	for _, r := range activity.Results {
		names = append(names, m.def.Events[r].Name)
		if m.def.Events[r].Name == event {
			in.Event = r
		}
	}
	switch {
	case event == "" && len(names) == 0:
		return nil
	case event == "":
		return fmt.Errorf("it names no event, expected %s", alternatives(names))
	case len(names) == 0:
		return fmt.Errorf("activity %q has nothing to say, found event %q", activity.Name, event)
	case in.Event < 0:
		return fmt.Errorf("activity %q does not raise %q, expected %s%s",
			activity.Name, event, alternatives(names), didYouMean(event, names))
	}
	if why := e.oversized(data); why != "" {
		return fmt.Errorf("event %q: %s", event, why)
	}
	var err error
	if in.Data, err = m.DecodePayload(in.Event, data); err != nil {
		return fmt.Errorf("event %q: %w", event, err)
	}
	return nil
}
