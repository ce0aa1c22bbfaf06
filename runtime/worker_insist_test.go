package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// TestResultWhileTheStoreIsDown: a result is kept while the store takes no writes, far
// beyond the lease, and taken as soon as it does: the activity is done once.
func TestResultWhileTheStoreIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hiccups(map[string]int{})
		calls := 0
		w := work(t, store, job(t, []string{"heartbeat 1m"}, retrying()...), func(context.Context, *Attempt) (Result, error) {
			calls++
			store.set(true)
			return found, nil
		}, WithLogger(quiet), WithLease(30*time.Second))
		defer w.stop()
		begin(t, w.Engine, "r")
		time.Sleep(3 * time.Minute)
		store.set(false)
		time.Sleep(11 * time.Second) // a third of the lease, and a bit
		if v := get(t, w.Engine, "r"); v.State != "Done" || calls != 1 {
			t.Errorf("after %d calls the run is in %s", calls, v.State)
		}
		wantLines(t, w.Engine, "r", "start>Idle Go>Working Found>Done")
	})
}

// TestResultWhileAGuardIsAway: a result is kept, too, while the guard that the step after it
// asks cannot be asked, such as an executable that is being written, or is away.
func TestResultWhileAGuardIsAway(t *testing.T) {
	for _, there := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) { resultWhileAGuardIsAway(t, there) })
	}
}

func resultWhileAGuardIsAway(t *testing.T, there bool) {
	m := Build(t, WithEvent("Found", "n int"), WithGuard("ready", "n int"), WithActivity("work", "", "Found", ""),
		WithState("Working", Doing("work", nil, "timeout 1m"), On("Found", GoTo("Done", When("ready(event.n)")), GoTo("Broken"))),
		WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed))
	var calls, away atomic.Int32
	activities := map[string]ActivityFunc{"work": func(context.Context, *Attempt) (Result, error) {
		calls.Add(1)
		away.Store(1)
		time.Sleep(5 * time.Second)
		return found, nil
	}}
	guards := map[string]GuardFunc{"ready": func(context.Context, json.RawMessage) (bool, error) {
		if away.Load() > 0 {
			return false, fmt.Errorf("text file busy: %w", ErrNoGuard)
		}
		return true, nil
	}}
	db := memstore.New()
	e := NewEngine(db, WithLogger(quiet), WithWorker("w"), WithLease(30*time.Second), WithHandlers(func(*machine.Machine) Handlers {
		if !there && away.Load() > 0 {
			return Handlers{Activities: activities}
		}
		return Handlers{Activities: activities, Guards: guards}
	}))
	elsewhere := NewEngine(db)
	register(t, elsewhere, m, Handlers{})
	start(t, elsewhere, "r", "")
	defer run(t, e).stop()
	time.Sleep(2*time.Minute - time.Second)
	if got := problems(t, elsewhere, HealthQuery{}); got != "" {
		t.Errorf("there %t: health lists %s", there, got)
	}
	time.Sleep(time.Minute)
	want := `unended r Working: work, attempt 1, is over its timeout of 1m, and worker "w" cannot store how it ended: nothing may answer for guard "ready"`
	if got := problems(t, elsewhere, HealthQuery{}); got != want {
		t.Errorf("there %t: health lists %s", there, got)
	}
	away.Store(0)
	time.Sleep(15 * time.Second) // a third of the lease, and a bit
	if v := get(t, e, "r"); v.State != "Done" || calls.Load() != 1 {
		t.Errorf("there %t: after %d calls the run is in %s", there, calls.Load(), v.State)
	}
}

// TestEndsWhileTheStoreFails: that an attempt was declined, has stopped, or that a
// message was delivered, is stored although the store fails at first; no lease is waited for.
func TestEndsWhileTheStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hiccups(map[string]int{"Release": 2, "Confirm": 2, "Delivered": 2})
		calls, delivered := 0, 0
		m := Build(t, WithEvent("Found", "n int"), WithEvent("Told", ""), WithEvent("Stop", ""), WithActivity("work", "", "Found", ""),
			WithState("A", Doing("work", nil), On("Found", GoTo("B", Publishing("Told"))), On("failed", Retry(5)), On("Stop", GoTo("Stopped"))),
			WithTerminal("B", machine.Success), WithTerminal("Stopped", machine.Success))
		w := work(t, store, m, func(ctx context.Context, a *Attempt) (Result, error) {
			if a.Run == "stopped" {
				<-ctx.Done()
				return Result{}, ctx.Err()
			}
			if calls++; calls == 1 {
				return Result{}, Decline("not now")
			}
			return found, nil
		}, WithLogger(quiet), WithLease(time.Hour), WithOutbox(func(context.Context, *Message) error { delivered++; return nil }))
		defer w.stop()
		start(t, w.Engine, "r", "")
		time.Sleep(5 * time.Second)
		if v := get(t, w.Engine, "r"); v.State != "B" || calls != 2 || delivered != 1 {
			t.Errorf("%d calls, %d deliveries, in %s", calls, delivered, v.State)
		}
		if rows, err := store.Outbox(t.Context(), "", 0); err != nil || len(rows) != 0 {
			t.Errorf("the message stands in the outbox: %v, %v", rows, err)
		}
		start(t, w.Engine, "stopped", "")
		time.Sleep(time.Second)
		began := time.Now()
		if _, err := w.Cancel(t.Context(), "stopped", CancelOptions{Force: true}); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > soon {
			t.Errorf("cancelling took %s", took)
		}
	})
}

