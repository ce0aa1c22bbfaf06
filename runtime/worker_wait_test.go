package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// refusing is a store that refuses to write as long as there is an error.
type refusing struct {
	store.Store
	err atomic.Pointer[error]
}

func (s *refusing) refuse(err error) { s.err.Store(&err) }

func (s *refusing) refused() error {
	if err := s.err.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *refusing) Commit(ctx context.Context, c *store.Commit) error {
	if err := s.refused(); err != nil {
		return err
	}
	return s.Store.Commit(ctx, c)
}

func (s *refusing) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	if err := s.refused(); err != nil {
		return nil, err
	}
	return s.Store.Claim(ctx, q)
}

func (s *refusing) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	if err := s.refused(); err != nil {
		return false, err
	}
	return s.Store.Renew(ctx, c, now, until, checkpoint)
}

func (s *refusing) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	if err := s.refused(); err != nil {
		return store.Renewed{}, err
	}
	return s.Store.RenewAll(ctx, claims, now, until)
}

// TestWaitsForRoom: a worker whose store cannot write waits for as long as that lasts, with
// what its activities have done, and says so once.
func TestWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &refusing{Store: memstore.New()}
		var said strings.Builder
		calls := map[string]*atomic.Int32{"short": {}, "long": {}, "telling": {}}
		m := job(t, nil, retrying()...)
		w := work(t, db, m, func(ctx context.Context, a *Attempt) (Result, error) {
			calls[a.Run].Add(1)
			switch a.Run {
			case "long":
				time.Sleep(10 * time.Minute)
			case "telling":
				for i := range 3 {
					time.Sleep(20 * time.Second)
					if err := a.Progress(i); err != nil {
						return Result{}, err
					}
				}
			default:
				time.Sleep(time.Minute)
			}
			if ctx.Err() != nil {
				t.Errorf("%s is stopped: %v", a.Run, context.Cause(ctx))
			}
			return found, nil
		}, WithLogger(slog.New(slog.NewTextHandler(&said, nil))))
		defer w.stop()
		for run := range calls {
			begin(t, w.Engine, run)
		}
		time.Sleep(30 * time.Second)
		db.refuse(store.Unavailable("there is no room"))
		time.Sleep(20 * time.Minute)
		db.refuse(nil)
		for run := range calls {
			if v := within(t, w.Engine, run, time.Minute); v.State != "Done" || calls[run].Load() != 1 {
				t.Errorf("%s: %s after %d calls", run, v.State, calls[run].Load())
			}
		}
		w.stop()
		if got := said.String(); strings.Count(got, "there is no room") != 1 || strings.Count(got, "\n") != 2 || !strings.Contains(got, "can do it again") {
			t.Errorf("it says:\n%s", got)
		}
	})
}

// TestOutageEndsAFailure: what a worker met before an outage is not counted with what it meets after it.
func TestOutageEndsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &refusing{Store: memstore.New()}
		e := NewEngine(db, WithLogger(quiet), WithPatience(time.Minute))
		register(t, e, job(t, nil, retrying()...), Handlers{Activities: map[string]ActivityFunc{"work": finds}})
		w := run(t, e)
		defer w.stop()
		for _, err := range []error{errors.New("broken"), store.Unavailable("a failover"), errors.New("broken"), nil} {
			db.refuse(err)
			time.Sleep(45 * time.Second)
		}
		begin(t, e, "r")
		if v := within(t, e, "r", time.Minute); v.State != "Done" {
			t.Errorf("the run is in %s: the worker has given up", v.State)
		}
	})
}

// TestGivesUp: what does not pass ends a worker, after some minutes or the time that it has
// been given.
func TestGivesUp(t *testing.T) {
	for _, patience := range []time.Duration{0, time.Minute, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			broken, db := errors.New("broken"), &refusing{Store: memstore.New()}
			db.refuse(broken)
			e := NewEngine(db, WithLogger(quiet), WithPatience(patience))
			register(t, e, job(t, nil, retrying()...), Handlers{Activities: map[string]ActivityFunc{"work": finds}})
			began := time.Now()
			err := e.Run(t.Context())
			if took := time.Since(began); !errors.Is(err, broken) || took < patience || took > patience+time.Minute {
				t.Errorf("with %s: after %s: %v", patience, took, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		store, broken := &refusing{Store: memstore.New()}, errors.New("broken")
		store.refuse(broken)
		e := NewEngine(store, WithLogger(quiet))
		register(t, e, job(t, nil, retrying()...), Handlers{Activities: map[string]ActivityFunc{"work": finds}})
		began := time.Now()
		if err := e.Run(t.Context()); !errors.Is(err, broken) || time.Since(began) < time.Minute || time.Since(began) > 5*time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}
