package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Run works, until ctx is done, on all runs of the store for which this engine has functions. It
// claims activities, never more than its concurrency, and runs them, fires timers, delivers
// messages, and replaces workers that were lost. What happens in this process wakes it at once;
// it looks for the work of other processes every poll interval.
//
// When ctx is done, it claims nothing more, and lets activities go on for the grace period. Then
// it cancels the activities that are left, and releases their tasks, which do not count. It
// returns nil when every activity has returned or has been left to itself. That takes at most the
// grace period, the time for stopping and the time of one call of the store. If something does
// not return by then, such as a store that hangs, Run leaves it and returns ErrHangs.
//
// Another error means that the store writes nothing more, or has failed again and again for a
// reason that does not pass. A full disk passes: Run waits for it (decision 90). Each call of Run
// has its own concurrency.
func (e *Engine) Run(ctx context.Context) error {
	all := &allRuns{engine: e}
	defer all.close()
	return e.work(ctx, all, "", nil)
}

// RunUntilIdle works like Run, but only on one run. It returns the run when it has ended, is
// halted or paused, or waits only for events from outside, and when its messages have been
// delivered, if this engine delivers any. If ctx is done before that, it stops like Run, with the
// error of ctx.
//
// A run waits only for events from outside if none of its activities is open, and its state takes
// an event, or has no timer and a state around it takes an event. So RunUntilIdle leaves a run
// that waits for an approval, also beside a timer, but not one that only waits for its next
// attempt. A run with children waits for such events if all of them do, also those that it has
// left behind.
func (e *Engine) RunUntilIdle(ctx context.Context, run string) (View, error) {
	return e.runUntil(ctx, &oneRun{engine: e, run: run}, e.looks().idle)
}

// RunUntilDone works like RunUntilIdle, but also waits for events from outside. It returns when
// the run has ended or is halted, or only waits for children that are halted. It waits as well for
// activities for which this engine has no function; the log says which those are.
func (e *Engine) RunUntilDone(ctx context.Context, run string) (View, error) {
	return e.runUntil(ctx, &oneRun{engine: e, run: run}, e.looks().done)
}

// RunOnce works like RunUntilIdle, but only until the run has taken one input: the end of an
// activity, or a timer. Activities that run beside it may end, too, unless the concurrency is 1.
func (e *Engine) RunOnce(ctx context.Context, run string) (View, error) {
	v, err := e.Get(ctx, run)
	if err != nil {
		return v, err
	}
	one := &oneRun{engine: e, run: run, once: true, from: v.Seq}
	looks := e.looks()
	return e.runUntil(ctx, one, func(ctx context.Context, run string) (bool, error) {
		if moved, err := one.moved(ctx); moved || err != nil {
			return moved, err
		}
		return looks.idle(ctx, run)
	})
}

func (e *Engine) runUntil(ctx context.Context, one *oneRun, reached func(context.Context, string) (bool, error)) (View, error) {
	run := one.run
	stop := func() (bool, error) {
		if ok, err := reached(ctx, run); !ok || err != nil {
			return false, err
		}
		return e.drained(ctx, run)
	}
	if err := e.work(ctx, one, run, stop); err != nil {
		return View{}, err
	}
	type got struct {
		v   View
		err error
	}
	reply := make(chan got, 1)
	go func() {
		v, err := e.Get(context.WithoutCancel(ctx), run)
		reply <- got{v, err}
	}()
	g, ok := receive(e.own, reply, e.storeLimit+lastMoments)
	if !ok {
		return View{}, ErrHangs
	}
	return g.v, cmp.Or(g.err, ctx.Err())
}

// scope is what a worker works on.
type scope interface {
	// prepare is called once, before work begins.
	prepare(ctx context.Context) error
	// asks says what to look for, and what it leaves to others.
	asks(q *store.LookQuery)
	// fire takes what has fallen due by now, and reports whether that was
	// anything.
	fire(ctx context.Context, work *store.Work, now time.Time) (fired bool, err error)
	// claim leases up to limit tasks.
	claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error)
	// covers reports whether a run is one that is worked on.
	covers(run string) bool
	// wake is the next time, later than after, at which the scope itself wants attention;
	// zero for never.
	wake(after time.Time) time.Time
}

