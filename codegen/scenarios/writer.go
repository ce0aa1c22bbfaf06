package scenarios

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/scenario"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// writer writes the body of one scenario, and takes the run along with it: what is under way, and
// how long it waits, is what the run says.
type writer struct {
	m       *ir.Machine
	x       *machine.Machine
	sim     *simulate.Simulation
	lines   []string
	answers map[string]bool // what host guards answer
	asked   []string        // in the move at hand, without an answer yet
	pace    pace
	began   int // how many lines stand before the start: what guards answer then
	came    map[happening]int
	at      int      // the step that is played
	passed  []string // the costs whose over_budget comes right behind it
	torn    string   // a host guard that has to say yes and no at once; empty for none
}

func newWriter(m *ir.Machine, x *machine.Machine, p pace) *writer {
	return &writer{m: m, x: x, pace: p, answers: map[string]bool{}, came: map[happening]int{}}
}

// happening is what comes by itself: a timer fires, or with timer -1 over_budget of a cost, or
// `done`, comes.
type happening struct {
	timer int
	cost  string
}

// hasCome reports whether what step asks for has come by itself already, behind an earlier line.
func (w *writer) hasCome(h happening) bool {
	n := 0
	for _, r := range w.sim.Records() {
		came := happening{timer: -1}
		switch r.Input.Kind {
		case machine.TimerInput:
			came.timer = r.Input.Timer
		case machine.OverBudgetInput:
			came.cost = r.Input.Over
		case machine.DoneInput:
		default:
			continue
		}
		if came == h {
			n++
		}
	}
	w.came[h]++
	return n >= w.came[h]
}

// write writes a run: what stands behind the title. Of the ways in which it may wait, the first is
// taken by which it gets to the arm that it is for.
func write(m *ir.Machine, x *machine.Machine, run *ir.CoverRun) (first *Scenario, err error) {
	target := targetOf(run)
	for p := range paces {
		w := newWriter(m, x, p)
		s, failed := w.scenario(run)
		switch {
		case failed != nil:
			err = cmp.Or(err, failed)
		case target != nil && s.arms[target.ID]:
			return s, nil
		case first == nil:
			first = s
		}
	}
	if first == nil && len(run.Steps) > 1 { // up to where it fails, it may take others
		first, _ = write(m, x, &ir.CoverRun{Params: run.Params, Steps: run.Steps[:len(run.Steps)-1]})
	}
	return first, err
}

// Witness is a scenario that does what a run of a finding does, up to its last line: that may be one
// which the run refuses, or by which it halts, and then the scenario fails as long as it does. The error
// says why there is none.
func Witness(m *ir.Machine, title string, run *ir.CoverRun) (string, error) {
	x, err := machine.Compile(table.WithoutJitter(m))
	if err != nil {
		return "", err
	}
	for p := range paces {
		w := newWriter(m, x, p)
		head, failed := w.play(run)
		if failed == nil {
			w.line("expect %s", w.sim.View().State)
		}
		var refused *machine.Rejected
		atEnd := atLast(run.Steps, w.at) && (errors.Is(failed, errHalted) || errors.As(failed, &refused))
		if failed == nil || atEnd {
			return fmt.Sprintf("scenario %s of %s%s", strconv.Quote(title), m.Name, head+w.body()), nil
		}
		err = cmp.Or(err, failed)
	}
	return "", err
}

// atLast reports whether behind step i nothing comes but what follows at once.
func atLast(steps []ir.CoverStep, i int) bool {
	for k := i + 1; k < len(steps); k++ {
		if !follows(steps, k) {
			return false
		}
	}
	return true
}

// targetOf is the arm that a run is for: of its last step.
func targetOf(run *ir.CoverRun) *ir.Arm { return run.Steps[len(run.Steps)-1].Arm }

