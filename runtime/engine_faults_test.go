package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// faulty is a store of which every call fails now and then: before it has done
// anything or, where a caller cannot tell, after.
type faulty struct {
	store.Store
	mu     sync.Mutex
	random *rand.Rand
	share  float64
}

var errFault = errors.New("injected fault")

func (f *faulty) fails() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.random.Float64() < f.share {
		return errFault
	}
	return nil
}

// around fails before the call or behind it.
func (f *faulty) around(call func() error) error {
	if err := f.fails(); err != nil {
		return err
	}
	if err := call(); err != nil {
		return err
	}
	return f.fails()
}

func (f *faulty) Load(ctx context.Context, run string) (store.RunRow, error) {
	if err := f.fails(); err != nil {
		return store.RunRow{}, err
	}
	return f.Store.Load(ctx, run)
}

func (f *faulty) Commit(ctx context.Context, c *store.Commit) error {
	return f.around(func() error { return f.Store.Commit(ctx, c) })
}

func (f *faulty) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	rows, err := f.Store.Claim(ctx, q)
	if fault := f.fails(); fault != nil {
		return nil, fault // claimed, and no one knows: the leases run out
	}
	return rows, err
}

func (f *faulty) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	if err := f.fails(); err != nil {
		return false, err
	}
	return f.Store.Renew(ctx, c, now, until, checkpoint)
}

func (f *faulty) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	if err := f.fails(); err != nil {
		return store.Renewed{}, err
	}
	return f.Store.RenewAll(ctx, claims, now, until)
}

func (f *faulty) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	return f.around(func() error { return f.Store.Release(ctx, c, now, notBefore) })
}

func (f *faulty) Confirm(ctx context.Context, c store.Claim, now time.Time) error {
	return f.around(func() error { return f.Store.Confirm(ctx, c, now) })
}

func (f *faulty) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	if err := f.fails(); err != nil {
		return store.Work{}, err
	}
	return f.Store.Look(ctx, q)
}

// tour is a run through activities side by side, retries, timers and events
// kept for later, that ends in Done whatever the store does.
func tour(t testing.TB) *machine.Machine {
	return Build(t, WithFields("n int 0..1000 = 0"), WithEvent("Found", "n int"), WithEvent("Later", ""),
		WithActivity("work", "n int", "Found", "flaky"),
		WithState("Both", Doing("work", []string{"1"}, "as a"), Doing("work", []string{"2"}, "as b"),
			On("Later", Deferring()),
			On("Found", Stay(Set("n", "n + event.n"))), On("failed", Retry(1000)), On("done", GoTo("Sleep"))),
		WithState("Sleep", On("Later", Deferring()), After("1m", GoTo("Hear"))),
		WithState("Hear", On("Later", GoTo("Last")), After("10m", GoTo("Last"))),
		WithState("Last", Doing("work", []string{"n"}), On("Found", GoTo("Done", Set("n", "n + event.n"))), On("failed", Retry(1000))),
		WithTerminal("Done", machine.Success))
}

// TestFaultyStore works on runs with a store that fails, with several workers,
// for many seeds. Every run must end, once; its history must give its snapshot;
// each result must have been taken once.
func TestFaultyStore(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sound, m := memstore.New(), tour(t)
				store := &faulty{Store: sound, random: rand.New(rand.NewPCG(seed, 1)), share: 0.1}
				var workers []*working
				for range 2 {
					workers = append(workers, work(t, store, m, func(_ context.Context, a *Attempt) (Result, error) {
						time.Sleep(time.Second)
						if store.fails() != nil {
							return Result{}, Fail("flaky", "bad luck")
						}
						return Result{Event: "Found", Data: a.Args}, nil
					}, WithLogger(quiet)))
				}
				e := knowing(t, sound, m)
				for i := range 5 {
					run := fmt.Sprint("r", i)
					start(t, e, run, "")
					send(t, e, run, "Later", "")
				}
				for i := range 5 {
					run := fmt.Sprint("r", i)
					v := await(t, e, run)
					for v.Status == machine.Running { // it may hear Later no more: it was kept
						time.Sleep(time.Minute)
						v = await(t, e, run)
					}
					if v.State != "Done" || string(v.Data) != `{"n":6}` {
						t.Errorf("%s: %+v", run, v)
					}
					if got := lines(t, e, run); strings.Count(got, "Found>")-strings.Count(got, "late Found>") != 3 {
						t.Errorf("%s: %s", run, got)
					}
				}
				for _, w := range workers {
					w.stop()
				}
			})
		})
	}
}
