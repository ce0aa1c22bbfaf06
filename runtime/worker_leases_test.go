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
					if _, err := w.Start(t.Context(), "Slow", "s", nil); err != nil {
						t.Fatal(err)
					}
				case "the end":
					ending.Go(w.stop)
				}
				time.Sleep(11 * time.Second)
				elsewhere := NewEngine(db)
				register(t, elsewhere, m, Handlers{})
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
