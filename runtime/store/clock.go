package store

import "time"

// Clock is where an engine takes the time from. A machine never reads one: the
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

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) NewTimer(due time.Time) ClockTimer {
	return systemTimer{time.NewTimer(time.Until(due))}
}

type systemTimer struct{ *time.Timer }

func (t systemTimer) C() <-chan time.Time { return t.Timer.C }
func (t systemTimer) Stop()               { t.Timer.Stop() }
