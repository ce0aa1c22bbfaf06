// Package simulate steps through a run by hand. Nothing is stored and no activity runs: the
// caller says what comes next, how each attempt ends, and how much time passes, and the
// step of the runtime says what the run makes of it. Each move can be taken back.
package simulate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Guard is what a host guard answers. The arguments are an object by the names of its parameters.
type Guard func(name string, args json.RawMessage) (bool, error)

// Simulation is a run that is stepped through by hand. Its methods must not be called at once by
// several goroutines.
type Simulation struct {
	machine *machine.Machine
	guard   Guard
	states  []state // after the beginning, and after each move
	most    int     // steps that a move may lead to as time passes; 0 for any number
}

// state is the run after a move. A snapshot never changes, so that going back costs nothing.
type state struct {
	snapshot *machine.Snapshot
	now      time.Time
	records  []*machine.Record // of the move
	messages []machine.Command // that it has published
	move     Move
}

// Start begins a new run with an id and the object of its parameters. guard may be nil: then a
// host guard that is asked refuses the move. What the machine refuses is an error.
func Start(m *machine.Machine, id string, params json.RawMessage, started time.Time, guard Guard) (*Simulation, error) {
	s := &Simulation{machine: m, guard: guard}
	in, err := m.StartInput(params, started, machine.MaxPayload)
	if err != nil {
		return nil, err
	}
	in.Token = "" // it would be another each time, and so would the waits of retries
	next := state{snapshot: m.NewSnapshot(id, machine.SeedOf(id)), now: started.UTC().Truncate(time.Microsecond)}
	if err := s.advance(&next, in); err != nil {
		return nil, err
	}
	s.states = []state{next}
	return s, nil
}

// Continue begins where a run stands, at the time of its last step.
func Continue(m *machine.Machine, run *machine.Snapshot, guard Guard) *Simulation {
	return &Simulation{machine: m, guard: guard, states: []state{{snapshot: run, now: run.Now}}}
}

// errNoGuard is the error of a host guard that nobody answers for.
var errNoGuard = errors.New("nobody says what it answers")

func (s *Simulation) ask(guard int, args []machine.Value) (bool, error) {
	name := s.machine.Definition().Guards[guard].Name
	if s.guard == nil {
		return false, fmt.Errorf("host guard %q: %w", name, errNoGuard)
	}
	object, err := s.machine.GuardArgs(guard, args)
	if err != nil {
		return false, err
	}
	return s.guard(name, object)
}

// last is the run as it stands.
func (s *Simulation) last() *state { return &s.states[len(s.states)-1] }

// Now is the time of the simulation.
func (s *Simulation) Now() time.Time { return s.last().now }

// View is the run as it stands.
func (s *Simulation) View() machine.View { return s.machine.View(s.last().snapshot) }

// Machine is the machine of the run.
func (s *Simulation) Machine() *machine.Machine { return s.machine }

// Run is the run as it stands.
func (s *Simulation) Run() *machine.Snapshot { return s.last().snapshot }

// Published are the messages that the run has published, oldest first.
func (s *Simulation) Published() (messages []machine.Command) {
	for i := range s.states {
		messages = append(messages, s.states[i].messages...)
	}
	return messages
}

// Attempt is the one under way that a name means, as in a Move, or the next one of an element that
// has no place to run in yet.
func (s *Simulation) Attempt(do string) (machine.Task, error) {
	t, err := s.attempt(s.Run(), do)
	if err == nil {
		return t, nil
	}
	for _, next := range s.Run().Tasks {
		if next.State == machine.TaskWaiting && next.Attempt > 0 {
			if full, short := s.names(&next); do == full || slices.Contains(short, do) {
				return next, nil
			}
		}
	}
	return t, err
}

// Records are the lines of history that the simulation has led to, oldest first.
func (s *Simulation) Records() (records []*machine.Record) {
	for i := range s.states {
		records = append(records, s.states[i].records...)
	}
	return records
}

// Steps are those that the simulation has led to, oldest first.
func (s *Simulation) Steps() []machine.StepView { return s.views(s.Records()) }

