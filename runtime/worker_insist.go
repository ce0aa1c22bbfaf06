package runtime

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// answered reports whether the store has answered a write: it is done, or refused for
// good. Any other error may pass: the lock of another program, a full disk, a network.
func answered(err error) bool {
	return answers(err, ErrFenced, ErrHalted, ErrFinished, ErrNotFound, ErrExists, ErrNoGuard, store.ErrStoreStopped, store.ErrClosed)
}

// judgedEnd is answered for what an attempt has done: a guard that cannot be asked now, or is
// away, may be asked soon. Without waiting for it the attempt would be made again, and again.
func judgedEnd(err error) bool { return answered(err) && !errors.Is(err, ErrNoGuard) }

// insist makes a write until it is answered or ctx is done, so that what
// was done is not done again (decision 40). Between two tries it calls meanwhile, if any.
func (w *worker) insist(ctx context.Context, answered func(error) bool, write func(context.Context) error, meanwhile func()) error {
	e := w.engine
	wait := time.Duration(0)
	for {
		err := write(w.ctx)
		if answered(err) || ctx.Err() != nil {
			return err
		}
		wait = min(longerRest(wait), e.lease/3)
		if !errors.Is(err, ErrUnavailable) {
			e.logger.Warn("a write could not be made, and is tried again", slog.Any("error", err), slog.Duration("in", wait))
		}
		if e.pause(ctx, nil, wait) != nil {
			return err
		}
		if meanwhile != nil {
			meanwhile()
		}
	}
}

// insist keeps the lease meanwhile. Where that goes well and the write does not, for so
// long that it is not the store that fails but the run that is damaged, the attempt
// gives its room to others.
func (r *running) insist(write func(context.Context) error) error {
	return r.insistUntil(answered, write)
}

func (r *running) insistUntil(answered func(error) bool, write func(context.Context) error) error {
	began := r.engine.own.Now()
	return r.worker.insist(r.worker.insisting, answered, write, func() {
		if r.renew(nil) == nil && r.engine.own.Now().Sub(began) > longestRest {
			r.worker.free(r)
		}
	})
}

// apply is that of the engine, insisted on.
func (r *running) apply(answered func(error) bool, c *request) (out applied, err error) {
	err = r.insistUntil(answered, func(ctx context.Context) (err error) {
		out, err = r.engine.apply(ctx, c)
		return err
	})
	return out, err
}
