package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
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
	for after := ""; ; {
		rows, err := e.store.Runs(ctx, RunFilter{Status: Running, Limit: 1000, After: after})
		if err != nil {
			return fmt.Errorf("looking for unfinished runs: %w", err)
		}
		for i := range rows {
			hash := rows[i].Definition
			if known[hash] || a.unreadable[hash] {
				continue
			}
			_, err := e.host(ctx, hash)
			known[hash], a.unreadable[hash] = err == nil, err != nil
			if err != nil {
				e.logger.Error("runs of a machine are left alone", slog.String("machine", rows[i].Machine),
					slog.String("run", rows[i].Run), slog.Any("error", err))
			}
		}
		if len(rows) < 1000 {
			return nil
		}
		after = rows[len(rows)-1].Run
	}
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

// firing is how many runs fire their timers at once.
const firing = 8

func (a *allRuns) fireEach(ctx context.Context, runs []string, now time.Time) {
	var group sync.WaitGroup
	slots := make(chan struct{}, firing)
	for _, run := range runs {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
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

func (a *allRuns) messages(ctx context.Context, q store.MessageQuery) ([]store.MessageRow, error) {
	return a.engine.store.TakeMessages(ctx, q)
}

func (a *allRuns) wake(ctx context.Context, after time.Time) (time.Time, error) {
	next, err := a.engine.store.NextWake(ctx, after)
	return earlier(next, a.unfired.wake(after)), err
}

// oneRun is the scope of RunUntilIdle: one run, and nothing of the others.
type oneRun struct {
	engine *Engine
	run    string
	once   bool         // nothing begins once the run has moved on from there:
	from   atomic.Int64 // its Seq, and the steps since then that end nothing
}

func (a *allRuns) stepped(int64) {}

func (o *oneRun) stepped(steps int64) { o.from.Add(steps) }

func (o *oneRun) moved(ctx context.Context) (bool, error) {
	if !o.once {
		return false, nil
	}
	row, err := o.engine.store.Load(ctx, o.run)
	if err != nil {
		return false, fmt.Errorf("run %q: %w", o.run, err)
	}
	return row.Seq > o.from.Load(), nil
}

func (o *oneRun) prepare(ctx context.Context) error {
	row, err := o.engine.store.Load(ctx, o.run)
	if err == nil {
		_, err = o.engine.host(ctx, row.Definition)
	}
	if err != nil {
		return fmt.Errorf("run %q: %w", o.run, err)
	}
	return nil
}

// fire reads the timers of the run itself.
func (o *oneRun) fire(ctx context.Context, now time.Time) (fired bool, err error) {
	_, s, err := o.engine.snapshot(ctx, o.run)
	if err != nil || s.Status != Running || !s.PausedAt.IsZero() {
		return false, err
	}
	if next := s.NextDue(); next.IsZero() || next.After(now) {
		return false, nil
	}
	if moved, err := o.moved(ctx); moved || err != nil {
		return false, err
	}
	_, err = o.engine.apply(ctx, &request{run: o.run})
	return err == nil, err
}

func (o *oneRun) claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	if moved, err := o.moved(ctx); moved || err != nil {
		return nil, err
	}
	q.Run = o.run
	return o.engine.store.Claim(ctx, q)
}

// expired asks for all there are, since those of other runs come with it.
func (o *oneRun) expired(ctx context.Context, now time.Time, _ int) ([]store.TaskRow, error) {
	rows, err := o.engine.store.Expired(ctx, now, 0)
	return slices.DeleteFunc(rows, func(t store.TaskRow) bool { return t.Run != o.run }), err
}

func (o *oneRun) messages(ctx context.Context, q store.MessageQuery) ([]store.MessageRow, error) {
	q.Run = o.run
	return o.engine.store.TakeMessages(ctx, q)
}

func (o *oneRun) wake(ctx context.Context, after time.Time) (time.Time, error) {
	_, s, err := o.engine.snapshot(ctx, o.run)
	if err != nil {
		return time.Time{}, err
	}
	tasks, err := o.engine.store.Tasks(ctx, o.run)
	if err != nil {
		return time.Time{}, fmt.Errorf("the tasks of run %q: %w", o.run, err)
	}
	next := s.NextDue()
	for i := range tasks {
		due := tasks[i].NotBefore
		if tasks[i].Worker != "" {
			due = tasks[i].LeaseUntil
		}
		if due.After(after) {
			next = earlier(next, due)
		}
	}
	closed, err := o.engine.closedLimits(ctx, tasks)
	if err != nil {
		return time.Time{}, err
	}
	for i := range tasks {
		if l := limitOf(closed, &tasks[i]); l != nil && tasks[i].Worker == "" && l.Opens.After(after) {
			next = earlier(next, l.Opens)
		}
	}
	messages, err := o.engine.store.Outbox(ctx, o.run, 1)
	if err != nil {
		return time.Time{}, fmt.Errorf("the outbox of run %q: %w", o.run, err)
	}
	if len(messages) > 0 && messages[0].Ready.After(after) {
		next = earlier(next, messages[0].Ready)
	}
	return next, nil
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
