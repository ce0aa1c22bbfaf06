package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// server is a store as one of a server is: while that is away, each call is tried for ten seconds, and fails.
type server struct {
	store.Store
	away   atomic.Bool
	failed atomic.Int64 // calls
}

func (s *server) Clock() (store.Clock, store.Store) { return store.SystemClock(), s }

func (s *server) reach(ctx context.Context) error {
	if !s.away.Load() {
		return nil
	}
	s.failed.Add(1)
	select {
	case <-ctx.Done():
		return errors.Join(ctx.Err(), store.Unavailable("the server is away"))
	case <-time.After(10 * time.Second):
		return store.Unavailable("the server is away")
	}
}

// reached is what call gives, or why nothing reaches the server.
func reached[T any](ctx context.Context, s *server, call func() (T, error)) (T, error) {
	if err := s.reach(ctx); err != nil {
		var none T
		return none, err
	}
	return call()
}

func (s *server) Load(ctx context.Context, run string) (store.RunRow, error) {
	return reached(ctx, s, func() (store.RunRow, error) { return s.Store.Load(ctx, run) })
}

func (s *server) Runs(ctx context.Context, f store.RunFilter) ([]store.RunRow, error) {
	return reached(ctx, s, func() ([]store.RunRow, error) { return s.Store.Runs(ctx, f) })
}

func (s *server) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	return reached(ctx, s, func() ([]store.TaskRow, error) { return s.Store.Tasks(ctx, run) })
}

func (s *server) History(ctx context.Context, run string, after int64, limit int) ([]store.HistoryRow, error) {
	return reached(ctx, s, func() ([]store.HistoryRow, error) { return s.Store.History(ctx, run, after, limit) })
}

func (s *server) Commit(ctx context.Context, c *store.Commit) error {
	return errOf(reached(ctx, s, func() (int, error) { return 0, s.Store.Commit(ctx, c) }))
}

func (s *server) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	return reached(ctx, s, func() ([]store.TaskRow, error) { return s.Store.Claim(ctx, q) })
}

func (s *server) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	return reached(ctx, s, func() (bool, error) { return s.Store.Renew(ctx, c, now, until, checkpoint) })
}

func (s *server) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	return reached(ctx, s, func() (store.Renewed, error) { return s.Store.RenewAll(ctx, claims, now, until) })
}

func (s *server) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	return errOf(reached(ctx, s, func() (int, error) { return 0, s.Store.Release(ctx, c, now, notBefore) }))
}

func (s *server) Reclaim(ctx context.Context, c store.Claim, now time.Time) error {
	return errOf(reached(ctx, s, func() (int, error) { return 0, s.Store.Reclaim(ctx, c, now) }))
}

func (s *server) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	return reached(ctx, s, func() (store.Work, error) { return s.Store.Look(ctx, q) })
}

// TestServerAway: while a server is away for ten minutes, nothing is acknowledged. Then everything continues by
// itself: attempts that were under way, results that no one could store, timers that fell due, and senders
// that try again. Each step that was acknowledged is there, once.
func TestServerAway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const runs, outage = 12, 10 * time.Minute
		db := &server{Store: memstore.New()}
		m := Build(t, WithEvent("Found", "n int"), WithEvent("Go", ""), WithEvent("Note", ""), WithActivity("work", "", "Found", ""),
			WithState("Idle", On("Go", GoTo("Working"))),
			WithState("Working", Doing("work", nil), On("Found", GoTo("Cooling")), On("failed", GoTo("Broken")), On("Note", Stay())),
			WithState("Cooling", After("4m", GoTo("Done")), On("Note", Stay())),
			WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed))
		var mu sync.Mutex
		keys := map[string]map[string]bool{} // of each run
		w := work(t, db, m, func(ctx context.Context, a *Attempt) (Result, error) {
			mu.Lock()
			if keys[a.Run] == nil {
				keys[a.Run] = map[string]bool{}
			}
			keys[a.Run][a.Key] = true
			i := len(a.Run)
			mu.Unlock()
			select { // some return before the outage, some in it, and some would after it
			case <-ctx.Done():
				return Result{}, ctx.Err()
			case <-time.After(time.Duration(i) * 20 * time.Second):
				return found, nil
			}
		}, WithLogger(quiet))
		defer w.stop()
		name := func(i int) string { return fmt.Sprintf("r%0*d", 1+i*4, i) } // its length says how long it takes
		for i := range runs {
			start(t, w.Engine, name(i), "")
			send(t, w.Engine, name(i), "Go", "")
		}
		var acknowledged sync.Map // ids of events
		var inOutage atomic.Int64
		ctx, stop := context.WithCancel(t.Context())
		var senders sync.WaitGroup
		for i := range runs {
			senders.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					id := fmt.Sprintf("%d/%d", i, n)
					for ctx.Err() == nil {
						began := db.away.Load()
						_, err := w.Send(context.Background(), name(i), ExternalEvent{Name: "Note", ID: id})
						var refused *Rejected
						switch {
						case err == nil:
							acknowledged.Store(id, name(i))
							if began && db.away.Load() {
								inOutage.Add(1)
							}
						case errors.As(err, &refused): // the run has ended
							return
						case !errors.Is(err, ErrUnavailable):
							t.Error(err)
							return
						default:
							time.Sleep(time.Second)
							continue
						}
						break
					}
					time.Sleep(7 * time.Second)
				}
			})
		}
		time.Sleep(time.Minute)
		db.away.Store(true)
		time.Sleep(outage)
		if failed := db.failed.Load(); inOutage.Load() > 0 || failed < runs {
			t.Errorf("%d events were acknowledged, %d calls have failed", inOutage.Load(), failed)
		}
		db.away.Store(false)
		for i := range runs {
			v := get(t, w.Engine, name(i))
			for end := time.Now().Add(30 * time.Minute); v.Status != Finished && time.Now().Before(end); v = get(t, w.Engine, name(i)) {
				time.Sleep(time.Second)
			}
			if v.State != "Done" || len(keys[name(i)]) != 1 {
				t.Errorf("run %d is in %s, with the keys %v", i, v.State, keys[name(i)])
			}
		}
		stop()
		senders.Wait()
		times := map[string]int{}
		for i := range runs {
			steps, err := w.History(t.Context(), name(i), 0, 0)
			must(t, err)
			for k := range steps {
				times[steps[k].EventID]++
			}
		}
		events := 0
		acknowledged.Range(func(id, run any) bool {
			if events++; times[id.(string)] != 1 {
				t.Errorf("event %s of %s is there %d times", id, run, times[id.(string)])
			}
			return true
		})
		if events < 100 {
			t.Errorf("%d events were acknowledged", events)
		}
	})
}