func (w *writer) scenario(run *ir.CoverRun) (*Scenario, error) {
	head, err := w.play(run)
	if err != nil && (!errors.Is(err, errHalted) || !atLast(run.Steps, w.at)) {
		return nil, err
	}
	w.expect()
	s := &Scenario{Text: head + w.body(), arms: map[int]bool{}, torn: w.torn}
	if halt := w.sim.Run().Halt; halt != nil {
		s.halts = halt.Cause.String()
	}
	for _, r := range w.sim.Records() {
		if r.Arm >= 0 && r.Arm < len(w.m.Arms) { // not an `ignore` or a `defer`
			s.arms[r.Arm] = true
		}
	}
	return s, nil
}

// expect writes where the run stands, and before that whether it has halted.
func (w *writer) expect() {
	if w.sim.Run().Halt != nil {
		w.line("expect halted")
	}
	w.line("expect %s", w.sim.View().State)
}

func (w *writer) body() string { return " {\n" + strings.Join(w.lines, "\n") + "\n}\n" }

// errHalted is the error of a run that halts at the last line that was written.
var errHalted = errors.New("the run halts there")

// play writes the lines of a run, and gives the values of its parameters: (n = 3).
func (w *writer) play(run *ir.CoverRun) (head string, err error) {
	w.answersOf(run.Steps, -1)
	if head, err = w.start(run.Params); err != nil {
		return head, err
	}
	for i := range run.Steps {
		w.at, w.passed = i, passedBehind(run.Steps[i+1:])
		if run.Steps[i].Deferred {
			continue // it is taken by itself
		}
		w.answersOf(run.Steps, i)
		if err := w.step(&run.Steps[i]); err != nil {
			return head, err
		}
		if halt := w.sim.Run().Halt; halt != nil {
			return head, fmt.Errorf("%w: %s", errHalted, halt.Cause)
		}
	}
	return head, nil
}

func (w *writer) line(format string, args ...any) {
	w.lines = append(w.lines, "    "+fmt.Sprintf(format, args...))
}

// answer answers a host guard: no, unless the run says yes.
func (w *writer) answer(name string, _ json.RawMessage) (bool, error) {
	yes, known := w.answers[name]
	if !known {
		w.answers[name] = false
		w.asked = append(w.asked, name)
	}
	return yes, nil
}

// noteAsked writes, before line at, what the guards answered that were asked for the first time.
func (w *writer) noteAsked(at int) {
	for i, name := range w.asked {
		w.lines = slices.Insert(w.lines, at+i, fmt.Sprintf("    guard %s = false", name))
	}
	w.asked = nil
}

// take makes a move, whose line is the last.
func (w *writer) take(move simulate.Move) error {
	at := len(w.lines) - 1
	_, err := w.sim.Take(move)
	w.noteAsked(at)
	return err
}

// step writes the lines of a step, and takes them.
func (w *writer) step(s *ir.CoverStep) error {
	c := s.Input
	switch c.Kind {
	case ir.CaseTimer:
		if w.hasCome(happening{timer: c.Timer.ID}) {
			return nil
		}
		return w.waitFor(c.Timer.ID)
	case ir.CaseOverBudget:
		if w.hasCome(happening{-1, c.Cost}) {
			return nil
		}
		return w.pass(c.Cost)
	case ir.CaseDone:
		if w.hasCome(happening{timer: -1}) {
			return nil
		}
		return w.endAll()
	}
	if w.pace == allWait || w.pace == eventsWait && c.Kind == ir.CaseEvent {
		if after, err := time.ParseDuration(s.After); err == nil {
			if err := w.wait(scenario.Began.Add(after)); err != nil {
				return err
			}
		}
	}
	switch c.Kind {
	case ir.CaseEvent:
		texts, object, err := written(ir.Declarations(c.Event.Fields), s.Data)
		if err != nil {
			return err
		}
		w.line("send %s%s", c.Event.Name, braces(texts))
		return w.take(simulate.Move{Kind: machine.EventInput, Name: c.Event.Name, Data: object})
	case ir.CaseCancel:
		w.line("cancel")
		return w.take(simulate.Move{Kind: machine.CancelInput})
	}
	return w.end(s)
}