// worker is one call of Run or RunUntilIdle.
type worker struct {
	engine *Engine
	scope  scope
	only   string // the run that it works on, with those below it; empty for all

	courier  *courier
	keeper   *keeper
	leases   *leases
	attempts sync.WaitGroup // of activities and deliveries
	ended    chan struct{}  // receives after an attempt has ended
	untaken  rests[string]  // runs with claims of lost workers that could not be taken over

	// ctx is that of what an attempt or a delivery writes at its end, and outlives the
	// worker's: it is done when the worker gives up. Until insisting is done a write that
	// fails is made again.
	ctx       context.Context
	giveUp    context.CancelCauseFunc
	insisting context.Context
	relent    context.CancelFunc

	mu      sync.Mutex
	running map[*running]struct{}
}

// A worker waits after a round that has failed, twice as long each time, up to
// maxFailureWait. See WithPatience for when it gives up.
const maxFailureWait = 30 * time.Second

// ErrHangs is returned by Run if a call of the store, or a function that the engine has called,
// does not return although its context is done and its time is over.
var ErrHangs = errors.New("a call of the store, or a function of the program, does not return")

// lastMoments is how long the worker waits for what it has given up.
const lastMoments = time.Second

// work rounds until ctx is done or stop says so. It does not wait for longer than it may.
func (e *Engine) work(ctx context.Context, scope scope, only string, stop func() (bool, error)) error {
	w := &worker{engine: e, scope: scope, only: only, ended: make(chan struct{}, 1), running: map[*running]struct{}{}}
	w.courier, w.keeper = newCourier(ctx, w), &keeper{worker: w}
	w.ctx, w.giveUp = context.WithCancelCause(context.WithoutCancel(ctx))
	w.insisting, w.relent = context.WithCancel(w.ctx)
	w.leases = newLeases(w)
	defer w.relent()
	over := make(chan error, 1)
	go func() { over <- w.loop(ctx, stop) }()
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
	}
	if err, ok := receive(e.own, over, e.grace+e.stopping+e.storeLimit); ok {
		return err
	}
	w.giveUp(ErrStopped)
	if err, ok := receive(e.own, over, lastMoments); ok {
		return err
	}
	return ErrHangs
}

func (w *worker) loop(ctx context.Context, stop func() (bool, error)) error {
	e, scope := w.engine, w.scope
	woken, unwatch := e.changes.watch("")
	defer unwatch()
	defer w.leases.begin()()
	defer w.shutDown()
	failing, wait, prepared := time.Time{}, time.Duration(0), false
	for ctx.Err() == nil {
		until, err := time.Time{}, error(nil)
		if !prepared {
			err = scope.prepare(ctx)
			prepared = err == nil
		}
		if err == nil {
			until, err = w.round(ctx)
		}
		if err == nil && stop != nil {
			idle, failed := stop()
			if idle {
				return nil
			}
			err = failed
		}
		switch {
		case ctx.Err() != nil:
		case stop != nil && errors.Is(err, ErrNotFound):
			return err // the one run that it is about
		case errors.Is(err, store.ErrStoreStopped), errors.Is(err, store.ErrClosed):
			return fmt.Errorf("the worker ends: %w", err)
		case err != nil:
			if errors.Is(err, ErrUnavailable) {
				failing = time.Time{} // what comes behind an outage is another failure
			} else {
				failing = cmp.Or(failing, e.own.Now())
				since := e.own.Now().Sub(failing)
				if since >= e.patience {
					return fmt.Errorf("the worker gives up after it has failed for %s: %w", machine.DurationText(since), err)
				}
				e.logger.Warn("the worker failed and goes on", slog.Any("error", err), slog.Duration("failing", since))
			}
			wait = min(max(2*wait, 2*e.poll), maxFailureWait)
			_ = e.pause(ctx, nil, wait) // whatever happens: what wakes it may come of the failure
		default:
			failing, wait = time.Time{}, 0
			if !until.IsZero() {
				_ = waitUntil(ctx, e.clock, until, woken, w.ended)
			}
		}
	}
	return nil
}

