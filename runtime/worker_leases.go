package runtime

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// leases keeps the leases of a worker's attempts: all of them in one write, when the first has
// run for a third of its time. A lease is renewed whatever its activity does: it says that the
// worker lives. Whoever finds that a task has been cancelled, or is another's, tells its attempt.
type leases struct {
	worker *worker
	change chan struct{} // receives when there is a new one
	begun  chan struct{} // as change, for expire

	mu     sync.Mutex
	of     map[store.Claim]*running
	rest   time.Time // until when nothing is renewed, after a failure
	looked time.Time // when the worker last looked for cancelled tasks
}

func newLeases(w *worker) *leases {
	return &leases{worker: w, change: make(chan struct{}, 1), begun: make(chan struct{}, 1), of: map[store.Claim]*running{}}
}

// keep keeps the lease of an attempt until it is dropped.
func (l *leases) keep(r *running) {
	l.mu.Lock()
	if len(l.of) == 0 {
		l.looked = l.worker.engine.own.Now()
	}
	l.of[r.task.Claim()] = r
	l.mu.Unlock()
	wake(l.change)
	wake(l.begun)
}

func (l *leases) drop(r *running) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, r.task.Claim())
}

// begin keeps leases until the function that it gives has returned.
func (l *leases) begin() (end func()) {
	ctx, cancel := context.WithCancel(l.worker.ctx)
	var running sync.WaitGroup
	running.Go(func() { l.run(ctx) })
	if l.worker.engine.shared {
		running.Go(func() { l.expire(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// run renews what is due. It looks for cancelled tasks, too, where the worker's rounds do not:
// because one takes long, or there are none any more.
func (l *leases) run(ctx context.Context) {
	e := l.worker.engine
	for ctx.Err() == nil {
		renew, look := l.next()
		now := e.own.Now()
		switch {
		case renew.IsZero(), now.Before(renew) && now.Before(look):
			_ = waitUntil(ctx, e.own, earlier(renew, look), l.change, nil)
		case !now.Before(renew):
			l.renew(ctx, now)
		default:
			l.look(ctx)
		}
	}
}

// expire stops attempts whose lease has run out, whatever becomes of the call that renews it.
// Where other hosts reach the store, a host that does not knows nothing of them: they may have
// begun the same attempt again.
func (l *leases) expire(ctx context.Context) {
	clock := l.worker.engine.own
	for ctx.Err() == nil {
		_ = waitUntil(ctx, clock, l.stopExpired(clock.Now()), l.begun, nil)
	}
}

// stopExpired stops the attempts whose lease has run out, and gives the time at which that of
// another one does.
func (l *leases) stopExpired(now time.Time) (next time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.of {
		switch until := r.leasedUntil(); {
		case r.stopCause() == ErrFenced:
		case now.Before(until):
			next = earlier(next, until)
		default:
			r.stop(ErrFenced)
		}
	}
	return next
}

// next is when a lease is to be renewed, and when cancelled tasks are to be looked for; both
// zero without leases.
func (l *leases) next() (renew, look time.Time) {
	e := l.worker.engine
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.of {
		renew = earlier(renew, r.leasedUntil().Add(e.lease/3-e.lease)) // counted from when it was asked for
	}
	if renew.IsZero() {
		return renew, look
	}
	if renew.Before(l.rest) {
		renew = l.rest
	}
	return renew, l.looked.Add(2 * e.poll)
}

// renew renews all leases. Where that fails until one has run out, its task may be another's by
// now; but not where nobody can write: then the fence decides, later. Of a store that other
// hosts reach no one knows that; see expire.
func (l *leases) renew(ctx context.Context, asked time.Time) {
	e := l.worker.engine
	claims := l.claims()
	now := e.now()
	renewed, err := e.store.RenewAll(ctx, claims, now, now.Add(e.lease))
	if err == nil {
		l.renewed(claims, &renewed, asked.Add(e.lease))
		return
	}
	l.mu.Lock()
	l.rest = asked.Add(e.lease / 6)
	l.mu.Unlock()
	if ctx.Err() != nil || errors.Is(err, ErrUnavailable) { // for others, too
		return
	}
	e.logger.Warn("leases were not renewed", slog.Int("leases", len(claims)), slog.Any("error", err))
	for _, c := range claims {
		if r := l.find(c); r != nil && !asked.Before(r.leasedUntil()) {
			r.stop(ErrFenced)
		}
	}
}

// renewed tells the attempts what became of their claims.
func (l *leases) renewed(claims []store.Claim, renewed *store.Renewed, until time.Time) {
	fenced := map[store.Claim]bool{}
	for _, c := range renewed.Fenced {
		fenced[c] = true
		if r := l.find(c); r != nil {
			r.stop(ErrFenced)
			l.drop(r)
		}
	}
	for _, c := range claims {
		if r := l.find(c); r != nil && !fenced[c] {
			r.leaseTo(until)
		}
	}
	l.stopping(renewed.Cancelled)
}

// look asks which tasks have been cancelled elsewhere. In this process their attempts are told
// at once.
func (l *leases) look(ctx context.Context) {
	e := l.worker.engine
	work, err := e.store.Look(ctx, store.LookQuery{Worker: e.worker, Now: e.now()})
	l.saw(work.Stopping)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrUnavailable) {
		e.logger.Warn("cancelled tasks were not looked for", slog.Any("error", err))
	}
}

// saw notes that the worker has looked, and what it has found.
func (l *leases) saw(cancelled []store.Claim) {
	l.mu.Lock()
	l.looked = l.worker.engine.own.Now()
	l.mu.Unlock()
	l.stopping(cancelled)
}

// stopping tells attempts that their tasks have been cancelled.
func (l *leases) stopping(cancelled []store.Claim) {
	for _, c := range cancelled {
		if r := l.find(c); r != nil && r.stopCause() != ErrMoved {
			r.stop(ErrMoved)
		}
	}
}

// find is the attempt that holds a claim, or nil.
func (l *leases) find(c store.Claim) *running {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[c]
}

func (l *leases) claims() []store.Claim {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.of))
}

// leasedUntil is until when the task of an attempt is its own.
func (r *running) leasedUntil() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lease
}

func (r *running) leaseTo(until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lease = until
}
