package simulate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Move is what comes next. Its Kind is EventInput, ResultInput, FailureInput, ProgressInput (an
// attempt makes a checkpoint), LostInput (its worker is lost), TimerInput (time passes),
// CancelInput, PauseInput or ResumeInput.
type Move struct {
	Kind machine.InputKind
	Do   string                 // of a result or a failure: which attempt, as View has it; a label or an activity where that names one
	Text string                 // of a failure: its message
	Name string                 // of an event, or a result, empty for one that has nothing to say; of a failure its category
	Data json.RawMessage        // of an event or a result: the object of its fields
	Cost map[string]json.Number // of a result, a failure or a checkpoint: what the attempt has used

	// Pass is how much time passes; 0 of TimerInput means until the next timer is due, or the
	// next retry may begin.
	Pass  time.Duration
	Force bool // of cancel
}

// make makes a move on the run at hand.
func (s *Simulation) make(at *state) error {
	move := &at.move
	switch move.Kind {
	case machine.EventInput:
		in, err := s.machine.EventInput(at.snapshot, machine.ExternalEvent{Name: move.Name, Data: move.Data}, machine.MaxPayload)
		if err != nil {
			return err
		}
		return s.advance(at, in)
	case machine.ResultInput, machine.FailureInput:
		return s.endAttempt(at)
	case machine.ProgressInput:
		return s.checkpoint(at)
	case machine.LostInput:
		return s.lose(at)
	case machine.TimerInput:
		return s.wait(at)
	case machine.CancelInput, machine.PauseInput, machine.ResumeInput:
		err := s.advance(at, machine.Input{Kind: move.Kind, Event: -1, Force: move.Force})
		if err == nil && len(at.records) == 0 {
			err = fmt.Errorf("%s changes nothing here", move.Kind)
		}
		return err
	}
	return fmt.Errorf("there is no move %q", move.Kind)
}

// wait lets time pass.
func (s *Simulation) wait(at *state) error {
	if at.move.Pass > 0 {
		return s.pass(at, at.now.Add(at.move.Pass))
	}
	next := s.nextMoment(at)
	if next.IsZero() {
		return errors.New("no timer runs: nothing happens by itself")
	}
	return s.pass(at, next)
}

// NextMoment is when something may happen next by itself; zero for never.
func (s *Simulation) NextMoment() time.Time { return s.nextMoment(s.last()) }

// nextMoment is when something may happen next by itself; zero for never.
func (s *Simulation) nextMoment(at *state) time.Time {
	if at.snapshot.Status != machine.Running || !at.snapshot.PausedAt.IsZero() {
		return time.Time{}
	}
	next := at.snapshot.NextDue()
	for _, t := range at.snapshot.HandedOut() {
		if t.NotBefore.After(at.now) && (next.IsZero() || t.NotBefore.Before(next)) {
			next = t.NotBefore
		}
	}
	return next
}

// endAttempt ends an attempt, after the wait of a retry where it has to.
func (s *Simulation) endAttempt(at *state) error {
	move, d := &at.move, s.machine.Definition()
	t, err := s.attempt(at.snapshot, at.move.Do)
	if err != nil {
		return err
	}
	if t.NotBefore.After(at.now) {
		if err := s.pass(at, t.NotBefore); err != nil {
			return err
		}
		if !at.snapshot.IsOpen(&t) {
			return fmt.Errorf("%s begins only when its retry has waited, and is not under way any more then: let that time pass first", move.Do)
		}
		if err := s.settle(at); err != nil { // it begins
			return err
		}
	}
	var in machine.Input
	if move.Kind == machine.ResultInput {
		if in, err = s.machine.ResultInput(&t, move.Name, move.Data, machine.MaxPayload); err != nil {
			return err
		}
	} else {
		category, ok := s.machine.Category(move.Name)
		if do := &d.Dos[t.Do]; !ok || !d.CanFail(do, category) {
			return fmt.Errorf("%s does not fail with %q%s", s.machine.TaskName(&t), move.Name, machine.DidYouMean(move.Name, s.categories(t.Do)))
		}
		in = s.machine.FailureInput(&t, move.Name, move.Text)
	}
	if err := s.count(at, &in); err != nil {
		return err
	}
	return s.advance(at, in)
}

// count gives an input what the move at hand says that the attempt has used: a child with all that
// it has started.
func (s *Simulation) count(at *state, in *machine.Input) error {
	costs, uncounted := machine.CountedCosts(at.move.Cost, at.snapshot.Spent)
	if len(uncounted) > 0 {
		return fmt.Errorf("cost %s=%s cannot be counted", uncounted[0].Name, uncounted[0].Amount)
	}
	if s.machine.Callee(in.Do) != "" {
		in.Below = costs
	} else {
		in.Cost = costs
	}
	return nil
}

// checkpoint has an attempt make a checkpoint: `idle` timers start again. What it has used by then
// counts first, as it does for a worker.
func (s *Simulation) checkpoint(at *state) error {
	t, err := s.attempt(at.snapshot, at.move.Do)
	if err != nil {
		return err
	}
	if len(at.move.Cost) > 0 {
		if !s.machine.Begins(at.snapshot, t.Do) {
			return fmt.Errorf("what %s uses counts when it ends: the run is held to no budget of what it declares", at.move.Do)
		}
		in := machine.NoteInput(machine.SpentInput, &t, "")
		in.Worker = worker
		if s.machine.Callee(t.Do) != "" {
			in = s.machine.ToldInput(at.snapshot, &t, s.machine.ChildID(at.snapshot, &t), nil, nil)
		}
		if err := s.count(at, &in); err != nil {
			return err
		}
		if err := s.advance(at, in); err != nil || !at.snapshot.IsOpen(&t) {
			return err
		}
	}
	in, starts := s.machine.ProgressInput(at.snapshot, at.now)
	if !starts {
		return nil // nothing waits for it
	}
	return s.advance(at, in)
}

// mostLost is how often an attempt is handed out again whose worker was lost, unless an engine
// is told otherwise.
const mostLost = 5

// lose loses the worker of an attempt, as an engine finds out by its heartbeats or checkpoints,
// or by its lease.
func (s *Simulation) lose(at *state) error {
	t, err := s.attempt(at.snapshot, at.move.Do)
	if err != nil {
		return err
	}
	lost := 0
	for _, r := range s.Records() {
		if r.Input.Kind == machine.LostInput && r.Input.Key == t.Key && r.Input.Attempt == t.Attempt {
			lost++
		}
	}
	switch do := &s.machine.Definition().Dos[t.Do]; {
	case do.Heartbeat != nil:
		return s.advance(at, s.machine.FailureInput(&t, "silent", "its worker was lost"))
	case do.Progress != nil:
		return s.advance(at, s.machine.FailureInput(&t, "stalled", "its worker was lost"))
	case lost >= mostLost:
		return s.advance(at, s.machine.FailureInput(&t, "unknown", "its workers were lost"))
	}
	return s.advance(at, machine.NoteInput(machine.LostInput, &t, ""))
}

// attempt is the one under way that a name means.
func (s *Simulation) attempt(run *machine.Snapshot, do string) (machine.Task, error) {
	var found []machine.Task
	var names []string
	for _, t := range run.HandedOut() {
		full, short := s.names(&t)
		if do == full {
			return t, nil
		}
		if slices.Contains(short, do) || s.oneOf(&t, do) {
			found = append(found, t)
		}
		names = append(names, full)
		names = append(names, short...)
	}
	switch len(found) {
	case 0:
		return machine.Task{}, fmt.Errorf("%q is not under way%s", do, machine.DidYouMean(do, names))
	case 1:
		return found[0], nil
	}
	full, short := s.names(&found[0])
	i := slices.IndexFunc(short, func(name string) bool { return name != do })
	if i < 0 {
		return machine.Task{}, &Unlabelled{do, full}
	}
	return machine.Task{}, fmt.Errorf("%q is more than one attempt: write it as %s", do, short[i])
}

// Unlabelled is the error of a name that means executions without labels. Full is the whole name of the first.
type Unlabelled struct{ Name, Full string }

func (e *Unlabelled) Error() string {
	return fmt.Sprintf("%q is more than one attempt: write it as %s", e.Name, e.Full)
}

// oneOf reports whether name is the label or the activity of an attempt that is one of several
// elements: where it is the only one under way, it needs no index.
func (s *Simulation) oneOf(t *machine.Task, name string) bool {
	d := s.machine.Definition()
	do := &d.Dos[t.Do]
	return do.Fan != nil && name != "" && (name == do.Label || name == d.Activities[do.Activity].Name)
}

// names are that of an attempt, and the shorter ones, which others may have, too: those of the
// label and of the activity, with the index of the element.
func (s *Simulation) names(t *machine.Task) (full string, short []string) {
	d := s.machine.Definition()
	do := &d.Dos[t.Do]
	full = s.machine.TaskName(t)
	_, index, element := machine.CutElement(full)
	for _, name := range []string{do.Label, d.Activities[do.Activity].Name} {
		if name == "" {
			continue
		}
		if element {
			name = machine.ElementName(name, index)
		}
		short = append(short, name)
	}
	return full, short
}

// Name is the shortest name that means this attempt alone, of those under way.
func (s *Simulation) Name(t *machine.Task) string {
	full, short := s.names(t)
	for _, name := range short {
		if _, err := s.Attempt(name); err == nil {
			return name
		}
	}
	return full
}

// categories are those with which an attempt of a do may fail.
func (s *Simulation) categories(do int) (names []string) {
	d := s.machine.Definition()
	for i, name := range d.Categories {
		if d.CanFail(&d.Dos[do], i) {
			names = append(names, name)
		}
	}
	return names
}