// round does once all that there is to do, and says until when to rest; zero
// where there may be more.
func (w *worker) round(ctx context.Context) (time.Time, error) {
	e := w.engine
	now := e.now()
	work, err := w.look(ctx, now)
	if err != nil {
		return time.Time{}, err
	}
	fired, err := w.scope.fire(ctx, &work, now)
	if err != nil {
		return time.Time{}, err
	}
	taken := w.takeOver(ctx, work.Expired, now)
	claimed, err := w.claim(ctx)
	if err != nil {
		return time.Time{}, err
	}
	delivering, err := w.courier.round(ctx)
	if err != nil {
		return time.Time{}, err
	}
	keeping, err := w.keeper.round(ctx, &work, now)
	if err != nil {
		return time.Time{}, err
	}
	if fired || claimed || taken || delivering || keeping {
		return time.Time{}, nil
	}
	wake := earlier(work.Wake, w.scope.wake(now))
	look := e.clock.Now().Add(e.poll - e.poll/8 + rand.N(e.poll/4+1)) // processes do not look all at once
	return earlier(earlier(look, wake), earlier(w.untaken.wake(now), w.keeper.failing.wake(now))), nil
}

// look asks the store what there is.
func (w *worker) look(ctx context.Context, now time.Time) (store.Work, error) {
	w.untaken.end(now, func(string) {})
	q := store.LookQuery{
		Worker: w.engine.worker, Now: now, Run: w.only, Limit: batch, NoClaims: w.untaken.keys(now), Children: w.keeper.asks(now),
	}
	w.scope.asks(&q)
	work, err := w.engine.store.Look(ctx, q)
	if err != nil {
		return work, fmt.Errorf("looking for what there is to do: %w", err)
	}
	w.leases.saw(work.Stopping)
	return work, nil
}

// claim takes as many tasks as there is room for, and runs them.
func (w *worker) claim(ctx context.Context) (bool, error) {
	e := w.engine
	e.tellMissing()
	activities := e.claimable()
	if e.standIns != nil {
		_, standIns := e.withoutChildren(e.calls())
		activities = append(activities, standIns...)
	}
	free := e.concurrency - w.occupied()
	if free <= 0 || len(activities) == 0 {
		return false, nil
	}
	asked, now := e.own.Now(), e.now()
	rows, err := w.scope.claim(ctx, store.ClaimQuery{
		Worker: e.worker, Now: now, Until: now.Add(e.lease), Limit: free, Activities: activities, Run: w.only,
	})
	if err != nil {
		return false, fmt.Errorf("claiming tasks: %w", err)
	}
	for i := range rows {
		failpoint.Hit(failpoint.Claimed)
		w.start(&rows[i], asked.Add(e.lease))
	}
	return len(rows) > 0, nil
}

func (w *worker) occupied() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.running)
}

// shutDown waits for the activities and deliveries under way: first it lets them
// go on, then it cancels them. When the worker has nothing more to do of its own accord
// there are none of its runs' left.
func (w *worker) shutDown() {
	e := w.engine
	done := make(chan struct{})
	go func() {
		w.attempts.Wait()
		close(done)
	}()
	defer w.courier.stop(nil)
	if _, ended := receive(e.own, done, e.grace); ended {
		return
	}
	w.courier.stop(ErrStopped)
	w.mu.Lock()
	for r := range w.running {
		r.stop(ErrStopped)
	}
	w.mu.Unlock()
	if _, ended := receive(e.own, done, e.stopping); !ended {
		w.relent()
		<-done
	}
}