// answersOf writes what host guards answer in step i, which is -1 for the start, and in those that
// follow at once, as far as that is new.
func (w *writer) answersOf(steps []ir.CoverStep, i int) {
	said := map[string]bool{} // what is said of a guard in these steps
	for k := max(i, 0); k < len(steps) && (k == i || follows(steps, k)); k++ {
		for _, call := range slices.Sorted(maps.Keys(steps[k].Guards)) {
			name, _, _ := strings.Cut(call, "(")
			yes := steps[k].Guards[call]
			if before, known := said[name]; known && before != yes {
				w.torn = name
			} else if !known {
				said[name] = yes
				w.says(name, yes)
			}
		}
	}
}

// follows reports whether step k may come at once behind the one before it.
func follows(steps []ir.CoverStep, k int) bool {
	s := &steps[k]
	return s.Deferred || s.Input.Kind == ir.CaseDone || s.Input.Kind == ir.CaseTimer && k > 0 && s.After == steps[k-1].After
}

// says writes what a host guard answers from here on, if that is new.
func (w *writer) says(name string, yes bool) {
	known, ok := w.answers[name]
	if ok && known == yes {
		return
	}
	if ok && w.sim != nil && len(w.lines) == w.began { // all answers above the first other line are of the start
		w.line("expect %s", w.sim.View().State)
	}
	w.answers[name] = yes
	w.line("guard %s = %v", name, yes)
}

// end ends the attempt of a step.
func (w *writer) end(s *ir.CoverStep) error {
	for _, t := range w.sim.Run().HandedOut() {
		if t.Do == s.Input.Do.ID && (s.Element < 0 || t.Index == s.Element) {
			return w.endTask(&t, s)
		}
	}
	return errors.New(s.Input.Do.Activity.Name + " is not under way there")
}

// nameOf is what a scenario calls an attempt.
func (w *writer) nameOf(t *machine.Task) (string, error) {
	if !w.sim.Run().IsOpen(t) { // a timer, or over_budget, has come while it waited
		return "", errors.New(w.m.Dos[t.Do].Activity.Name + " is not under way there")
	}
	name := w.sim.Name(t)
	if strings.Contains(name, ".") {
		return "", fmt.Errorf("a scenario cannot tell apart the executions of %s in one state, which have no labels", w.m.Dos[t.Do].Activity.Name)
	}
	return name, nil
}

// endTask ends an attempt as a step says, or where that is nil with nothing to say.
func (w *writer) endTask(t *machine.Task, s *ir.CoverStep) error {
	if err := w.wait(t.NotBefore); err != nil {
		return err
	}
	name, err := w.nameOf(t)
	if err != nil {
		return err
	}
	move := simulate.Move{Kind: machine.ResultInput, Do: name, Cost: w.used(t.Do, w.passed)}
	var texts []string
	switch {
	case s == nil || s.Ends():
	case s.Input.Kind == ir.CaseFailure:
		move.Kind, move.Name = machine.FailureInput, s.Input.Category.Name
	default:
		move.Name = s.Input.Event.Exit()
		if texts, move.Data, err = written(ir.Declarations(s.Input.Event.Fields), s.Data); err != nil {
			return err
		}
	}
	return w.ended(move, texts)
}

// ended writes how an attempt ends, with what it says in texts, and ends it.
func (w *writer) ended(move simulate.Move, texts []string) error {
	cost := costWords(move.Cost)
	switch {
	case move.Kind == machine.FailureInput:
		w.line("%s fails %s%s", move.Do, move.Name, cost)
	case move.Name == "":
		w.line("%s -> done%s", move.Do, cost)
	default:
		w.line("%s -> %s%s%s", move.Do, move.Name[strings.LastIndex(move.Name, ".")+1:], braces(texts), cost)
	}
	return w.take(move)
}

// endAll ends all that is under way in the state and has nothing to say.
func (w *writer) endAll() error {
	seq := w.sim.Run().Visit
	for w.sim.Run().Visit == seq && w.sim.Run().Status == machine.Running {
		open := w.sim.Run().HandedOut()
		i := slices.IndexFunc(open, func(t machine.Task) bool { return w.m.Dos[t.Do].Activity.Silent() })
		if i < 0 {
			return nil
		}
		if err := w.endTask(&open[i], nil); err != nil {
			return err
		}
	}
	return nil
}
