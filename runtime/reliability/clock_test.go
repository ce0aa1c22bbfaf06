//go:build unix && cgo

package reliability

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// jumping is a clock that someone sets while it runs: its time jumps, its timers
// do not, as with the clock of a computer.
type jumping struct{ off atomic.Int64 }

func (c *jumping) Now() time.Time {
	return time.Now().Round(0).Add(time.Duration(c.off.Load())) // without the monotonic reading
}

// NewTimer gives one that is due within a second: the time may have jumped by
// hours since someone read it, and a real clock's readings would know.
func (c *jumping) NewTimer(due time.Time) runtime.ClockTimer {
	d := min(due.Sub(c.Now()), time.Second)
	return runtime.SystemClock().NewTimer(time.Now().Add(d))
}

// TestClockJumps sets the clock of one of two engines forwards and backwards, by
// up to three hours, while both work on the same orders.
func TestClockJumps(t *testing.T) {
	dir := t.TempDir()
	clock := new(jumping)
	one, err := openStation(dir, "one", 0.5, runtime.WithClock(clock))
	must(t, err)
	two, err := openStation(dir, "two", 0.5)
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	waits := []func() error{one.serve(ctx), two.serve(ctx)}
	traded := make(chan error, 2)
	for _, s := range []*station{one, two} {
		go func() { traded <- s.trade(ctx, "c"+fmt.Sprint(s == two), count(t, "FSMC_ORDERS", 40)) }()
	}
	jumps := 0
	for left := 2; left > 0; {
		select {
		case err := <-traded:
			left--
			if err != nil {
				t.Error(err)
			}
		case <-time.After(rand.N(20 * time.Millisecond)):
			clock.off.Store(int64(rand.N(6*time.Hour) - 3*time.Hour))
			jumps++
		}
	}
	stop()
	for _, wait := range waits {
		if err := wait(); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []*station{one, two} {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	inspectDir(t, orders, dir, false)
	finishAfter(t, dir, 4*time.Hour)
	t.Logf("figure: jumps of the clock = %d", jumps)
}

// finishAfter brings the runs of dir to their end at a time at which whatever
// the clock had said before lies behind.
func finishAfter(t *testing.T, dir string, later time.Duration) {
	t.Helper()
	clock := new(jumping)
	clock.off.Store(int64(later))
	s, err := openStation(dir, "later", 0, runtime.WithClock(clock))
	must(t, err)
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	must(t, errors.Join(s.finish(ctx), s.close()))
	inspectDir(t, orders, dir, true)
}

// TestDay lives through a day of twenty runs with timers of a quarter of an
// hour and less, in virtual time, and looks when each of them has fired.
func TestDay(t *testing.T) {
	const runs = 20
	var timers int
	var took time.Duration
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		l, err := openLedger(t.TempDir() + "/ledger")
		must(t, err)
		defer l.file.Close()
		w := &world{ledger: l}
		e := runtime.NewEngine(&witness{Store: store, ledger: l}, runtime.WithOutbox(w.deliver), runtime.WithPoll(time.Hour))
		must(t, e.Register(bells().Machine, bells().source, runtime.Handlers{}))
		began := realTime()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- e.Run(ctx) }()
		midnight := time.Now()
		for i := range runs {
			id := fmt.Sprintf("tower-%d", i)
			must(t, errOf(e.Start(ctx, "Bells", id, fmt.Appendf(nil, `{"offset": "%ds"}`, i%60))))
			l.note(started, id)
		}
		time.Sleep(25 * time.Hour)
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		took = realTime().Sub(began)
		for i := range runs {
			timers += atTheirTimes(t, e, fmt.Sprintf("tower-%d", i), midnight, time.Duration(i%60)*time.Second)
		}
		evidence, err := readLedger(l.file.Name())
		if err == nil {
			err = inspect(t.Context(), store, bells(), evidence, true)
		}
		if err != nil {
			t.Error(err)
		}
	})
	t.Logf("figure: timers fired in a virtual day = %d", timers)
	t.Logf("figure: milliseconds for a virtual day = %d", took.Milliseconds())
}

// realTime is the time outside of a synctest bubble.
func realTime() time.Time {
	var now syscall.Timeval
	if err := syscall.Gettimeofday(&now); err != nil {
		panic(err)
	}
	return time.Unix(now.Unix())
}

// atTheirTimes looks when the timers of one tower fired: every quarter of an
// hour with half a minute between, again after eight hours, until the day is over.
func atTheirTimes(t *testing.T, e *runtime.Engine, run string, midnight time.Time, offset time.Duration) (timers int) {
	t.Helper()
	steps, err := e.History(t.Context(), run, 0, 0)
	must(t, err)
	want := []time.Duration{0, offset}
	for shift := offset; shift < 24*time.Hour; shift += 8 * time.Hour {
		end := min(shift+8*time.Hour, 24*time.Hour) // where a quarter that ends then rings first
		for ring := shift + 15*time.Minute; ring <= end; ring += 15*time.Minute + 30*time.Second {
			want = append(want, ring)
			if next := ring + 30*time.Second; next <= end {
				want = append(want, next)
			}
		}
		if shift+8*time.Hour <= 24*time.Hour {
			want = append(want, shift+8*time.Hour)
		}
	}
	want = append(want, 24*time.Hour)
	if len(steps) != len(want) {
		t.Fatalf("%s has %d steps, expected %d", run, len(steps), len(want))
	}
	for i, step := range steps {
		if got := step.At.Sub(midnight); got != want[i] {
			t.Fatalf("step %d of %s is at %s, expected %s: %s", i+1, run, got, want[i], step.Input)
		}
	}
	return len(steps) - 1
}
