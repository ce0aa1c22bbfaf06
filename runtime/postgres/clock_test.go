package postgres_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestClock: what hangs on a time that is off is done with that of the server, for who lives
// by its clock; who does not is believed.
func TestClock(t *testing.T) {
	s := open(t, pgtest.URL(t))
	clock, timed := s.Clock()
	if off := time.Since(clock.Now()).Abs(); off > 5*time.Second {
		t.Fatalf("the clock is off by %s", off)
	}
	begin(t, s, "r")
	c := next(t, s, "r")
	c.Start = []store.TaskRow{{Run: "r", Machine: "Order", Definition: "h", Do: "a", Activity: "work", Key: "k", Attempt: 1, Seq: c.Run.Seq}}
	c.Set = []store.TimerRow{{Run: "r", Name: "t", Due: clock.Now().Add(time.Hour)}}
	must(t, s.Commit(t.Context(), c))
	near := func(what string, got time.Time, want time.Time) {
		t.Helper()
		if off := got.Sub(want).Abs(); off > 30*time.Second {
			t.Errorf("%s is off by %s", what, off)
		}
	}
	for _, off := range []time.Duration{-time.Hour, 2 * time.Hour} {
		now := clock.Now().Add(off)
		work, err := timed.Look(t.Context(), store.LookQuery{Worker: "w", Now: now, Limit: 1})
		if err != nil || len(work.Due) > 0 {
			t.Errorf("%s off: the timer is due: %v, %v", off, work.Due, err)
		}
		near("the next time", work.Wake, clock.Now().Add(time.Hour))
		rows, err := timed.Claim(t.Context(), store.ClaimQuery{
			Worker: "w", Now: now, Until: now.Add(time.Minute), Limit: 1, Activities: []store.Claimable{{Definition: "h", Activity: "work"}},
		})
		if err != nil || len(rows) != 1 {
			t.Fatalf("%s off: %v, %v", off, rows, err)
		}
		near("a lease", rows[0].LeaseUntil, clock.Now().Add(time.Minute))
		claim := rows[0].Claim()
		if err := timed.Reclaim(t.Context(), claim, now); !errors.Is(err, machine.ErrFenced) {
			t.Errorf("%s off: a lease that runs was taken: %v", off, err)
		}
		if _, err := timed.Renew(t.Context(), claim, now, now.Add(2*time.Minute), []byte("1")); err != nil {
			t.Error(err)
		}
		if r, err := timed.RenewAll(t.Context(), []store.Claim{claim}, now, now.Add(3*time.Minute)); err != nil || len(r.Fenced) > 0 {
			t.Error(r, err)
		}
		tasks, err := s.Tasks(t.Context(), "r")
		if err != nil || len(tasks) != 1 {
			t.Fatal(tasks, err)
		}
		near("the lease", tasks[0].LeaseUntil, clock.Now().Add(3*time.Minute))
		near("the checkpoint", tasks[0].CheckpointAt, clock.Now())
		must(t, s.Release(t.Context(), claim, clock.Now(), time.Time{}))
	}
	work, err := s.Look(t.Context(), store.LookQuery{Worker: "w", Now: clock.Now().Add(2 * time.Hour), Limit: 1})
	if err != nil || len(work.Due) != 1 {
		t.Errorf("who does not live by the clock is not believed: %+v, %v", work, err)
	}
	timer := clock.NewTimer(clock.Now().Add(-time.Hour))
	<-timer.C()
	timer.Stop()
}

// TestHostClock: the clock of a host that is an hour off is that of the database, and after a jump the next
// look sets it.
func TestHostClock(t *testing.T) {
	var off atomic.Int64
	off.Store(int64(time.Hour))
	s := open(t, pgtest.URL(t), postgres.HostClock(func() time.Time { return time.Now().Add(time.Duration(off.Load())) }))
	clock, timed := s.Clock()
	for _, jump := range []time.Duration{0, -time.Hour, time.Hour} {
		off.Add(int64(jump))
		if is := time.Until(clock.Now()) - jump; is.Abs() > 10*time.Second {
			t.Errorf("after a jump of %s it is %s off from that", jump, is)
		}
		must(t, errOf(timed.Look(t.Context(), store.LookQuery{Worker: "w", Now: clock.Now(), Limit: 1})))
		if is := time.Until(clock.Now()); is.Abs() > 10*time.Second {
			t.Errorf("after a jump of %s and a look it is %s off", jump, is)
		}
	}
}
