package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Wait waits, while others work on a run, until it has ended, is halted or paused, or waits only
// for events from outside, like RunUntilIdle. With WithHandlers, it does not wait for activities
// that have no function here and that no one else does; Unmatched names them.
func (e *Engine) Wait(ctx context.Context, run string) (View, error) {
	woken, stop := e.changes.watch(run)
	defer stop()
	looks := e.looks()
	for {
		began := time.Now()
		idle, err := looks.idle(ctx, run)
		if err == nil && !idle {
			idle, err = looks.left(ctx, run)
		}
		if err != nil {
			return View{}, err
		}
		if idle {
			return e.Get(ctx, run)
		}
		// With many children, the changes of each wake this loop, and a look may have to read them all. A
		// pause of three times as long as the look took leaves three quarters of the time to the work.
		if err := giveWay(ctx, 3*time.Since(began)); err != nil {
			return View{}, err
		}
		if err := e.pause(ctx, woken, e.poll); err != nil {
			return View{}, err
		}
	}
}

// looks looks at a run and at those below it again and again, until they rest.
type looks struct {
	*Engine
	busy map[string]string    // by run: a child that it waited for, and that did not rest, when it was last looked at
	said map[string]time.Time // by run: when the timer is due of which the log has said that it is waited for
}

func (e *Engine) looks() *looks { return &looks{e, map[string]string{}, map[string]time.Time{}} }

// busyBelow reports whether a run, if it still waits for what is below it, does so for the child that
// did not rest before: then it does not rest either, whatever its other tasks are.
func (l *looks) busyBelow(ctx context.Context, run string, waits func(*RunRow) bool, rests func(context.Context, string) (bool, error)) (bool, error) {
	child := l.busy[run]
	if child == "" {
		return false, nil
	}
	delete(l.busy, run)
	row, err := l.store.Load(ctx, run)
	if err != nil || !waits(&row) {
		return false, err
	}
	switch below, err := l.store.Load(ctx, child); {
	case errors.Is(err, ErrNotFound):
		return false, nil
	case err != nil || below.Status == Finished:
		return false, err
	}
	if resting, err := rests(ctx, child); err != nil || resting {
		return false, err
	}
	l.busy[run] = child
	return true, nil
}

// idle reports whether nothing moves the run but events from outside, to it or to runs
// below it.
func (l *looks) idle(ctx context.Context, run string) (bool, error) {
	e := l.Engine
	waits := func(row *RunRow) bool { return row.Status == Running && !row.Paused || row.Status == machine.Ending }
	if busy, err := l.busyBelow(ctx, run, waits, l.idle); busy || err != nil {
		return false, err
	}
	h, s, err := e.snapshot(ctx, run)
	if err != nil {
		return false, err
	}
	if h.machine.Calls() && (s.Status == Running && s.PausedAt.IsZero() || s.Status == machine.Ending) {
		switch some, settled, err := l.childrenIdle(ctx, run, l.idle); {
		case err != nil || !settled || e.unfired(s):
			return false, err
		case s.Status == machine.Ending || s.HasOpenTask():
			return some, nil // what it waits for waits itself
		}
		return l.waitsOutside(h.machine, s), nil
	}
	if s.Status == Running && s.PausedAt.IsZero() && s.HasOpenTask() {
		return false, nil
	}
	held, err := e.store.Held(ctx, run, e.now())
	if err != nil {
		return false, fmt.Errorf("run %q: %w", run, err)
	}
	if held || e.unfired(s) {
		return false, nil
	}
	return s.Status != Running || !s.PausedAt.IsZero() || l.waitsOutside(h.machine, s), nil
}

// longWait is how far ahead the timer is that someone who waits for it is told of.
const longWait = 5 * time.Second

// waitsOutside reports whether nothing moves a run without open tasks but events from outside. If a
// timer does, which is not due soon, the log says so, once for each time at which one is due.
func (l *looks) waitsOutside(m *Machine, s *machine.Snapshot) bool {
	if m.WaitsOutside(s) {
		return true
	}
	due := s.NextDue()
	if s.HasOpenTask() || due.Sub(l.now()) < longWait || l.said[s.Run].Equal(due) {
		return false
	}
	l.said[s.Run] = due
	v := m.View(s)
	for i := range v.Timers {
		if t := &v.Timers[i]; t.Due.Equal(due) {
			l.logger.Info("waiting for a timer", slog.String("run", s.Run), slog.String("machine", v.Machine),
				slog.String("state", v.State), slog.String("timer", cmp.Or(t.Text, t.Name)), slog.Time("due", due))
			break
		}
	}
	return false
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
func (l *looks) childrenIdle(ctx context.Context, run string, idle func(context.Context, string) (bool, error)) (some, settled bool, err error) {
	e, now := l.Engine, l.now()
	tasks, err := e.standing(ctx, run, now)
	if err != nil {
		return false, false, err
	}
	// What the run does next waits until the children that it has left behind have ended.
	if slices.ContainsFunc(tasks, func(t store.TaskRow) bool { return t.Cancelled && t.ChildHolds() }) {
		tasks = slices.DeleteFunc(tasks, func(t store.TaskRow) bool { return !t.Cancelled && !t.ChildHolds() && !t.Leased(now) })
	}
	moves := slices.ContainsFunc(tasks, func(t store.TaskRow) bool {
		return !t.ChildHolds() || !t.Cancelled && !t.NotBefore.After(now)
	})
	// The youngest child goes on for longest, so that it is looked at first: see busyBelow.
	for i := range slices.Backward(tasks) {
		t := &tasks[i]
		if !t.ChildHolds() {
			continue
		}
		settled, err := idle(ctx, t.Child)
		if err == nil && !settled {
			l.busy[run] = t.Child
		}
		if moves {
			return true, false, nil
		}
		if err != nil || !settled {
			return true, false, err
		}
		// It is asked for after the tasks: it may have ended since they were read.
		_, child, err := e.snapshot(ctx, t.Child)
		if err != nil || child.Status == Finished || t.Cancelled && !child.Cancelled && !child.Status.Over() {
			return true, false, err
		}
	}
	if moves {
		return true, false, nil
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
func (l *looks) left(ctx context.Context, run string) (bool, error) {
	e := l.Engine
	if e.find == nil {
		return false, nil
	}
	if child := l.busy[run]; child != "" {
		if left, err := l.left(ctx, child); err != nil || !left {
			return false, err
		}
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
			if left, err := l.left(ctx, t.Child); err != nil || !left {
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
func (l *looks) done(ctx context.Context, run string) (bool, error) {
	waits := func(row *RunRow) bool { return row.Status != Finished && row.Status != Halted }
	if busy, err := l.busyBelow(ctx, run, waits, l.done); busy || err != nil {
		return false, err
	}
	h, s, err := l.snapshot(ctx, run)
	switch {
	case err != nil:
		return false, err
	case s.Status == Finished || s.Status == Halted:
		return true, nil
	case !h.machine.Calls() || s.Status == Running && (!s.HasOpenTask() || !s.NextDue().IsZero()):
		return false, nil
	}
	some, settled, err := l.childrenIdle(ctx, run, l.done)
	return some && settled, err
}
