package runtime

import (
	"context"
	"sync"
	"time"
)

// Clock is where an Engine takes the time from. A Machine never reads one: the
// time of a step is an argument.
type Clock interface {
	Now() time.Time
	// NewTimer gives a timer that fires once, at the earliest when it is due; at
	// once where that has passed. It takes a time and not how long to wait, so that
	// a clock that moves on between Now and NewTimer makes no timer late. A time
	// that comes from Now comes as Now gave it, with its monotonic reading.
	NewTimer(due time.Time) ClockTimer
}

// ClockTimer is a timer of a Clock.
type ClockTimer interface {
	// C receives the time when the timer fires.
	C() <-chan time.Time
	// Stop frees the timer. Afterwards nothing arrives on C.
	Stop()
}

// SystemClock is the clock of the machine on which the program runs.
func SystemClock() Clock { return systemClock{} }

// wait waits until d has passed by a clock, ctx is done or something wakes it. The
// error is ctx's.
func wait(ctx context.Context, c Clock, d time.Duration, woken <-chan struct{}) error {
	timer := c.NewTimer(c.Now().Add(d))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-woken:
	case <-timer.C():
	}
	return nil
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) NewTimer(due time.Time) ClockTimer {
	return systemTimer{time.NewTimer(time.Until(due))}
}

type systemTimer struct{ *time.Timer }

func (t systemTimer) C() <-chan time.Time { return t.Timer.C }
func (t systemTimer) Stop()               { t.Timer.Stop() }

// ManualClock stands still until it is told to go on. It serves tests. It is
// safe for concurrent use.
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

// Next is when the first timer falls due that someone waits for; zero for none.
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
