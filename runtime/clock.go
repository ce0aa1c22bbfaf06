package runtime

import (
	"context"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Clock is where an Engine takes the time from, and ClockTimer a timer of it.
type (
	Clock      = store.Clock
	ClockTimer = store.ClockTimer
)

// SystemClock is the clock of the machine on which the program runs.
func SystemClock() Clock { return store.SystemClock() }

// waitUntil waits until a time by a clock, which is zero for none, ctx is done or one of two things
// wakes it. The error is ctx's.
func waitUntil(ctx context.Context, c Clock, until time.Time, woken, also <-chan struct{}) error {
	var due <-chan time.Time
	if !until.IsZero() {
		timer := c.NewTimer(until)
		defer timer.Stop()
		due = timer.C()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-woken:
	case <-also:
	case <-due:
	}
	return nil
}

// receive waits for a value, for no longer than d.
func receive[T any](c Clock, from <-chan T, d time.Duration) (value T, ok bool) {
	timer := c.NewTimer(c.Now().Add(d))
	defer timer.Stop()
	select {
	case value = <-from:
		return value, true
	case <-timer.C():
		return value, false
	}
}

// wake tells who waits, or will wait next: a channel of length 1 holds what no one has received yet.
func wake(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// ManualClock is a clock for tests: it stands still until Advance moves it. It is safe for
// concurrent use.
type ManualClock struct {
	mu     sync.Mutex
	now    time.Time
	timers map[*manualTimer]struct{}
}

// NewManualClock gives a clock that stands at start.
func NewManualClock(start time.Time) *ManualClock {
	return &ManualClock{now: start, timers: map[*manualTimer]struct{}{}}
}

// Now is the time at which the clock stands.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d, and fires every timer that has fallen due. A
// negative d sets it back.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for t := range c.timers {
		if !t.due.After(c.now) {
			c.fire(t)
		}
	}
}

// Next is when the next timer that someone waits for is due; zero if there is none.
func (c *ManualClock) Next() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	var next time.Time
	for t := range c.timers {
		if next.IsZero() || t.due.Before(next) {
			next = t.due
		}
	}
	return next
}

// NewTimer gives a timer that fires when Advance has moved the clock to due.
func (c *ManualClock) NewTimer(due time.Time) ClockTimer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &manualTimer{clock: c, due: due, c: make(chan time.Time, 1)}
	if c.timers[t] = struct{}{}; !due.After(c.now) {
		c.fire(t)
	}
	return t
}

func (c *ManualClock) fire(t *manualTimer) {
	delete(c.timers, t)
	t.c <- c.now
}

type manualTimer struct {
	clock *ManualClock
	due   time.Time
	c     chan time.Time
}

func (t *manualTimer) C() <-chan time.Time { return t.c }

func (t *manualTimer) Stop() {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	delete(t.clock.timers, t)
	select {
	case <-t.c:
	default:
	}
}
