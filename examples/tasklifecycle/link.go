package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// link is a host's way to the database. While it is cut nothing gets through,
// and the host cannot know whether others go on with what it holds.
type link struct {
	runtime.Store
	cut atomic.Bool
}

var errCut = errors.New("the database cannot be reached")

// unreached reports whether err is of a database that could not be reached.
func unreached(err error) bool {
	return errors.Is(err, errCut) || errors.Is(err, store.ErrUnavailable) || errors.Is(err, runtime.ErrUnknown)
}

// ask asks the database for something, if it can be reached.
func ask[T any](l *link, what func() (T, error)) (none T, err error) {
	if l.cut.Load() {
		return none, errCut
	}
	return what()
}

// tell tells it something.
func (l *link) tell(what func() error) error {
	if l.cut.Load() {
		return errCut
	}
	return what()
}

func (l *link) Load(ctx context.Context, run string) (runtime.RunRow, error) {
	return ask(l, func() (runtime.RunRow, error) { return l.Store.Load(ctx, run) })
}

func (l *link) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	return ask(l, func() ([]store.TaskRow, error) { return l.Store.Claim(ctx, q) })
}

func (l *link) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	return ask(l, func() (bool, error) { return l.Store.Renew(ctx, c, now, until, checkpoint) })
}

func (l *link) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	return ask(l, func() (store.Renewed, error) { return l.Store.RenewAll(ctx, claims, now, until) })
}

func (l *link) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	return ask(l, func() (store.Work, error) { return l.Store.Look(ctx, q) })
}

func (l *link) Held(ctx context.Context, run string, now time.Time) (bool, error) {
	return ask(l, func() (bool, error) { return l.Store.Held(ctx, run, now) })
}

func (l *link) TakeMessages(ctx context.Context, q store.MessageQuery) ([]store.MessageRow, error) {
	return ask(l, func() ([]store.MessageRow, error) { return l.Store.TakeMessages(ctx, q) })
}

func (l *link) History(ctx context.Context, run string, after int64, limit int) ([]store.HistoryRow, error) {
	return ask(l, func() ([]store.HistoryRow, error) { return l.Store.History(ctx, run, after, limit) })
}

func (l *link) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	return ask(l, func() ([]store.TaskRow, error) { return l.Store.Tasks(ctx, run) })
}

func (l *link) TaskOf(ctx context.Context, child string) (store.TaskRow, error) {
	return ask(l, func() (store.TaskRow, error) { return l.Store.TaskOf(ctx, child) })
}

func (l *link) Runs(ctx context.Context, f runtime.RunFilter) ([]runtime.RunRow, error) {
	return ask(l, func() ([]runtime.RunRow, error) { return l.Store.Runs(ctx, f) })
}

func (l *link) Commit(ctx context.Context, c *store.Commit) error {
	return l.tell(func() error { return l.Store.Commit(ctx, c) })
}

func (l *link) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	return l.tell(func() error { return l.Store.Release(ctx, c, now, notBefore) })
}

func (l *link) Confirm(ctx context.Context, c store.Claim, now time.Time) error {
	return l.tell(func() error { return l.Store.Confirm(ctx, c, now) })
}

func (l *link) Reclaim(ctx context.Context, c store.Claim, now time.Time) error {
	return l.tell(func() error { return l.Store.Reclaim(ctx, c, now) })
}

func (l *link) Delivered(ctx context.Context, id string, attempt int, now time.Time) error {
	return l.tell(func() error { return l.Store.Delivered(ctx, id, attempt, now) })
}

func (l *link) Undelivered(ctx context.Context, id string, attempt int, ready time.Time, reason string) error {
	return l.tell(func() error { return l.Store.Undelivered(ctx, id, attempt, ready, reason) })
}
