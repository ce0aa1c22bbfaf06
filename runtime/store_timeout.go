package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// limited is a store of which no call lasts for longer than its limit, as far as it
// heeds its context. What operators ask of all runs has the limit of the caller alone.
// That it cannot do something is said once, and that it can again: many want something
// of it meanwhile, and ask again and again.
type limited struct {
	Store
	limit         time.Duration
	logger        *slog.Logger
	reads, writes outage
}

// outage is since when calls of a kind have failed: on a full disk reads do not.
type outage struct {
	mu    sync.Mutex
	since time.Time // zero while they do not fail
}

var errSlowStore = store.Unavailable("the store does not answer")

// within makes a call that ends in time.
func within[T any](ctx context.Context, s *limited, call func(context.Context) (T, error)) (T, error) {
	limited := store.NewCall(ctx, s.limit, errSlowStore)
	defer limited.Release()
	value, err := call(limited)
	if err != nil && context.Cause(limited) == errSlowStore && !errors.Is(err, ErrUnavailable) {
		err = fmt.Errorf("%w within %s: %w", errSlowStore, machine.DurationText(s.limit), err)
	}
	return value, err
}

func readFrom[T any](ctx context.Context, s *limited, call func(context.Context) (T, error)) (T, error) {
	value, err := within(ctx, s, call)
	s.reads.note(s.logger, err)
	return value, err
}

// takeFrom reads what is there, and writes where that is anything.
func takeFrom[T any](ctx context.Context, s *limited, call func(context.Context) ([]T, error)) ([]T, error) {
	rows, err := within(ctx, s, call)
	if err != nil || len(rows) > 0 {
		s.writes.note(s.logger, err)
	}
	return rows, err
}

func writeTo[T any](ctx context.Context, s *limited, call func(context.Context) (T, error)) (T, error) {
	value, err := within(ctx, s, call)
	s.writes.note(s.logger, err)
	return value, err
}

// do is writeTo for what gives nothing.
func (s *limited) do(ctx context.Context, call func(context.Context) error) error {
	_, err := writeTo(ctx, s, func(ctx context.Context) (struct{}, error) { return struct{}{}, call(ctx) })
	return err
}

func (o *outage) note(logger *slog.Logger, err error) {
	o.mu.Lock()
	since := o.since
	began := since.IsZero() && errors.Is(err, ErrUnavailable)
	ended := !since.IsZero() && answered(err)
	switch {
	case began:
		o.since = time.Now()
	case ended:
		o.since = time.Time{}
	}
	o.mu.Unlock()
	switch {
	case began:
		logger.Warn("the store cannot do it now", slog.Any("error", err))
	case ended:
		logger.Warn("the store can do it again", slog.Duration("after", time.Since(since)))
	}
}

func (s *limited) Definition(ctx context.Context, hash string) (store.DefinitionRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) (store.DefinitionRow, error) { return s.Store.Definition(ctx, hash) })
}

func (s *limited) Load(ctx context.Context, run string) (RunRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) (RunRow, error) { return s.Store.Load(ctx, run) })
}

func (s *limited) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	return readFrom(ctx, s, func(ctx context.Context) (store.Work, error) { return s.Store.Look(ctx, q) })
}

func (s *limited) Expired(ctx context.Context, now time.Time, limit int) ([]store.TaskRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) ([]store.TaskRow, error) { return s.Store.Expired(ctx, now, limit) })
}

func (s *limited) Held(ctx context.Context, run string, now time.Time) (bool, error) {
	return readFrom(ctx, s, func(ctx context.Context) (bool, error) { return s.Store.Held(ctx, run, now) })
}

func (s *limited) Due(ctx context.Context, now time.Time, limit int) ([]store.TimerRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) ([]store.TimerRow, error) { return s.Store.Due(ctx, now, limit) })
}

func (s *limited) Outbox(ctx context.Context, run string, limit int) ([]store.MessageRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) ([]store.MessageRow, error) { return s.Store.Outbox(ctx, run, limit) })
}

