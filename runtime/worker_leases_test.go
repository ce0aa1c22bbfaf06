package runtime_test

import (
	"context"
	"encoding/json"
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

// counting counts the renewals of leases, and what is asked for single runs.
type counting struct {
	store.Store
	renewed, leases, held atomic.Int64
}

func (c *counting) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	c.renewed.Add(1)
	c.leases.Add(int64(len(claims)))
	return c.Store.RenewAll(ctx, claims, now, until)
}

func (c *counting) Held(ctx context.Context, run string, now time.Time) (bool, error) {
	c.held.Add(1)
	return c.Store.Held(ctx, run, now)
}

// TestLeasesAreKeptTogether: sixteen attempts that began one after the other cost one write
// each third of a lease, and no question of their own.
func TestLeasesAreKeptTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &counting{Store: memstore.New()}
		w := work(t, db, job(t, nil, On1("Found", "Done"), On1("failed", "Broken")), func(context.Context, *Attempt) (Result, error) {
			time.Sleep(65 * time.Second)
			return found, nil
		})
		defer w.stop()
		for i := range 16 {
			begin(t, w.Engine, fmt.Sprint("r", i))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(59 * time.Second)
		if n, leases, held := db.renewed.Load(), db.leases.Load(), db.held.Load(); n != 6 || leases != 6*16 || held != 0 {
			t.Errorf("%d renewals of %d leases, %d questions", n, leases, held)
		}
		for i := range 16 {
			if v := await(t, w.Engine, fmt.Sprint("r", i)); v.State != "Done" || len(v.Activities) > 0 {
				t.Errorf("%+v", v)
			}
		}
	})
}

// TestCancelledElsewhere: an attempt hears within two looks that another process has cancelled
// its task, also where its worker waits for a guard or is about to end.
func TestCancelledElsewhere(t *testing.T) {
	for _, at := range []string{"rest", "a guard", "the end"} {
		t.Run(at, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, began := memstore.New(), time.Now()
				var stopped atomic.Int64
				m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"))
				w := work(t, db, m, func(ctx context.Context, _ *Attempt) (Result, error) {
					<-ctx.Done()
					stopped.Store(int64(time.Since(began)))
					return Result{}, ctx.Err()
				}, WithGrace(time.Hour), WithLease(time.Hour))
				begin(t, w.Engine, "r")
				synctest.Wait() // it has begun
				var ending sync.WaitGroup
				switch at {
				case "a guard":
					slow := Build(t, Named("Slow"), WithGuard("slow", ""),
						WithState("A", After("10s", GoTo("B", When("slow()")), Stay())), WithTerminal("B", machine.Success))
					register(t, w.Engine, slow, Handlers{Guards: map[string]GuardFunc{"slow": func(ctx context.Context, _ json.RawMessage) (bool, error) {
						time.Sleep(9 * time.Second)
						return true, nil
					}}})
					must(t, errOf(w.Start(t.Context(), "Slow", "s", nil)))
				case "the end":
					ending.Go(w.stop)
				}
				time.Sleep(11 * time.Second)
				elsewhere := knowing(t, db, m)
				send(t, elsewhere, "r", "Stop", "")
				time.Sleep(time.Minute)
				ending.Wait()
				w.stop()
				if d := time.Duration(stopped.Load()); d < 11*time.Second || d > 12500*time.Millisecond {
					t.Errorf("it was stopped after %s", d)
				}
			})
		})
	}
}

// faraway is a store that other hosts reach, and this one does not while it is away: calls
// hang, or fail.
type faraway struct {
	store.Store
	away, hangs atomic.Bool
}

func (f *faraway) Clock() (store.Clock, store.Store) { return store.SystemClock(), f }

func (f *faraway) reach(ctx context.Context) error {
	if !f.away.Load() {
		return nil
	}
	if f.hangs.Load() {
		<-ctx.Done()
	}
	return store.Unavailable("away")
}

func (f *faraway) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	if err := f.reach(ctx); err != nil {
		return store.Renewed{}, err
	}
	return f.Store.RenewAll(ctx, claims, now, until)
}

func (f *faraway) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	if err := f.reach(ctx); err != nil {
		return store.Work{}, err
	}
	return f.Store.Look(ctx, q)
}

// TestBeyondReach: the attempt of a host that does not reach the store, while others may, stops when its
// lease has run out, whether calls fail or hang; with a store of this host alone it goes on.
func TestBeyondReach(t *testing.T) {
	for _, c := range []struct{ hangs, shared bool }{{false, true}, {true, true}, {false, false}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { beyond(t, c.hangs, c.shared) }) })
	}
}

func beyond(t *testing.T, hangs, shared bool) {
	db := &faraway{Store: memstore.New()}
	db.hangs.Store(hangs)
	var reach store.Store = db
	if !shared {
		reach = struct{ store.Store }{db} // it has no clock
	}
	var stopped atomic.Int64
	w := work(t, reach, job(t, nil, On1("Found", "Done"), On1("failed", "Broken")), func(ctx context.Context, _ *Attempt) (Result, error) {
		select {
		case <-ctx.Done():
			stopped.Store(time.Now().UnixNano())
			return Result{}, context.Cause(ctx)
		case <-time.After(3 * time.Minute):
			return found, nil
		}
	})
	defer w.stop()
	begin(t, w.Engine, "r")
	time.Sleep(45 * time.Second) // its lease is renewed each ten
	db.away.Store(true)
	away := time.Now()
	time.Sleep(40 * time.Second)
	switch after := time.Unix(0, stopped.Load()).Sub(away); {
	case !shared && stopped.Load() != 0:
		t.Errorf("nobody else reaches the store, and it stopped %s after that went away", after)
	case shared && (after < 20*time.Second || after > 30*time.Second):
		t.Errorf("it stopped %s after the store went away", after)
	}
	db.away.Store(false)
	inState(t, await(t, w.Engine, "r"), "Done")
}
