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
	known := map[string]bool{}
	err := e.eachRun(ctx, RunFilter{}, []Status{Running, Ending}, 1000, func(row *RunRow) error {
		hash := row.Definition
		if known[hash] || a.unreadable[hash] {
			return nil
		}
		_, err := e.host(ctx, hash)
		known[hash], a.unreadable[hash] = err == nil, err != nil
		if err != nil {
			e.logger.Error("runs of a machine are left alone", slog.String("machine", row.Machine),
				slog.String("run", row.Run), slog.Any("error", err))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("looking for unfinished runs: %w", err)
	}
	return nil
}

// learnEvery is how often a worker looks for work of versions that it does not know,
// and for functions that were not there.
const learnEvery = time.Second

// asks implements scope. Runs of which a timer was fired elsewhere rest too, but not from
// timers that fall due later.
func (a *allRuns) asks(q *store.LookQuery) {
	a.unfired.end(q.Now, func(run string) { a.engine.unfirable.Delete(run) })
	q.NoTimers = a.unfired.keys(q.Now)
	q.NoTimers = slices.DeleteFunc(q.NoTimers, func(run string) bool {
		rest, _ := a.unfired.active(run, q.Now)
		return rest.upTo.Before(q.Now)
	})
	if q.Versions = q.Now.Sub(a.learnt).Abs() >= learnEvery; q.Versions {
		a.engine.lookAgain()
	}
}

// learn makes those versions known that have work, whoever brought it and whenever
// their runs began: a run may have been migrated, or retried after years.
func (a *allRuns) learn(ctx context.Context, work *store.Work, now time.Time) {
	if now.Sub(a.learnt).Abs() < learnEvery {
		return // it has not been asked for
	}
	e, wanted := a.engine, work.Wanted
	for i := range work.Leftovers {
		if hash := work.Leftovers[i].Definition; !slices.Contains(wanted, hash) {
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
}

// fire fires the timers of several runs side by side; a run takes all that is
// due at once.
func (a *allRuns) fire(ctx context.Context, work *store.Work, now time.Time) (bool, error) {
	a.learn(ctx, work, now)
	var due []string
	for _, row := range work.Due {
		if rest, ok := a.unfired.active(row.Run, now); ok && !row.Due.After(rest.upTo) {
			continue
		}
		if !slices.Contains(due, row.Run) {
			due = append(due, row.Run)
		}
	}
	a.fireEach(ctx, due, now)
	return len(due) > 0, nil
}

// firing is how many runs a worker moves at once, such as those whose timers fire.
const firing = 8

func (a *allRuns) fireEach(ctx context.Context, runs []string, now time.Time) {
	sideBySide(len(runs), firing, func(i int) {
		run := runs[i]
		failpoint.Hit(failpoint.TimerDue)
		out, err := a.engine.apply(ctx, &request{run: run})
		failpoint.Hit(failpoint.TimerFired)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			a.couldNotFire(run, now, err)
		case out.steps == 0: // someone was faster; it may have other timers by now
			a.unfired.begin(run, rest{since: now, until: now.Add(a.engine.poll), upTo: now})
		}
	})
}

// sideBySide calls f with 0 to n-1, so many at once, and waits for all.
func sideBySide(n, atOnce int, f func(i int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
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

func (a *allRuns) covers(string) bool { return true }

func (a *allRuns) wake(after time.Time) time.Time { return a.unfired.wake(after) }

// earlier is the earlier of two times, where the zero time is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// snapshot reads a run.
func (e *Engine) snapshot(ctx context.Context, run string) (*host, *machine.Snapshot, error) {
	_, h, s, err := e.read(ctx, run)
	return h, s, err
}

// read is snapshot with the row of the run.
func (e *Engine) read(ctx context.Context, run string) (row RunRow, h *host, s *machine.Snapshot, err error) {
	if row, err = e.Row(ctx, run); err == nil {
		h, s, err = e.decode(ctx, &row)
	}
	return row, h, s, err
}
