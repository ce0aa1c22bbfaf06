package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// keeper looks after the children of runs. Every worker has one, since it needs no functions
// for that: it starts the child that a task asks for, tells the parent how it has ended, or
// that its time is over, cancels children that have been left behind, and finishes
// runs that waited for such children alone. Each of these is one durable write, under the
// claim of the task or as an input that is taken once, so that it does not matter how many
// keepers there are and when one dies.
type keeper struct {
	worker *worker
	busy   atomic.Int32
	looked time.Time // when it last looked for children that were left behind
	trees  int64     // and what the engine had counted until then

	// Of the round under way: what the engine had counted when it began, and whether it looks
	// for children that were left behind.
	counted int64
	asked   bool

	// cancelled are the children that it has cancelled and that have yet to end, and
	// whether with force.
	cancelled map[string]bool
	failing   rests[string] // children that it could not cancel or hear, and runs that it could not finish
}

// keeping is how many tasks a keeper deals with at once: each for no longer than the store needs.
const keeping = 16

// asks reports whether the worker is to look for what children have left, and notes from when
// what it finds will be: what is left later is for the next look.
func (k *keeper) asks(now time.Time) bool {
	e := k.worker.engine
	k.counted = e.trees.Load()
	k.asked = len(e.calls()) > 0 && (k.counted != k.trees || now.Sub(k.looked).Abs() >= e.poll)
	return k.asked
}

// letGo wakes who waits for run: an attempt of it was let go, and it may have waited for that to finish.
func (e *Engine) letGo(run string) {
	e.trees.Add(1)
	e.changes.notify(run)
}

// round does what there is to do, and reports whether there may be more.
func (k *keeper) round(ctx context.Context, work *store.Work, now time.Time) (bool, error) {
	e := k.worker.engine
	calls := e.calls()
	if len(calls) == 0 {
		return false, nil
	}
	children, _ := e.withoutChildren(calls)
	claimed, err := k.claim(ctx, children, now)
	if err != nil {
		return false, fmt.Errorf("claiming the tasks of children: %w", err)
	}
	if !k.asked {
		return claimed || e.trees.Load() != k.trees, nil
	}
	k.looked, k.trees = now, k.counted
	k.cancelLeft(ctx, work.Leftovers, now)
	k.hear(ctx, work.Reports, now)
	k.finish(ctx, work.Ending, now)
	return claimed || e.trees.Load() != k.trees, nil
}

// claim takes tasks that call machines.
func (k *keeper) claim(ctx context.Context, calls []store.Claimable, now time.Time) (bool, error) {
	e := k.worker.engine
	free := keeping - int(k.busy.Load())
	if free <= 0 || len(calls) == 0 {
		return false, nil
	}
	rows, err := k.worker.scope.claim(ctx, store.ClaimQuery{
		Worker: e.worker, Now: now, Until: now.Add(e.lease), Limit: free, Activities: calls, Run: k.worker.only,
	})
	for i := range rows {
		failpoint.Hit(failpoint.Claimed)
		k.busy.Add(1)
		k.worker.attempts.Go(func() {
			k.keep(&rows[i])
			k.busy.Add(-1)
			k.worker.wakeUp()
		})
	}
	return len(rows) > 0, err
}

// keep deals with one task.
func (k *keeper) keep(t *store.TaskRow) {
	c := &call{running: *k.worker.newRunning(k.worker.ctx, t)}
	defer c.cancel(nil)
	if !c.prepare() {
		return
	}
	switch {
	case t.Child == "":
		c.start()
	case t.ChildEnded:
		c.tell()
	default:
		c.overdue()
	}
}

// cancelLeft cancels the children whose task has been cancelled. Those that know, and have
// yet to end, are passed over.
func (k *keeper) cancelLeft(ctx context.Context, rows []store.TaskRow, now time.Time) {
	k.failing.end(now, func(string) {})
	var mu sync.Mutex
	told := map[string]bool{}
	sideBySide(len(rows), firing, func(i int) {
		t := &rows[i]
		k.try(t.Child, t.Run, now, "a child could not be cancelled", func() error {
			forced, err := k.worker.engine.cancelChild(ctx, t, k.cancelled)
			if err == nil {
				mu.Lock()
				told[t.Child] = forced
				mu.Unlock()
			}
			return err
		})
	})
	k.cancelled = told
}