// hung is a store of which calls of some methods do not return, whatever their context,
// from when it is told so until it is freed.
type hung struct {
	store.Store
	mu      sync.Mutex
	methods map[string]bool
	free    chan struct{}
	heeds   bool // its context
}

func (h *hung) hang(methods ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range methods {
		h.methods[m] = true
	}
}

func (h *hung) at(ctx context.Context, method string) error {
	h.mu.Lock()
	hangs := h.methods[method]
	h.mu.Unlock()
	switch {
	case hangs && h.heeds:
		<-ctx.Done()
		return context.Cause(ctx)
	case hangs:
		<-h.free
		return errFault
	}
	return nil
}

func (h *hung) Load(ctx context.Context, run string) (store.RunRow, error) {
	if err := h.at(ctx, "Load"); err != nil {
		return store.RunRow{}, err
	}
	return h.Store.Load(ctx, run)
}

func (h *hung) Commit(ctx context.Context, c *store.Commit) error {
	if err := h.at(ctx, "Commit"); err != nil {
		return err
	}
	return h.Store.Commit(ctx, c)
}

func (h *hung) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	if err := h.at(ctx, "Look"); err != nil {
		return store.Work{}, err
	}
	return h.Store.Look(ctx, q)
}

func (h *hung) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	if err := h.at(ctx, "Claim"); err != nil {
		return nil, err
	}
	return h.Store.Claim(ctx, q)
}

func (h *hung) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	if err := h.at(ctx, "Release"); err != nil {
		return err
	}
	return h.Store.Release(ctx, c, now, notBefore)
}

func (h *hung) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	if err := h.at(ctx, "Renew"); err != nil {
		return false, err
	}
	return h.Store.Renew(ctx, c, now, until, checkpoint)
}

func (h *hung) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	if err := h.at(ctx, "Renew"); err != nil {
		return store.Renewed{}, err
	}
	return h.Store.RenewAll(ctx, claims, now, until)
}

// TestRunEndsWhateverHangs: Run returns in bounded time after its context ends, whatever
// call of the store hangs, and whether an activity or a guard does.
func TestRunEndsWhateverHangs(t *testing.T) {
	const grace, stopping, limit = 10 * time.Second, 15 * time.Second, 30 * time.Second
	for name, c := range map[string]struct {
		methods         []string
		activity, guard bool
		heeds           bool
		want            error
	}{
		"nothing":               {},
		"the store, in a round": {methods: []string{"Look"}, want: ErrHangs},
		"the store, claiming":   {methods: []string{"Claim"}, want: ErrHangs},
		"the store, committing": {methods: []string{"Commit"}, want: ErrHangs},
		"the store, in all":     {methods: []string{"Look", "Claim", "Load", "Commit", "Release", "Renew"}, want: ErrHangs},
		"a store that heeds":    {methods: []string{"Look", "Claim", "Load", "Commit", "Release", "Renew"}, heeds: true},
		"an activity":           {activity: true},
		"an activity and all":   {activity: true, methods: []string{"Look", "Claim", "Load", "Commit", "Release", "Renew"}, want: ErrHangs},
		"a guard":               {guard: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &hung{Store: memstore.New(), methods: map[string]bool{}, free: make(chan struct{}), heeds: c.heeds}
				m := Build(t, WithEvent("Found", "n int"), WithEvent("Go", ""), WithGuard("allowed", ""), WithActivity("work", "", "Found", ""),
					WithState("A", Doing("work", nil), After("20s", GoTo("B", When("allowed()")), Stay()),
						On("Found", GoTo("B", When("allowed()")), GoTo("C")), On("failed", Retry(100))),
					WithTerminal("B", machine.Success), WithTerminal("C", machine.Success))
				e := NewEngine(store, WithLogger(quiet), WithGrace(grace), WithStopping(stopping), WithStoreLimit(limit))
				register(t, e, m, Handlers{
					Activities: map[string]ActivityFunc{"work": func(ctx context.Context, a *Attempt) (Result, error) {
						if c.activity {
							<-store.free
							return found, nil
						}
						select {
						case <-ctx.Done():
							return Result{}, ctx.Err()
						case <-time.After(19 * time.Second):
							return found, nil
						}
					}},
					Guards: map[string]GuardFunc{"allowed": func(context.Context, json.RawMessage) (bool, error) {
						if c.guard {
							<-store.free
						}
						return true, nil
					}},
				})
				for _, run := range []string{"r", "s"} {
					start(t, e, run, "")
				}
				ctx, cancel := context.WithCancel(context.Background())
				stopped := make(chan error, 1)
				go func() { stopped <- e.Run(ctx) }()
				time.Sleep(18 * time.Second)
				store.hang(c.methods...)
				time.Sleep(3 * time.Second)
				cancel()
				began := time.Now()
				err := <-stopped
				if took := time.Since(began); !errors.Is(err, c.want) || took > grace+stopping+limit+time.Second {
					t.Errorf("after %s: %v", took, err)
				}
				close(store.free)
				time.Sleep(time.Hour) // what hung ends
			})
		})
	}
}

// TestRunOfOneEndsWhateverHangs: the same of RunUntilDone, which reads the run in the end.
func TestRunOfOneEndsWhateverHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hung{Store: memstore.New(), methods: map[string]bool{}, free: make(chan struct{})}
		e := knowing(t, store, door(t), WithLogger(quiet))
		start(t, e, "r", `{"owner":"me"}`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		store.hang("Load")
		began := time.Now()
		if _, err := e.RunUntilDone(ctx, "r"); !errors.Is(err, ErrHangs) {
			t.Error(err)
		}
		if took := time.Since(began); took > 2*time.Minute {
			t.Errorf("it took %s", took)
		}
		close(store.free)
	})
}
