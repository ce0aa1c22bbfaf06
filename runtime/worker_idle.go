package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// idle reports whether nothing moves the run but events from outside, to it or to runs
// below it.
func (e *Engine) idle(ctx context.Context, run string) (bool, error) {
	h, s, err := e.snapshot(ctx, run)
	if err != nil {
		return false, err
	}
	if h.machine.Calls() && (s.Status == Running && s.PausedAt.IsZero() || s.Status == machine.Ending) {
		switch some, settled, err := e.childrenIdle(ctx, run, e.idle); {
		case err != nil || !settled || e.unfired(s):
			return false, err
		case s.Status == machine.Ending || s.HasOpenTask():
			return some, nil // what it waits for waits itself
		}
		return h.machine.WaitsOutside(s), nil
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

// standing are the tasks of a run that are open at now, and those cancelled ones that someone still holds.
func (e *Engine) standing(ctx context.Context, run string, now time.Time) ([]store.TaskRow, error) {
	tasks, err := e.store.Tasks(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("the tasks of run %q: %w", run, err)
	}
	return slices.DeleteFunc(tasks, func(t store.TaskRow) bool { return t.Stopped(now) }), nil
}

// childrenIdle reports whether a run has no tasks but those that are held by children which
// are idle, as idle says, and whether it has some. A child that has ended is not, for its run has yet
// to be told, and neither is one that has been left behind, before it has been cancelled.
func (e *Engine) childrenIdle(ctx context.Context, run string, idle func(context.Context, string) (bool, error)) (some, settled bool, err error) {
	now := e.now()
	tasks, err := e.standing(ctx, run, now)
	if err != nil {
		return false, false, err
	}
	// What the run does next waits until the children that it has left behind have ended.
	if slices.ContainsFunc(tasks, func(t store.TaskRow) bool { return t.Cancelled && t.ChildHolds() }) {
		tasks = slices.DeleteFunc(tasks, func(t store.TaskRow) bool { return !t.Cancelled && !t.ChildHolds() && !t.Leased(now) })
	}
	for i := range tasks {
		if t := &tasks[i]; !t.ChildHolds() || !t.Cancelled && !t.NotBefore.After(now) {
			return true, false, nil
		}
	}
	for i := range tasks {
		t := &tasks[i]
		if settled, err := idle(ctx, t.Child); err != nil || !settled {
			return true, false, err
		}
		// It is asked for after the tasks: it may have ended since they were read.
		_, child, err := e.snapshot(ctx, t.Child)
		if err != nil || child.Status == Finished || t.Cancelled && !child.Cancelled && !child.Status.Over() {
			return true, false, err
		}
	}
	untold, err := e.store.Reports(ctx, store.ReportQuery{Parent: run})
	return len(tasks) > 0, len(untold) == 0, err
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
	now := e.now()
	tasks, err := e.standing(ctx, run, now)
	if err != nil {
		return false, err
	}
	for i := range tasks {
		t := &tasks[i]
		if t.ChildHolds() && !t.Cancelled {
			if left, err := e.left(ctx, t.Child); err != nil || !left {
				return false, err
			}
			continue
		}
		if do, ok := h.machine.TaskOf(t.Do); t.Leased(now) || h.handlers.Activities[t.Activity] != nil || ok && h.machine.Callee(do.Do) != "" {
			return false, nil
		}
	}
	return len(tasks) > 0, nil
}

// done reports whether the run has ended or is halted, or waits for children alone, and for no
// timer, that are halted or wait for such.
func (e *Engine) done(ctx context.Context, run string) (bool, error) {
	h, s, err := e.snapshot(ctx, run)
	switch {
	case err != nil:
		return false, err
	case s.Status == Finished || s.Status == Halted:
		return true, nil
	case !h.machine.Calls() || s.Status == Running && (!s.HasOpenTask() || !s.NextDue().IsZero()):
		return false, nil
	}
	some, settled, err := e.childrenIdle(ctx, run, e.done)
	return some && settled, err
}
