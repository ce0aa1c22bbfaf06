//go:build unix && cgo

package reliability

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// unreliable is a store as one process has it: every call may fail, before it
// has done anything or, where that is worse, after. Once it is dead every call
// fails, as if the process had been killed.
type unreliable struct {
	runtime.Store
	mu     sync.Mutex
	random *rand.Rand
	share  float64
	dead   bool
	faults int
}

var errFault = errors.New("injected fault")

func (u *unreliable) fails() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.dead && u.random.Float64() >= u.share {
		return nil
	}
	u.faults++
	return errFault
}

func (u *unreliable) die() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.dead = true
}

// around fails before a write or behind it.
func (u *unreliable) around(call func() error) error {
	if err := u.fails(); err != nil {
		return err
	}
	if err := call(); err != nil {
		return err
	}
	return u.fails()
}

func reading[T any](u *unreliable, call func() (T, error)) (T, error) {
	if err := u.fails(); err != nil {
		var none T
		return none, err
	}
	return call()
}

func writing[T any](u *unreliable, call func() (T, error)) (out T, err error) {
	err = u.around(func() error { out, err = call(); return err })
	if err != nil {
		var none T
		return none, err
	}
	return out, nil
}

func (u *unreliable) PutDefinition(ctx context.Context, d store.DefinitionRow) error {
	return u.around(func() error { return u.Store.PutDefinition(ctx, d) })
}

func (u *unreliable) Load(ctx context.Context, run string) (runtime.RunRow, error) {
	return reading(u, func() (runtime.RunRow, error) { return u.Store.Load(ctx, run) })
}

func (u *unreliable) Commit(ctx context.Context, c *store.Commit) error {
	return u.around(func() error { return u.Store.Commit(ctx, c) })
}

func (u *unreliable) Accepted(ctx context.Context, run, id string) (answer json.RawMessage, ok bool, err error) {
	if err := u.fails(); err != nil {
		return nil, false, err
	}
	return u.Store.Accepted(ctx, run, id)
}

func (u *unreliable) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	return writing(u, func() ([]store.TaskRow, error) { return u.Store.Claim(ctx, q) })
}

func (u *unreliable) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	return writing(u, func() (bool, error) { return u.Store.Renew(ctx, c, now, until, checkpoint) })
}

func (u *unreliable) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	return writing(u, func() (store.Renewed, error) { return u.Store.RenewAll(ctx, claims, now, until) })
}

func (u *unreliable) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	return reading(u, func() (store.Work, error) { return u.Store.Look(ctx, q) })
}

func (u *unreliable) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	return u.around(func() error { return u.Store.Release(ctx, c, now, notBefore) })
}

func (u *unreliable) Confirm(ctx context.Context, c store.Claim, now time.Time) error {
	return u.around(func() error { return u.Store.Confirm(ctx, c, now) })
}

func (u *unreliable) Reclaim(ctx context.Context, c store.Claim, now time.Time) error {
	return u.around(func() error { return u.Store.Reclaim(ctx, c, now) })
}

func (u *unreliable) Held(ctx context.Context, run string, now time.Time) (bool, error) {
	return reading(u, func() (bool, error) { return u.Store.Held(ctx, run, now) })
}

func (u *unreliable) TakeMessages(ctx context.Context, q store.MessageQuery) ([]store.MessageRow, error) {
	return writing(u, func() ([]store.MessageRow, error) { return u.Store.TakeMessages(ctx, q) })
}

func (u *unreliable) Delivered(ctx context.Context, id string, attempt int, now time.Time) error {
	return u.around(func() error { return u.Store.Delivered(ctx, id, attempt, now) })
}

func (u *unreliable) Undelivered(ctx context.Context, id string, attempt int, ready time.Time, reason string) error {
	return u.around(func() error { return u.Store.Undelivered(ctx, id, attempt, ready, reason) })
}

func (u *unreliable) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	return reading(u, func() ([]store.TaskRow, error) { return u.Store.Tasks(ctx, run) })
}

func (u *unreliable) TaskOf(ctx context.Context, child string) (store.TaskRow, error) {
	return reading(u, func() (store.TaskRow, error) { return u.Store.TaskOf(ctx, child) })
}

func (u *unreliable) History(ctx context.Context, run string, after int64, limit int) ([]store.HistoryRow, error) {
	return reading(u, func() ([]store.HistoryRow, error) { return u.Store.History(ctx, run, after, limit) })
}
