package store

import "context"

// What follows a Store may have or not: who wants it asks by a type assertion.

// Clocked is a Store whose medium has a clock, which is the same for all who share it.
type Clocked interface {
	// Clock gives that clock, and the store for who lives by it: where a lease, a timer or a claim
	// hangs on a time that this clock does not give, because the host has slept, the store sets the
	// clock and takes the time from that.
	Clock() (Clock, Store)
}

// Watcher is a Store that hears of what other processes do to it.
type Watcher interface {
	// Watch calls hint with the ids of runs that may have changed, or may have work, and with an
	// empty one where it does not know of which run. Hints may be lost, and may come twice: they spare
	// time, and decide nothing. It returns soon after ctx is done; before that with an error
	// where it hears nothing more, and with nil where there are no hints to be had.
	Watch(ctx context.Context, hint func(run string)) error
}

// Stray is a run of which history has more records than it has taken steps; one that
// is gone has taken none. No step leaves such a run: someone else has written to where the
// store keeps it, or that is damaged.
type Stray struct {
	Run     string
	Records int64
	Steps   int64
}

// Strayer is a Store that others can write to past it, and that can look for what they have
// left: through all of history, for records that no run leads to, of one run or with "" of all.
type Strayer interface {
	Strays(ctx context.Context, run string) ([]Stray, error)
}
