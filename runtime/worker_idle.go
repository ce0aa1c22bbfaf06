package runtime

import (
	"context"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// idle reports whether nothing moves the run but events from outside.
func (e *Engine) idle(ctx context.Context, run string) (bool, error) {
	h, s, err := e.snapshot(ctx, run)
	if err != nil {
		return false, err
	}
	held, err := e.store.Held(ctx, run, e.now())
	if err != nil {
		return false, fmt.Errorf("run %q: %w", run, err)
	}
	if held || e.unfired(s) {
		return false, nil
	}
	return s.Status != Running || !s.PausedAt.IsZero() || h.machine.WaitsOutside(s), nil
}

// unfired reports whether a timer has fallen due that will be fired as soon as someone
// works on the run. One that this engine could not fire is not waited for.
func (e *Engine) unfired(s *machine.Snapshot) bool {
	if next := s.NextDue(); s.Status != Running || !s.PausedAt.IsZero() || next.IsZero() || next.After(e.now()) {
		return false
	}
	_, failed := e.unfirable.Load(s.Run)
	return !failed
}

// left reports whether the run only waits for activities of which there is no
// function here, and that no one does.
func (e *Engine) left(ctx context.Context, run string) (bool, error) {
	if e.find == nil {
		return false, nil
	}
	h, s, err := e.snapshot(ctx, run)
	if err != nil || e.unfired(s) {
		return false, err
	}
	tasks, err := e.store.Tasks(ctx, run)
	if err != nil {
		return false, fmt.Errorf("the tasks of run %q: %w", run, err)
	}
	for i := range tasks {
		if t := &tasks[i]; t.Worker != "" || h.handlers.Activities[t.Activity] != nil {
			return false, nil
		}
	}
	return len(tasks) > 0, nil
}

// done reports whether the run has ended or is halted.
func (e *Engine) done(ctx context.Context, run string) (bool, error) {
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return false, fmt.Errorf("run %q: %w", run, err)
	}
	return row.Status != Running, nil
}
