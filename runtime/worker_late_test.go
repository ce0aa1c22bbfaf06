package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// hiccup is a store of which the next calls of one kind fail, or are slow.
type hiccup struct {
	store.Store
	mu    sync.Mutex
	fails map[string]int           // how many of the next calls fail, by the method
	slow  map[string]time.Duration // how long a call takes after it has done its work
	down  bool                     // every call that writes fails
}

func hiccups(fails map[string]int) *hiccup {
	return &hiccup{Store: memstore.New(), fails: fails, slow: map[string]time.Duration{}}
}

// call is one call of a method: it fails without having done anything, or does it.
func call[R any](h *hiccup, method string, f func() (R, error)) (R, error) {
	h.mu.Lock()
	slow, fails := h.slow[method], h.down || h.fails[method] > 0
	if h.fails[method] > 0 {
		h.fails[method]--
	}
	h.mu.Unlock()
	if fails {
		var none R
		return none, errFault
	}
	result, err := f()
	time.Sleep(slow)
	return result, err
}

// fail lets the next n calls of a method fail.
func (h *hiccup) fail(method string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fails[method] = n
}

// set lets every call that writes fail, or none.
func (h *hiccup) set(down bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down = down
}

type nothing struct{}

func none(err error) (nothing, error) { return nothing{}, err }

func (h *hiccup) Commit(ctx context.Context, c *store.Commit) error {
	_, err := call(h, "Commit", func() (nothing, error) { return none(h.Store.Commit(ctx, c)) })
	return err
}

func (h *hiccup) Reclaim(ctx context.Context, c store.Claim, now time.Time) error {
	_, err := call(h, "Reclaim", func() (nothing, error) { return none(h.Store.Reclaim(ctx, c, now)) })
	return err
}

func (h *hiccup) Definition(ctx context.Context, hash string) (store.DefinitionRow, error) {
	return call(h, "Definition", func() (store.DefinitionRow, error) { return h.Store.Definition(ctx, hash) })
}

func (h *hiccup) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	return call(h, "Claim", func() ([]store.TaskRow, error) { return h.Store.Claim(ctx, q) })
}

func (h *hiccup) TakeMessages(ctx context.Context, q store.MessageQuery) ([]store.MessageRow, error) {
	return call(h, "TakeMessages", func() ([]store.MessageRow, error) { return h.Store.TakeMessages(ctx, q) })
}

func (h *hiccup) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	return call(h, "Renew", func() (bool, error) { return h.Store.Renew(ctx, c, now, until, checkpoint) })
}

func (h *hiccup) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	return call(h, "Renew", func() (store.Renewed, error) { return h.Store.RenewAll(ctx, claims, now, until) })
}

func (h *hiccup) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	_, err := call(h, "Release", func() (nothing, error) { return none(h.Store.Release(ctx, c, now, notBefore)) })
	return err
}

func (h *hiccup) Confirm(ctx context.Context, c store.Claim, now time.Time) error {
	_, err := call(h, "Confirm", func() (nothing, error) { return none(h.Store.Confirm(ctx, c, now)) })
	return err
}

func (h *hiccup) Delivered(ctx context.Context, id string, attempt int, now time.Time) error {
	_, err := call(h, "Delivered", func() (nothing, error) { return none(h.Store.Delivered(ctx, id, attempt, now)) })
	return err
}

// soon is how late something may be that one failure of the store held up.
const soon = 2 * time.Second

// TestTimerAfterOneFailure: a timer fires although the store failed when it fell due,
// and not half a minute later.
func TestTimerAfterOneFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hiccups(map[string]int{})
		m := Build(t, WithActivity("work", "", "", ""), WithState("A", After("1m", GoTo("B"))), WithTerminal("B", machine.Success))
		w := work(t, store, m, finds, WithLogger(quiet))
		defer w.stop()
		start(t, w.Engine, "r", "")
		store.fail("Commit", 2)
		time.Sleep(time.Minute + soon)
		inState(t, get(t, w.Engine, "r"), "B")
	})
}

// TestLostWorkerAfterOneFailure: the same of the claim of a lost worker.
func TestLostWorkerAfterOneFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := hiccups(map[string]int{"Reclaim": 1})
		m := job(t, nil, retrying()...)
		begin(t, beginElsewhere(t, db, m, "other"), "r")
		rows, err := db.Claim(t.Context(), store.ClaimQuery{Worker: "lost", Now: time.Now(), Until: time.Now().Add(time.Minute),
			Limit: 1, Run: "r", Activities: []store.Claimable{{Definition: m.Hash(), Activity: "work"}}})
		if err != nil || len(rows) != 1 {
			t.Fatal(rows, err)
		}
		w := work(t, db, m, finds, WithLogger(quiet))
		defer w.stop()
		time.Sleep(time.Minute + soon)
		inState(t, get(t, w.Engine, "r"), "Done")
	})
}

// TestVersionAfterOneFailure: the same of a version that could not be read when the
// worker began.
func TestVersionAfterOneFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hiccups(map[string]int{"Definition": 1})
		old := job(t, []string{"timeout 1h"}, retrying()...)
		begin(t, beginElsewhere(t, store, old, "other"), "r")
		w := work(t, store, job(t, nil, retrying()...), finds, WithLogger(quiet))
		defer w.stop()
		time.Sleep(soon)
		inState(t, get(t, w.Engine, "r"), "Done")
	})
}

