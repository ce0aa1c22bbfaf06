package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Message is a message that a step has published.
//
// It is delivered at least once: the receiver knows by its ID whether it has seen the message
// before. The messages of one run are delivered one after the other, in the order in which they
// were published; those of different runs, side by side.
type Message struct {
	ID      string // stable: the same for the same message whatever happens
	Run     string
	Machine string
	Event   string
	Data    json.RawMessage // the event's fields
	At      time.Time       // of the step that published it
	Attempt int             // from 1
}

// OutboxFunc delivers a message. If it returns an error, or ctx is done, the message has not been
// delivered. It is tried again after a second, then after twice as long each time up to a minute,
// without a limit. ctx is done when the lease has run out, or when the engine stops and the grace
// period is over. The engine does not wait for a function that goes on after that: see
// WithStopping.
type OutboxFunc func(ctx context.Context, m *Message) error

// WithOutbox delivers published messages by deliver. An engine without it leaves messages to an
// engine that has it.
func WithOutbox(deliver OutboxFunc) Option { return func(e *Engine) { e.outbox = deliver } }

// deliveries is how many messages a worker delivers at once.
const deliveries = 8

// courier is what a worker delivers messages with.
type courier struct {
	worker *worker
	ctx    context.Context // of deliveries; outlives the worker's by the grace period
	stop   context.CancelCauseFunc
	busy   atomic.Int32
}

func newCourier(ctx context.Context, w *worker) *courier {
	c := &courier{worker: w}
	c.ctx, c.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	return c
}

// round takes as many messages as there is room for, and delivers them.
func (c *courier) round(ctx context.Context) (bool, error) {
	e := c.worker.engine
	free := deliveries - int(c.busy.Load())
	if e.outbox == nil || free <= 0 {
		return false, nil
	}
	asked, now := e.own.Now(), e.now()
	rows, err := e.store.TakeMessages(ctx, store.MessageQuery{
		Worker: e.worker, Now: now, Until: now.Add(e.lease), Limit: free, Run: c.worker.only,
	})
	if err != nil {
		return false, fmt.Errorf("taking messages from the outbox: %w", err)
	}
	for i := range rows {
		c.busy.Add(1)
		c.worker.attempts.Go(func() {
			if c.deliver(&rows[i], asked.Add(e.lease)) {
				c.free()
			}
		})
	}
	return len(rows) > 0, nil
}

// free gives the room of a delivery back.
func (c *courier) free() {
	c.busy.Add(-1)
	c.worker.wakeUp()
}

// deliver makes one attempt at a message, and says in the store what became of
// it. Where the store cannot be told until the worker ends, the lease runs out and the
// message is delivered a second time. It reports whether the user's function has returned.
func (c *courier) deliver(row *store.MessageRow, lease time.Time) (returned bool) {
	e := c.worker.engine
	failpoint.Hit(failpoint.MessageTaken)
	returned, failed := c.handOver(row, lease)
	var err error
	if failed == nil {
		failpoint.Hit(failpoint.MessageDelivered)
		err = c.worker.insist(c.worker.insisting, answered, func(ctx context.Context) error { return e.store.Delivered(ctx, row.ID, row.Attempt, e.now()) }, nil)
		failpoint.Hit(failpoint.MessageMarked)
	} else {
		failpoint.Hit(failpoint.MessageNotHandled)
		wait := machine.RedeliverAfter(row.ID, int64(row.Attempt))
		e.logger.Warn("a message could not be delivered", slog.String("run", row.Run), slog.String("message", row.ID),
			slog.Int("attempt", row.Attempt), slog.Duration("again_in", wait), slog.Any("error", failed))
		ready := e.now().Add(wait)
		err = c.worker.insist(c.worker.insisting, answered, func(ctx context.Context) error {
			return e.store.Undelivered(ctx, row.ID, row.Attempt, ready, machine.CleanMessage(failed.Error()))
		}, nil)
	}
	e.changes.notify(row.Run)
	if err != nil && !errors.Is(err, ErrFenced) {
		e.logger.Warn("what became of a message could not be stored", slog.String("message", row.ID), slog.Any("error", err))
	}
	return returned
}

// errLeaseOver ends a delivery whose lease has run out.
var errLeaseOver = fmt.Errorf("its lease has run out: %w", context.DeadlineExceeded)

// handOver calls the user's function, for as long as the lease runs: it is measured on
// this engine's clock, from before it was asked for. One that does not return although its
// context is done is left to itself, as an activity is, and keeps its room until it returns.
func (c *courier) handOver(row *store.MessageRow, lease time.Time) (returned bool, err error) {
	e := c.worker.engine
	if !e.own.Now().Before(lease) {
		return true, errLeaseOver // the store was slow, and the message may be another's by now
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	handed := called("the function", func() error {
		return plain(e.outbox(ctx, &Message{
			ID: row.ID, Run: row.Run, Machine: row.Machine, Event: row.Event, Data: row.Data, At: row.At, Attempt: row.Attempt,
		}))
	}, errors.New)
	expired := e.own.NewTimer(lease)
	defer expired.Stop()
	select {
	case err := <-handed:
		return true, err
	case <-expired.C():
		cancel(errLeaseOver)
	case <-ctx.Done():
	}
	if err, ended := receive(e.own, handed, e.stopping); ended {
		return true, cmp.Or(err, context.Cause(ctx))
	}
	e.logger.Error("the delivery of a message does not stop and is left to itself",
		slog.String("run", row.Run), slog.String("message", row.ID), slog.Int("attempt", row.Attempt))
	go func() {
		<-handed
		c.free()
	}()
	return false, fmt.Errorf("it does not stop: %w", context.Cause(ctx))
}

// WaitDelivered waits until all messages of all runs have been delivered. It delivers nothing
// itself: see Run.
func (e *Engine) WaitDelivered(ctx context.Context) error {
	woken, stop := e.changes.watch("")
	defer stop()
	for {
		rows, err := e.store.Outbox(ctx, "", 1)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := e.pause(ctx, woken, e.poll); err != nil {
			return err
		}
	}
}

// drained reports whether this engine has nothing more to deliver for a run, and for those below it.
func (e *Engine) drained(ctx context.Context, run string) (bool, error) {
	if e.outbox == nil {
		return true, nil
	}
	rows, err := e.store.Outbox(ctx, run, 1)
	if err != nil {
		return false, fmt.Errorf("the outbox of run %q: %w", run, err)
	}
	if h, _, err := e.snapshot(ctx, run); err != nil || len(rows) > 0 || !h.machine.Calls() {
		return len(rows) == 0, err
	}
	if rows, err = e.store.Outbox(ctx, "", 0); err != nil {
		return false, fmt.Errorf("the outbox: %w", err)
	}
	return !slices.ContainsFunc(rows, func(m store.MessageRow) bool { return below(m.Run, run) }), nil
}
