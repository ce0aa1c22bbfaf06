package runtime_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// hinting is a store that gives hints, and loses its ear after each.
type hinting struct {
	store.Store
	hints    chan string
	mu       sync.Mutex
	watching int
}

func (h *hinting) Watch(ctx context.Context, hint func(run string)) error {
	h.count(1)
	defer h.count(-1)
	select {
	case run := <-h.hints:
		hint(run)
		return errors.New("the connection is gone")
	case <-ctx.Done():
		return nil
	}
}

func (h *hinting) count(n int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watching += n
	return h.watching
}

// TestHints: a worker that looks once an hour, and someone who waits, hear of another process at
// once; nobody listens when nobody waits.
func TestHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sound := memstore.New()
		db, m := &hinting{Store: sound, hints: make(chan string)}, job(t, nil, retrying()...)
		other := knowing(t, sound, m)
		w := work(t, db, m, finds, WithPoll(time.Hour))
		for _, run := range []string{"a", "b"} {
			synctest.Wait()
			begin(t, other, run)
			began := time.Now()
			db.hints <- run
			if v := within(t, w.Engine, run, time.Minute); v.State != "Done" || time.Since(began) > 2*time.Second {
				t.Errorf("%s after %s", v.State, time.Since(began))
			}
		}
		start(t, other, "c", "")
		waiter := knowing(t, db, m, WithPoll(time.Hour))
		done := make(chan View)
		w.stop()
		if n := db.count(0); n != 0 {
			t.Errorf("%d listen for a worker that has stopped", n)
		}
		send(t, other, "c", "Go", "")
		go func() { done <- await(t, waiter, "c") }()
		synctest.Wait()
		send(t, other, "c", "Stop", "")
		began := time.Now()
		db.hints <- "c"
		if v := <-done; v.State != "Stopped" || time.Since(began) > time.Second {
			t.Errorf("%s after %s", v.State, time.Since(began))
		}
		if n := db.count(0); n != 0 {
			t.Errorf("%d listen for nobody", n)
		}
	})
}

// timed is a store with a clock.
type timed struct {
	store.Store
	clock Clock
	lived bool
}

func (s *timed) Clock() (Clock, store.Store) {
	s.lived = true
	return s.clock, s.Store
}

// TestClockOfTheStore: an engine lives by the clock of its store, unless it is given one.
func TestClockOfTheStore(t *testing.T) {
	noon := time.Date(2031, 5, 6, 12, 0, 0, 0, time.UTC)
	db := &timed{Store: memstore.New(), clock: NewManualClock(noon)}
	e := knowing(t, db, job(t, nil, retrying()...))
	start(t, e, "r", "")
	if v := get(t, e, "r"); !v.Started.Equal(noon) {
		t.Errorf("it started at %s", v.Started)
	}
	db.lived = false
	own := knowing(t, db, job(t, nil, retrying()...), WithClock(NewManualClock(noon.Add(time.Hour))))
	start(t, own, "s", "")
	if v := get(t, own, "s"); !v.Started.Equal(noon.Add(time.Hour)) || db.lived {
		t.Errorf("it started at %s", v.Started)
	}
}
