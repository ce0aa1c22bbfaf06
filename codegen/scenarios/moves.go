package scenarios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/scenario"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// Move is one of a simulation, and what host guards, by name, answer from then on.
type Move struct {
	simulate.Move
	Guards map[string]bool
}

// Moves is a scenario that makes the moves of a simulation, which stands in state at their end.
// Guards are the answers for the start. The error says what a scenario has no words for, or
// that the run goes another way without jitter.
func Moves(m *ir.Machine, title string, params json.RawMessage, guards map[string]bool, moves []Move, state string) (string, error) {
	x, err := machine.Compile(table.WithoutJitter(m))
	if err != nil {
		return "", err
	}
	w := newWriter(m, x, eventsWait)
	given, err := object(params)
	if err != nil {
		return "", err
	}
	w.saysAll(guards)
	head, err := w.start(given)
	if err != nil {
		return "", err
	}
	for i := range moves {
		if w.sim.Run().Halt != nil {
			w.line("expect halted")
		}
		w.saysAll(moves[i].Guards)
		if err := w.make(&moves[i].Move); err != nil {
			return "", fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	if stands := w.sim.View().State; stands != state {
		return "", fmt.Errorf("a scenario has no jitter, and without it the moves lead to %s, and not to %s", stands, state)
	}
	w.expect()
	return fmt.Sprintf("scenario %s of %s%s", strconv.Quote(title), m.Name, head+w.body()), nil
}

// object are the members of an object of JSON, with numbers as they are written.
func object(text json.RawMessage) (members map[string]any, err error) {
	if len(text) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&members)
	return members, err
}

// saysAll writes what host guards answer from here on.
func (w *writer) saysAll(guards map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(guards)) {
		w.says(name, guards[name])
	}
}

// make writes the line of a move, and takes it.
func (w *writer) make(move *simulate.Move) error {
	if name := w.undeclared(move.Cost); name != "" {
		return fmt.Errorf("a scenario cannot say what an attempt uses of %s, which no activity declares", name)
	}
	switch move.Kind {
	case machine.EventInput:
		return w.send(move)
	case machine.ResultInput, machine.FailureInput:
		t, err := w.sim.Attempt(move.Do)
		if err != nil {
			return err
		}
		return w.endAs(&t, move)
	case machine.TimerInput:
		if move.Pass > 0 {
			return w.wait(w.sim.Now().Add(move.Pass))
		}
		next := w.sim.NextMoment()
		if next.IsZero() {
			return errors.New("without jitter no timer runs there")
		}
		return w.wait(next)
	case machine.CancelInput:
		if move.Force {
			return errors.New("a scenario cannot say cancel force")
		}
		w.line("cancel")
		return w.take(*move)
	}
	return fmt.Errorf("a scenario cannot say %s", move.Kind)
}

func (w *writer) send(move *simulate.Move) error {
	texts, err := payload(w.m.Events, move)
	if err != nil {
		return err
	}
	w.line("send %s%s", move.Name, braces(texts))
	return w.take(*move)
}

// endAs ends an attempt as a move does.
func (w *writer) endAs(t *machine.Task, move *simulate.Move) error {
	name, err := w.nameOf(t)
	if err != nil {
		return err
	}
	if err := w.wait(t.NotBefore); err != nil {
		return err
	}
	again := *move
	again.Do, again.Text = name, ""
	var texts []string
	if move.Kind == machine.ResultInput && move.Name != "" {
		if texts, err = payload(w.m.Dos[t.Do].Activity.Results, move); err != nil {
			return err
		}
	}
	return w.ended(again, texts)
}

// payload is that of a move, whose event is one of events, as the language writes it.
func payload(events []*ir.Event, move *simulate.Move) ([]string, error) {
	i := slices.IndexFunc(events, func(e *ir.Event) bool { return e.Name == move.Name })
	if i < 0 {
		return nil, fmt.Errorf("there is no event %q", move.Name)
	}
	data, err := object(move.Data)
	if err != nil {
		return nil, err
	}
	texts, _, err := written(ir.Declarations(events[i].Fields), data)
	return texts, err
}

// start starts the run at hand, and gives the values of its parameters: (n = 3).
func (w *writer) start(given map[string]any) (head string, err error) {
	texts, params, err := written(ir.Declarations(w.m.Params), given)
	if err != nil {
		return "", err
	}
	if len(texts) > 0 {
		head = "(" + strings.Join(texts, ", ") + ")"
	}
	w.sim, err = simulate.Start(w.x, "scenario", params, scenario.Began, w.answer)
	if err != nil {
		return head, err
	}
	w.noteAsked(0)
	w.began = len(w.lines)
	return head, nil
}
