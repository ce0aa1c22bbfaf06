package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// batch is how many timers or leases a worker looks at in one round.
const batch = 100

// allRuns is the scope of Run: every run of the store.
type allRuns struct {
	engine *Engine
	// unfired are runs whose timers this engine could not fire, because the store
	// failed, it lacks a guard or the run is damaged, or has found fired.
	unfired rests[string]

	learnt     time.Time       // when it last looked for versions
	unreadable map[string]bool // versions of which that was said
}

// prepare makes those versions known whose runs have not ended, so that their
// activities are claimed too.
func (a *allRuns) prepare(ctx context.Context) error {
	e := a.engine
	a.learnt = e.now()
	a.unreadable = map[string]bool{}
	for _, status := range []Status{Running, machine.Ending} {
		if err := a.prepareFor(ctx, status); err != nil {
			return fmt.Errorf("looking for unfinished runs: %w", err)
		}
	}
	return nil
}

func (a *allRuns) prepareFor(ctx context.Context, status Status) error {
	known := map[string]bool{}
	return store.EachRun(ctx, a.engine.store, RunFilter{Status: status}, 1000, func(row *RunRow) error {
		hash := row.Definition
		if known[hash] || a.unreadable[hash] {
			return nil
		}
		_, err := a.engine.host(ctx, hash)
		known[hash], a.unreadable[hash] = err == nil, err != nil
		if err != nil {
			a.engine.logger.Error("runs of a machine are left alone", slog.String("machine", row.Machine),
				slog.String("run", row.Run), slog.Any("error", err))
		}
		return nil
	})
}

// learnEvery is how often a worker looks for work of versions that it does not know,
// and for functions that were not there.
const learnEvery = time.Second

// learn makes those versions known that have work, whoever brought it and whenever
// their runs began: a run may have been migrated, or retried after years.
func (a *allRuns) learn(ctx context.Context, now time.Time) error {
	if now.Sub(a.learnt).Abs() < learnEvery {
		return nil
	}
	e := a.engine
	e.lookAgain()
	wanted, err := e.store.Wanted(ctx)
	if err != nil {
		return fmt.Errorf("looking for versions: %w", err)
	}
	left, err := e.store.Leftovers(ctx, 0)
	if err != nil {
		return fmt.Errorf("looking for children without a parent: %w", err)
	}
	for i := range left {
		if hash := left[i].Definition; !slices.Contains(wanted, hash) {
			wanted = append(wanted, hash)
		}
	}
	for _, hash := range wanted {
		_, err := e.host(ctx, hash)
		if err != nil && !a.unreadable[hash] {
			a.unreadable[hash] = true
			e.logger.Error("runs of a machine are left alone", slog.String("definition", hash), slog.Any("error", err))
		}
	}
	a.learnt = now
	return nil
}

// fire fires the timers of several runs side by side; a run takes all that is
// due at once.
func (a *allRuns) fire(ctx context.Context, now time.Time) (bool, error) {
	if err := a.learn(ctx, now); err != nil {
		return false, err
	}
	a.unfired.end(now, func(run string) { a.engine.unfirable.Delete(run) })
	due, err := a.due(ctx, now)
	if err != nil {
		return false, fmt.Errorf("looking for due timers: %w", err)
	}
	a.fireEach(ctx, due, now)
	return len(due) > 0, nil
}

// due are runs with timers that are due, but for those that rest. Each of these may
// have several, and they come first.
func (a *allRuns) due(ctx context.Context, now time.Time) (due []string, err error) {
	for limit := batch + a.unfired.size(); ; limit *= 2 {
		rows, err := a.engine.store.Due(ctx, now, limit)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if rest, ok := a.unfired.active(row.Run, now); ok && !row.Due.After(rest.upTo) {
				continue
			}
			if !slices.Contains(due, row.Run) {
				due = append(due, row.Run)
			}
		}
		if len(due) > 0 || len(rows) < limit {
			return due, nil
		}
	}
}

// firing is how many runs are steered at once, such as those whose timers fire.
const firing = 8

func (a *allRuns) fireEach(ctx context.Context, runs []string, now time.Time) {
	sideBySide(len(runs), func(i int) {
		run := runs[i]
		failpoint.Hit(failpoint.TimerDue)
		out, err := a.engine.apply(ctx, &request{run: run})
		failpoint.Hit(failpoint.TimerFired)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			a.couldNotFire(run, now, err)
		case out.steps == 0: // someone was faster; it may have other timers by now
			a.unfired.begin(run, rest{until: now.Add(a.engine.poll), upTo: now})
		}
	})
}

// sideBySide calls f with 0 to n-1, some at once, and waits for all.
func sideBySide(n int, f func(i int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, firing)
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			f(i)
		})
	}
	group.Wait()
}

// couldNotFire lets a run rest whose timer could not be fired: for long at once where
// a guard is missing, which the next moment does not bring.
func (a *allRuns) couldNotFire(run string, now time.Time, err error) {
	if errors.Is(err, ErrUnavailable) { // it will be, and is waited for
		a.unfired.failed(run, now, 0)
		return
	}
	a.engine.logger.Warn("a timer could not be fired", slog.String("run", run), slog.Any("error", err))
	least := time.Duration(0)
	if errors.Is(err, ErrNoGuard) {
		least = longestRest
	}
	if a.unfired.failed(run, now, least) == longestRest {
		a.engine.unfirable.Store(run, nil)
	}
}

// close forgets what this worker could not fire: another one may.
func (a *allRuns) close() {
	a.unfired.end(a.engine.now().Add(longestRest), func(run string) { a.engine.unfirable.Delete(run) })
}

func (a *allRuns) claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	return a.engine.store.Claim(ctx, q)
}

func (a *allRuns) expired(ctx context.Context, now time.Time, limit int) ([]store.TaskRow, error) {
	return a.engine.store.Expired(ctx, now, limit)
}

func (a *allRuns) covers(string) bool { return true }

func (a *allRuns) messages(ctx context.Context, q store.MessageQuery) ([]store.MessageRow, error) {
	return a.engine.store.TakeMessages(ctx, q)
}

func (a *allRuns) wake(ctx context.Context, after time.Time) (time.Time, error) {
	next, err := a.engine.store.NextWake(ctx, after)
	return earlier(next, a.unfired.wake(after)), err
}

// earlier is the earlier of two times, where the zero time is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// snapshot reads a run.
func (e *Engine) snapshot(ctx context.Context, run string) (*host, *machine.Snapshot, error) {
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return nil, nil, fmt.Errorf("run %q: %w", run, err)
	}
	return e.decode(ctx, &row)
}