func (s *limited) History(ctx context.Context, run string, after int64, limit int) ([]store.HistoryRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) ([]store.HistoryRow, error) { return s.Store.History(ctx, run, after, limit) })
}

func (s *limited) Runs(ctx context.Context, f RunFilter) ([]RunRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) ([]RunRow, error) { return s.Store.Runs(ctx, f) })
}

func (s *limited) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) ([]store.TaskRow, error) { return s.Store.Tasks(ctx, run) })
}

func (s *limited) TaskOf(ctx context.Context, child string) (store.TaskRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) (store.TaskRow, error) { return s.Store.TaskOf(ctx, child) })
}

func (s *limited) Limits(ctx context.Context, now time.Time) ([]store.LimitRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) ([]store.LimitRow, error) { return s.Store.Limits(ctx, now) })
}

func (s *limited) Feed(ctx context.Context, after int64, limit int) ([]store.FeedRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) ([]store.FeedRow, error) { return s.Store.Feed(ctx, after, limit) })
}

func (s *limited) FeedEnd(ctx context.Context) (int64, error) {
	return readFrom(ctx, s, s.Store.FeedEnd)
}

func (s *limited) Changed(ctx context.Context) (int64, error) {
	return readFrom(ctx, s, s.Store.Changed)
}

func (s *limited) Timers(ctx context.Context, run string) ([]store.TimerRow, error) {
	return readFrom(ctx, s, func(ctx context.Context) ([]store.TimerRow, error) { return s.Store.Timers(ctx, run) })
}

func (s *limited) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	return takeFrom(ctx, s, func(ctx context.Context) ([]store.TaskRow, error) { return s.Store.Claim(ctx, q) })
}

func (s *limited) TakeMessages(ctx context.Context, q store.MessageQuery) ([]store.MessageRow, error) {
	return takeFrom(ctx, s, func(ctx context.Context) ([]store.MessageRow, error) { return s.Store.TakeMessages(ctx, q) })
}

func (s *limited) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	return writeTo(ctx, s, func(ctx context.Context) (bool, error) { return s.Store.Renew(ctx, c, now, until, checkpoint) })
}

func (s *limited) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	return writeTo(ctx, s, func(ctx context.Context) (store.Renewed, error) { return s.Store.RenewAll(ctx, claims, now, until) })
}

func (s *limited) Accepted(ctx context.Context, run, eventID string) (answer json.RawMessage, ok bool, err error) {
	answer, err = readFrom(ctx, s, func(ctx context.Context) (found json.RawMessage, err error) {
		found, ok, err = s.Store.Accepted(ctx, run, eventID)
		return found, err
	})
	return answer, ok, err
}

func (s *limited) PutDefinition(ctx context.Context, d store.DefinitionRow) error {
	return s.do(ctx, func(ctx context.Context) error { return s.Store.PutDefinition(ctx, d) })
}

func (s *limited) Commit(ctx context.Context, c *store.Commit) error {
	return s.do(ctx, func(ctx context.Context) error { return s.Store.Commit(ctx, c) })
}

func (s *limited) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	return s.do(ctx, func(ctx context.Context) error { return s.Store.Release(ctx, c, now, notBefore) })
}

func (s *limited) Confirm(ctx context.Context, c store.Claim, now time.Time) error {
	return s.do(ctx, func(ctx context.Context) error { return s.Store.Confirm(ctx, c, now) })
}

func (s *limited) Reclaim(ctx context.Context, c store.Claim, now time.Time) error {
	return s.do(ctx, func(ctx context.Context) error { return s.Store.Reclaim(ctx, c, now) })
}

func (s *limited) Delivered(ctx context.Context, id string, attempt int, now time.Time) error {
	return s.do(ctx, func(ctx context.Context) error { return s.Store.Delivered(ctx, id, attempt, now) })
}

func (s *limited) Undelivered(ctx context.Context, id string, attempt int, ready time.Time, reason string) error {
	return s.do(ctx, func(ctx context.Context) error { return s.Store.Undelivered(ctx, id, attempt, ready, reason) })
}
