package runtime

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Attempts of runs that are held to a budget begin with a step of their run, and so does
// what they say on their way of what they have used. Both are writes of the run, one after
// the other whoever makes them: no attempt begins past a budget.

// begin has the run, which is as s says, let the attempt begin, and gives the run as it then is. Where it
// does not, the task has been dealt with. All runs above it that are held to a budget know before what
// it has used.
func (r *running) begin(s *machine.Snapshot) (*machine.Snapshot, bool) {
	e := r.engine
	if err := r.settleLost(s); err != nil {
		return nil, r.notNow(e.poll, err.Error())
	}
	if len(s.Above) > 0 {
		waits, err := e.hearAbove(r.ctx, r.task.Run)
		switch {
		case errors.Is(err, ErrNoGuard):
			return nil, r.notNow(longestRest, err.Error())
		case err != nil:
			return nil, r.notNow(e.poll, err.Error())
		case !waits:
			return nil, r.notNow(e.poll, "a run above it has moved on")
		}
	}
	if r.host.machine.Calls() {
		if err := e.hearAll(r.ctx, r.task.Run); err != nil {
			return nil, r.notNow(e.poll, err.Error())
		}
	}
	out, err := r.step(machine.BeginInput, nil)
	for err == nil && out.snapshot.Status == Running && out.snapshot.IsOpen(r.attempt) && out.snapshot.PausedAt.IsZero() {
		if r.begunBy(out.snapshot) == e.worker {
			r.hasBegun = true
			return out.snapshot, true
		}
		out, err = r.step(machine.BeginInput, nil) // over_budget was taken, and the run is where it was
	}
	switch {
	case errors.Is(err, ErrFenced), err == nil && !out.snapshot.IsOpen(r.attempt):
		r.confirm()
		r.report(AttemptCancelled, "the run had moved on before it started", nil)
	case errors.Is(err, ErrHalted), err == nil && out.snapshot.Status != Running:
		r.release(0, ErrHalted.Error(), nil)
	case errors.Is(err, ErrNoGuard):
		r.release(longestRest, err.Error(), nil)
	case err == nil:
		r.release(0, "the run is paused", nil)
	default:
		r.release(e.poll, err.Error(), nil)
	}
	return nil, false
}

// begunBy is the worker with whom the attempt has begun, or nothing.
func (r *running) begunBy(s *machine.Snapshot) string {
	for i := range s.Tasks {
		if t := &s.Tasks[i]; t.Do == r.attempt.Do && t.Key == r.task.Key && t.Attempt == r.task.Attempt {
			return t.Begun
		}
	}
	return ""
}

// settleLost notes of a worker with whom the attempt has begun before that it was lost, where that is not
// in history: who had taken its task over has died with the note. What it has declared counts then. A call
// of a machine has declared nothing.
func (r *running) settleLost(s *machine.Snapshot) error {
	if r.begunBy(s) == "" || r.host.machine.Callee(r.attempt.Do) != "" {
		return nil
	}
	_, err := r.apply(answered, &request{run: r.task.Run, input: func(_ *Machine, s *machine.Snapshot) (machine.Input, error) {
		in := machine.NoteInput(machine.LostInput, r.attempt, "")
		if in.Worker = r.begunBy(s); in.Worker == "" {
			return in, ErrFenced
		}
		return in, nil
	}})
	if errors.Is(err, ErrFenced) {
		return nil // it is noted by now
	}
	return err
}

// step takes an input of the attempt that does not end it.
func (r *running) step(kind InputKind, cost map[string]json.Number) (applied, error) {
	return r.apply(answered, &request{run: r.task.Run, input: func(m *Machine, s *machine.Snapshot) (machine.Input, error) {
		if m.Hash() != r.host.machine.Hash() {
			return machine.Input{}, fmt.Errorf("%w: the run has another definition by now", ErrFenced)
		}
		in := machine.NoteInput(kind, r.attempt, "")
		in.Worker = r.engine.worker
		r.costs(&in, cost, s)
		return in, nil
	}})
}

// tell has the run note what the attempt has used since it last said so. What cannot be
// noted is said with the end of the attempt.
func (r *running) tell() error {
	if !r.begins {
		return nil
	}
	cost := r.meter.drain(nil)
	if len(cost) == 0 {
		return nil
	}
	_, err := r.step(machine.SpentInput, cost)
	if err == nil {
		return nil
	}
	r.meter.putBack(cost)
	if errors.Is(err, ErrFenced) {
		r.stop(ErrFenced)
		return err
	}
	if errors.Is(err, ErrHalted) || errors.Is(err, ErrNoGuard) {
		return nil
	}
	return fmt.Errorf("noting what the attempt has used: %w", err)
}