func (s *Simulation) views(records []*machine.Record) []machine.StepView {
	steps := make([]machine.StepView, len(records))
	for i, r := range records {
		steps[i] = s.machine.StepView(r)
	}
	return steps
}

// Moves are those that have been taken, oldest first.
func (s *Simulation) Moves() []Move {
	var moves []Move
	for i := range s.states[1:] {
		moves = append(moves, s.states[i+1].move)
	}
	return moves
}

// Back takes the last moves back: n of them, or where there are less, all.
func (s *Simulation) Back(n int) {
	s.states = s.states[:max(len(s.states)-max(n, 0), 1)]
}

// Take makes a move, and gives the steps that it has led to. A move that is refused changes
// nothing.
func (s *Simulation) Take(move Move) ([]machine.StepView, error) {
	next := state{snapshot: s.last().snapshot, now: s.last().now, move: move}
	if err := s.make(&next); err != nil {
		return nil, err
	}
	s.states = append(s.states, next)
	return s.views(next.records), nil
}

// pass lets time pass until a moment: each timer fires when it is due.
func (s *Simulation) pass(at *state, until time.Time) error {
	for {
		due := at.snapshot.NextDue()
		if due.IsZero() || due.After(until) || at.snapshot.Status != machine.Running || !at.snapshot.PausedAt.IsZero() {
			break
		}
		if due.After(at.now) {
			at.now = due
		}
		seq := at.snapshot.Seq
		if err := s.settle(at); err != nil {
			return err
		}
		if at.snapshot.Seq == seq {
			break
		}
		if s.most > 0 && len(at.records) > s.most {
			return errEndless
		}
	}
	if until.After(at.now) {
		at.now = until
		return s.settle(at) // retries that have waited begin
	}
	return nil
}

// settle takes what is due.
func (s *Simulation) settle(at *state) error {
	next, commands, records, err := s.machine.Settle(at.snapshot, at.now, s.ask)
	return s.follow(at, next, commands, records, err)
}

// advance takes an input, with what is due before it and what follows.
func (s *Simulation) advance(at *state, in machine.Input) error {
	next, commands, records, err := s.machine.Advance(at.snapshot, in, at.now, s.ask)
	return s.follow(at, next, commands, records, err)
}

// maxSteps is how many steps one move may lead to: a wait of years may have timers fire that
// start again each second.
const maxSteps = 20_000

// follow takes what a step has led to, and then what workers would do by themselves that are always there: each
// attempt begins that has to, which may pass the budget of the run, and a run that is over does
// not wait for children, since there are none.
func (s *Simulation) follow(at *state, next *machine.Snapshot, commands []machine.Command, records []*machine.Record, err error) error {
	if err != nil {
		return err
	}
	at.snapshot, at.records = next, append(at.records, records...)
	for i := range commands {
		if commands[i].Kind == machine.SendOut {
			at.messages = append(at.messages, commands[i])
		}
	}
	if len(at.records) > maxSteps {
		return fmt.Errorf("more than %d steps follow from it", maxSteps)
	}
	if next.Status == machine.Ending {
		return s.advance(at, machine.Input{Kind: machine.StoppedInput, Event: -1})
	}
	if in, ok := s.beginning(at); ok {
		return s.advance(at, in)
	}
	return nil
}

// worker is who has each attempt.
const worker = "simulation"

// beginning is the input with which an attempt begins that may, and has not.
func (s *Simulation) beginning(at *state) (machine.Input, bool) {
	if !at.snapshot.PausedAt.IsZero() {
		return machine.Input{}, false
	}
	for _, t := range at.snapshot.HandedOut() {
		if t.Begun == "" && !t.NotBefore.After(at.now) && s.machine.Begins(at.snapshot, t.Do) {
			return machine.Input{Kind: machine.BeginInput, Do: t.Do, Index: t.Index, Key: t.Key, Attempt: t.Attempt, Worker: worker}, true
		}
	}
	return machine.Input{}, false
}