// TestWaitAfterRunCouldNotFire: that a worker which has ended could not fire a timer does
// not keep Wait from waiting for it.
func TestWaitAfterRunCouldNotFire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		m := Build(t, WithGuard("allowed", ""), WithEvent("Go", ""),
			WithState("A", After("1m", GoTo("B", When("allowed()")), Stay()), On("Go", Stay())), WithTerminal("B", machine.Success))
		without := knowing(t, store, m, WithLogger(quiet))
		start(t, without, "r", "")
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		must(t, without.Run(ctx))
		with := NewEngine(store, WithLogger(quiet))
		register(t, with, m, Handlers{Guards: map[string]GuardFunc{"allowed": func(context.Context, json.RawMessage) (bool, error) { return true, nil }}})
		ctx, stop := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() {
			time.Sleep(time.Second)
			stopped <- with.Run(ctx)
		}()
		inState(t, await(t, without, "r"), "B")
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

// TestLeaseFromBeforeTheClaim: a lease runs from when it was asked for. Where the
// store took long to answer it is renewed the sooner, and an activity whose lease has
// run out does not begin.
func TestLeaseFromBeforeTheClaim(t *testing.T) {
	for _, c := range []struct {
		slow    time.Duration
		renewed time.Duration // after the claim was asked for
		begins  bool
	}{
		{slow: 5 * time.Second, renewed: 10 * time.Second, begins: true},
		{slow: 25 * time.Second, renewed: 25 * time.Second, begins: true},
		{slow: 40 * time.Second, renewed: 40 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := hiccups(map[string]int{})
			m := job(t, nil, retrying()...)
			e := beginElsewhere(t, store, m, "r")
			store.slow["Claim"] = c.slow
			began := time.Now()
			renewed := time.Duration(0)
			ctx, cancel := context.WithCancel(context.Background())
			w := NewEngine(renewing{store, func() bool {
				if renewed == 0 {
					renewed = time.Since(began)
				}
				return c.begins
			}}, WithLogger(quiet), WithLease(30*time.Second))
			called := false
			register(t, w, m, Handlers{Activities: map[string]ActivityFunc{"work": func(context.Context, *Attempt) (Result, error) {
				called = true
				time.Sleep(20 * time.Second)
				return found, nil
			}}})
			stopped := make(chan error, 1)
			go func() { stopped <- w.Run(ctx) }()
			time.Sleep(c.slow + 25*time.Second)
			synctest.Wait()
			if renewed != c.renewed || called != c.begins {
				t.Errorf("a claim of %s: renewed after %s, called %t", c.slow, renewed, called)
			}
			if v := get(t, e, "r"); (v.State == "Done") != c.begins {
				t.Errorf("a claim of %s: the run is in %s", c.slow, v.State)
			}
			cancel()
			if err := <-stopped; err != nil {
				t.Error(err)
			}
		})
	}
}

// renewing asks before each renewal, which is refused where the answer is no.
type renewing struct {
	store.Store
	ask func() bool
}

func (s renewing) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	if !s.ask() {
		return false, machine.ErrFenced
	}
	return s.Store.Renew(ctx, c, now, until, checkpoint)
}

func (s renewing) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	if !s.ask() {
		return store.Renewed{Fenced: claims}, nil
	}
	return s.Store.RenewAll(ctx, claims, now, until)
}

// TestDeliveryByTheEnginesClock: the lease of a message is measured on the engine's clock,
// from before the message was asked for.
func TestDeliveryByTheEnginesClock(t *testing.T) {
	m := Build(t, WithEvent("Go", ""), WithEvent("Told", ""), WithActivity("work", "", "", ""), WithState("A", On("Go", GoTo("B", Publishing("Told")))), WithTerminal("B", machine.Success))
	synctest.Test(t, func(t *testing.T) {
		store := hiccups(map[string]int{})
		store.slow["TakeMessages"] = 20 * time.Second
		began, over := time.Now(), atomic.Int64{}
		w := work(t, store, m, finds, WithLogger(quiet), WithLease(30*time.Second), WithOutbox(func(ctx context.Context, _ *Message) error {
			if over.Load() > 0 {
				return nil
			}
			<-ctx.Done()
			over.Store(int64(time.Since(began)))
			if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				t.Error(context.Cause(ctx))
			}
			return context.Cause(ctx)
		}))
		defer w.stop()
		start(t, w.Engine, "r", "")
		send(t, w.Engine, "r", "Go", "")
		time.Sleep(2 * time.Minute)
		if d := time.Duration(over.Load()); d < 30*time.Second || d > 51*time.Second {
			t.Errorf("the context was done after %s", d)
		}
	})
	clock := NewManualClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	begun, over := make(chan struct{}), make(chan error, 1)
	w := work(t, memstore.New(), m, finds, WithLogger(quiet), WithClock(clock), WithOutbox(func(ctx context.Context, a *Message) error {
		if a.Attempt == 1 {
			close(begun)
			<-ctx.Done()
			over <- context.Cause(ctx)
		}
		return context.Cause(ctx)
	}))
	start(t, w.Engine, "r", "")
	send(t, w.Engine, "r", "Go", "")
	<-begun
	clock.Advance(30 * time.Second)
	if err := <-over; !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	w.stop()
}