// try does something for a run, unless that rests, or the keeper is not there for covered: the run or its
// parent. A run for which it fails rests.
func (k *keeper) try(run, covered string, now time.Time, fault string, do func() error) {
	if _, resting := k.failing.active(run, now); resting || !k.worker.scope.covers(covered) {
		return
	}
	if err := do(); err != nil {
		k.worker.engine.logger.Warn(fault, slog.String("run", run), slog.Any("error", err))
		k.failing.failed(run, now, 0)
	}
}

// finish finishes the runs whose children have ended.
func (k *keeper) finish(ctx context.Context, runs []string, now time.Time) {
	for _, run := range runs {
		k.try(run, run, now, "a run that was ending could not finish", func() error { return k.worker.engine.finish(ctx, run) })
	}
}

// cancelChild cancels the child of a task that has been cancelled, with force where its
// parent was, unless told says that it knows. It reports whether that was with force.
func (e *Engine) cancelChild(ctx context.Context, t *store.TaskRow, told map[string]bool) (forced bool, err error) {
	_, parent, err := e.snapshot(ctx, t.Run)
	if err != nil {
		return false, err
	}
	forced = parent.Forced
	if before, knows := told[t.Child]; knows && (before || !forced) {
		return before, nil
	}
	failpoint.Hit(failpoint.CancelsChild)
	in := machine.Input{Kind: machine.CancelInput, Force: forced, Actor: t.Run, Reason: "its parent does not wait for " + t.Do + " any more"}
	_, err = e.apply(ctx, &request{run: t.Child, input: func(*Machine, *machine.Snapshot) (machine.Input, error) { return in, nil }})
	if _, refused := errors.AsType[*Rejected](err); refused && errors.Is(err, ErrFinished) {
		err = nil // it ends without that
	}
	return forced, err
}

// cancelBelow cancels the children that a run has left behind, and theirs, as the keepers of
// workers do, for who may be alone.
func (e *Engine) cancelBelow(ctx context.Context, run string) error {
	tasks, err := e.store.Tasks(ctx, run)
	if err != nil {
		return fmt.Errorf("the tasks of run %q: %w", run, err)
	}
	failed := make([]error, len(tasks))
	sideBySide(len(tasks), firing, func(i int) {
		t := &tasks[i]
		if !t.Cancelled || !t.ChildHolds() {
			return
		}
		if _, failed[i] = e.cancelChild(ctx, t, nil); failed[i] == nil {
			failed[i] = e.cancelBelow(ctx, t.Child)
		}
	})
	return errors.Join(failed...)
}

// finishBelow finishes the runs that a run has left behind, and those below them, as the
// keepers of workers do.
func (e *Engine) finishBelow(ctx context.Context, run string) error {
	tasks, err := e.store.Tasks(ctx, run)
	if err != nil {
		return fmt.Errorf("the tasks of run %q: %w", run, err)
	}
	for i := range tasks {
		t := &tasks[i]
		if !t.Cancelled || !t.ChildHolds() {
			continue
		}
		if err := e.finishBelow(ctx, t.Child); err != nil {
			return err
		}
		row, err := e.store.Load(ctx, t.Child)
		if err == nil && row.Status == machine.Ending {
			err = e.finish(ctx, t.Child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finish finishes a run that is ending, unless some child has yet to end.
func (e *Engine) finish(ctx context.Context, run string) error {
	if tasks, err := e.standing(ctx, run, e.now()); err != nil || len(tasks) > 0 {
		return err
	}
	if err := e.hearAll(ctx, run); err != nil {
		return err
	}
	failpoint.Hit(failpoint.TreeStops)
	_, err := e.apply(ctx, &request{run: run, input: (*Machine).StoppedInput})
	if errors.Is(err, ErrFinished) { // by someone else
		err = nil
	}
	return err
}

// applyEnd finishes a run at once that a request has ended, and that left children behind,
// where those have ended meanwhile, or there were none. If that fails a keeper does it. What
// an event with an id is answered stays what is remembered of it.
func (e *Engine) applyEnd(ctx context.Context, c *request, out applied, live *liveRun) applied {
	if out.steps == 0 || out.snapshot.Status != machine.Ending {
		return out
	}
	if tasks, err := e.standing(ctx, live.id, e.now()); err != nil || len(tasks) > 0 {
		return out
	}
	if untold, err := e.store.Reports(ctx, store.ReportQuery{Parent: live.id}); err != nil || len(untold) > 0 {
		return out
	}
	end, err := e.applyOnce(ctx, &request{run: live.id, input: (*Machine).StoppedInput}, live)
	if err != nil || c.eventID != "" {
		return out
	}
	out.snapshot, out.steps = end.snapshot, out.steps+end.steps
	return out
}
