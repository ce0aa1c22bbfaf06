package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// limited is a store of which no call lasts for longer than its limit, as far as it
// heeds its context. What operators ask of all runs has the limit of the caller alone.
type limited struct {
	Store
	limit time.Duration
}

var errSlowStore = errors.New("the store does not answer")

func (s limited) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.limit, errSlowStore)
}

func (s limited) PutDefinition(ctx context.Context, d DefinitionRow) error {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.PutDefinition(ctx, d)
}

func (s limited) Definition(ctx context.Context, hash string) (DefinitionRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Definition(ctx, hash)
}

func (s limited) Load(ctx context.Context, run string) (RunRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Load(ctx, run)
}

func (s limited) Commit(ctx context.Context, c *Commit) error {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Commit(ctx, c)
}

func (s limited) Accepted(ctx context.Context, run, eventID string) (json.RawMessage, bool, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Accepted(ctx, run, eventID)
}

func (s limited) Claim(ctx context.Context, q ClaimQuery) ([]TaskRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Claim(ctx, q)
}

func (s limited) Wanted(ctx context.Context) ([]string, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Wanted(ctx)
}

func (s limited) Renew(ctx context.Context, c Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Renew(ctx, c, now, until, checkpoint)
}

func (s limited) Release(ctx context.Context, c Claim, now, notBefore time.Time) error {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Release(ctx, c, now, notBefore)
}

func (s limited) Confirm(ctx context.Context, c Claim, now time.Time) error {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Confirm(ctx, c, now)
}

func (s limited) Expired(ctx context.Context, now time.Time, limit int) ([]TaskRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Expired(ctx, now, limit)
}

func (s limited) Reclaim(ctx context.Context, c Claim, now time.Time) error {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Reclaim(ctx, c, now)
}

func (s limited) Held(ctx context.Context, run string, now time.Time) (bool, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Held(ctx, run, now)
}

func (s limited) Due(ctx context.Context, now time.Time, limit int) ([]TimerRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Due(ctx, now, limit)
}

func (s limited) NextWake(ctx context.Context, after time.Time) (time.Time, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.NextWake(ctx, after)
}

func (s limited) Outbox(ctx context.Context, run string, limit int) ([]MessageRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Outbox(ctx, run, limit)
}

func (s limited) TakeMessages(ctx context.Context, q MessageQuery) ([]MessageRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.TakeMessages(ctx, q)
}

func (s limited) Delivered(ctx context.Context, id string, attempt int, now time.Time) error {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Delivered(ctx, id, attempt, now)
}

func (s limited) Undelivered(ctx context.Context, id string, attempt int, ready time.Time, reason string) error {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Undelivered(ctx, id, attempt, ready, reason)
}

func (s limited) History(ctx context.Context, run string, after int64, limit int) ([]HistoryRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.History(ctx, run, after, limit)
}

func (s limited) Runs(ctx context.Context, f RunFilter) ([]RunRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Runs(ctx, f)
}

func (s limited) Tasks(ctx context.Context, run string) ([]TaskRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Tasks(ctx, run)
}

func (s limited) Timers(ctx context.Context, run string) ([]TimerRow, error) {
	ctx, cancel := s.begin(ctx)
	defer cancel()
	return s.Store.Timers(ctx, run)
}
