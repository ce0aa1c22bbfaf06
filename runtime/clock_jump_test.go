package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// moved is a store whose clock is off from that of the host, by what may change.
type moved struct {
	store.Store
	off atomic.Int64
}

func (m *moved) Clock() (store.Clock, store.Store) { return movedClock{m}, m }

type movedClock struct{ of *moved }

func (c movedClock) Now() time.Time { return time.Now().Add(time.Duration(c.of.off.Load())) }

func (c movedClock) NewTimer(due time.Time) store.ClockTimer {
	return store.SystemClock().NewTimer(time.Now().Add(due.Sub(c.Now())))
}

// TestStoreClockJumps: the limits of an attempt are measured on the clock of the host, whatever becomes
// of the store's meanwhile.
func TestStoreClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, time.Hour} {
		for _, limit := range []string{"timeout 20s", "heartbeat 20s", "progress 20s"} {
			t.Run(jump.String()+" "+limit, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { jumps(t, jump, limit) })
			})
		}
	}
}

func jumps(t *testing.T, jump time.Duration, limit string) {
	db := &moved{Store: memstore.New()}
	var after atomic.Int64
	w := work(t, db, job(t, []string{limit}, On1("failed", "Broken"), On1("Found", "Done")), func(ctx context.Context, _ *Attempt) (Result, error) {
		began := time.Now()
		time.Sleep(5 * time.Second)
		db.off.Add(int64(jump))
		<-ctx.Done()
		after.Store(int64(time.Since(began)))
		return Result{}, context.Cause(ctx)
	})
	defer w.stop()
	begin(t, w.Engine, "r")
	time.Sleep(2 * time.Minute)
	if d := time.Duration(after.Load()); d != 20*time.Second {
		t.Errorf("it was told to stop after %s", d)
	}
	inState(t, await(t, w.Engine, "r"), "Broken")
}
