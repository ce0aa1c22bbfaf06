package fsmtest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Path is a run from its start, input by input.
type Path struct {
	ID     string // of the run, for a machine that reads it; "run" unless given
	Params any    // as for Start
	Steps  []Step
}

// Step is one input of a Path, and what comes of it. Input is a kind and what tells
// it apart from others of that kind: "event StartReview", "kept StartReview" (one
// that was deferred), "result DiffLoaded", "failure timeout", "timer Idle after 24h",
// "done", "cancel", "over_budget usd".
type Step struct {
	After time.Duration // since the start; where the run waits longer, then that
	Input string
	Do    string   // of a result and a failure: the name of the do, "FetchingDiff.fetch_diff"
	Data  any      // of an event and a result, as for Raises
	Yes   []string // host guards that say yes; the others say no
	Arm   string   // that is taken, by its name in history: "Idle on StartReview"
	To    string   // the state in which the run stands then
}

// Walk takes a machine along paths, and fails the test if a step is not taken or leads to another
// state. Nothing runs: the machine gets each input at its time, whatever else might come before
// it.
func Walk(t *testing.T, m *runtime.Machine, paths ...Path) {
	t.Helper()
	for i := range paths {
		w := &walker{m: m, d: m.Definition(), start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		w.now = w.start
		if err := w.begin(cmp.Or(paths[i].ID, "run"), paths[i].Params); err != nil {
			t.Errorf("path %d: the start: %v", i, err)
			continue
		}
		for k := range paths[i].Steps {
			step := &paths[i].Steps[k]
			from := w.state()
			w.overs = oversBehind(paths[i].Steps[k+1:])
			if err := w.take(step); err != nil {
				t.Errorf("path %d, step %d: %s in %q: %v", i, k, step.Input, from, err)
				break
			}
		}
	}
}

// walker is on its way along one path.
type walker struct {
	m          *runtime.Machine
	d          *runtime.Definition
	s          *machine.Snapshot
	start, now time.Time
	yes        []string
	overs      []string // the costs whose over_budget comes right behind the step at hand
}

// oversBehind are the costs of the over_budgets with which steps begin.
func oversBehind(steps []Step) (costs []string) {
	for i := range steps {
		kind, cost, _ := strings.Cut(steps[i].Input, " ")
		if kind != string(machine.OverBudgetInput) {
			break
		}
		costs = append(costs, cost)
	}
	return costs
}

func (w *walker) state() string { return w.d.States[w.s.State].Path }

func (w *walker) begin(id string, params any) error {
	data, err := encode(params)
	if err != nil {
		return err
	}
	in := machine.Input{Kind: machine.StartInput}
	if in.Data, err = w.m.DecodeParams(data); err != nil {
		return err
	}
	w.s = w.m.NewSnapshot(id, 1)
	_, err = w.step(in)
	return err
}

// step gives the machine an input; without a record it leaves no trace.
func (w *walker) step(in machine.Input) (*machine.Record, error) {
	next, _, record, err := w.m.Step(w.s, in, w.now, w.ask)
	if err == nil {
		w.s = next
	}
	return record, err
}

func (w *walker) ask(guard int, _ []machine.Value) (bool, error) {
	return slices.Contains(w.yes, w.d.Guards[guard].Name), nil
}

func (w *walker) take(step *Step) error {
	w.yes = step.Yes
	w.later(w.start.Add(step.After))
	in, err := w.input(step)
	if err != nil {
		return err
	}
	record, err := w.step(in)
	if err != nil {
		return err
	}
	arm := step.Arm
	if in.Kind != machine.ResultInput || in.Event >= 0 {
		arm = w.arm(record, step.Arm)
	}
	if arm != step.Arm || w.state() != step.To {
		return fmt.Errorf("%q led to %q, want %q to %q", arm, w.state(), step.Arm, step.To)
	}
	return nil
}

// arm is what a step took, in words. One without a record has deferred an event
// again: that is want, if it is a defer.
func (w *walker) arm(r *machine.Record, want string) string {
	switch {
	case r == nil:
		if slices.ContainsFunc(w.d.Arms, func(a machine.Arm) bool { return a.Name == want && a.Kind == machine.DeferArm }) {
			return want
		}
		return string(machine.Deferred)
	case r.Cause != nil:
		return string(r.Effect) + ": " + r.Cause.String()
	case r.Arm < 0:
		return string(r.Effect)
	}
	return w.d.Arms[r.Arm].Name
}

// later lets time pass until at.
func (w *walker) later(at time.Time) {
	if at.After(w.now) {
		w.now = at
	}
}

// input is what a step gives the machine. What must come before that, and does
// nothing to the state, comes first: activities end before done, and deferred events
// that nothing takes are dropped.
func (w *walker) input(step *Step) (machine.Input, error) {
	kind, name, _ := strings.Cut(step.Input, " ")
	in := machine.Input{Kind: runtime.InputKind(kind), Event: -1}
	if err := w.drop(in.Kind, name); err != nil {
		return in, err
	}
	switch in.Kind {
	case machine.EventInput:
		return in, w.payload(&in, name, step.Data)
	case machine.KeptInput:
		return w.kept(), nil
	case machine.ResultInput:
		if err := w.attempt(&in, step.Do); err != nil || name == "" {
			return in, err
		}
		return in, w.payload(&in, name, step.Data)
	case machine.FailureInput:
		in.Category = slices.Index(w.d.Categories, name)
		return in, w.attempt(&in, step.Do)
	case machine.TimerInput:
		return in, w.timer(&in, name)
	case machine.DoneInput:
		return in, w.endAll()
	case machine.CancelInput:
		return in, nil
	case machine.OverBudgetInput:
		in.Over = name
		return in, w.pass(name)
	}
	return in, fmt.Errorf("there is no input of kind %q", kind)
}

func (w *walker) payload(in *machine.Input, name string, data any) error {
	event, ok := w.m.Event(name)
	if !ok {
		return fmt.Errorf("there is no event %q", name)
	}
	encoded, err := encode(data)
	if err == nil {
		in.Event = event
		in.Data, err = w.m.DecodePayload(event, encoded)
	}
	return err
}

// attempt names the attempt of a do that is open, and waits until it begins.
func (w *walker) attempt(in *machine.Input, do string) error {
	for _, task := range w.s.Tasks {
		if task.State == machine.TaskOpen && (w.m.TaskName(&task) == do || w.d.Dos[task.Do].Name == do) {
			in.Do, in.Index, in.Key, in.Attempt = task.Do, task.Index, task.Key, task.Attempt
			in.Cost = w.report(task.Do, w.overs)
			w.later(task.NotBefore)
			return nil
		}
	}
	return fmt.Errorf("%q is not under way", do)
}

// report is more than the budget of those costs which the activity of do declares.
func (w *walker) report(do int, costs []string) (report []machine.Cost) {
	if w.d.Budget == nil {
		return nil
	}
	declared := w.d.Activities[w.d.Dos[do].Activity].Costs
	for _, c := range w.d.Budget.Costs {
		if slices.Contains(costs, c.Name) && slices.ContainsFunc(declared, func(d machine.Cost) bool { return d.Name == c.Name }) {
			report = append(report, machine.Cost{Name: c.Name, Amount: machine.AddAmounts(c.Amount, "1")})
		}
	}
	slices.SortFunc(report, func(a, b machine.Cost) int { return cmp.Compare(a.Name, b.Name) })
	return report
}

// pass makes over_budget of a cost due, unless it is, by what an activity says.
func (w *walker) pass(cost string) error {
	if len(w.s.OverDue) > 0 {
		return nil
	}
	for _, task := range w.s.Tasks {
		report := w.report(task.Do, append([]string{cost}, w.overs...))
		if task.State != machine.TaskOpen || !slices.ContainsFunc(report, func(c machine.Cost) bool { return c.Name == cost }) {
			continue
		}
		w.later(task.NotBefore)
		_, err := w.step(machine.Input{Kind: machine.SpentInput, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt, Cost: report})
		return err
	}
	return fmt.Errorf("no activity under way spends %q", cost)
}

// timer waits until a timer is due.
func (w *walker) timer(in *machine.Input, name string) error {
	for _, a := range w.s.Alarms {
		if w.d.Timers[a.Timer].Name == name {
			in.Timer = a.Timer
			w.later(a.Due)
			return nil
		}
	}
	return fmt.Errorf("timer %q does not run", name)
}

// endAll ends the activities that have nothing to say.
func (w *walker) endAll() error {
	for {
		i := slices.IndexFunc(w.s.Tasks, func(t machine.Task) bool { return t.State == machine.TaskOpen })
		if i < 0 {
			return nil
		}
		task := w.s.Tasks[i]
		w.later(task.NotBefore)
		in := machine.Input{Kind: machine.ResultInput, Event: -1, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt}
		if _, err := w.step(in); err != nil {
			return err
		}
	}
}

// drop looks at the deferred events that come before the input, up to the one that
// it is.
func (w *walker) drop(kind runtime.InputKind, name string) error {
	if kind == machine.DoneInput && w.s.DoneDue {
		return nil // it comes before them
	}
	for w.s.KeptNext < len(w.s.Kept) {
		in := w.kept()
		if kind == machine.KeptInput && w.d.Events[in.Event].Name == name {
			return nil
		}
		if _, err := w.step(in); err != nil {
			return err
		}
	}
	if kind == machine.KeptInput {
		return errors.New("it is not deferred")
	}
	return nil
}

// kept is the deferred event that is looked at next.
func (w *walker) kept() machine.Input {
	k := &w.s.Kept[w.s.KeptNext]
	return machine.Input{Kind: machine.KeptInput, Event: k.Event, Data: k.Data, ID: k.ID}
}
