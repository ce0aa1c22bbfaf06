package main

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// tick is by how much the time of the swarm passes at once.
const tick = time.Second

// breath is how long a tick lasts at least, so that everyone who has something
// to do can do it.
const breath = time.Millisecond

// pace lets the time of the swarm pass until ctx is done: a tick whenever the
// database has answered. So a task of seven minutes takes two seconds, and on a
// slow machine, or a busy disk, time passes more slowly and nobody is late: a
// second of the swarm has at least one write in it.
func pace(ctx context.Context, clock *runtime.ManualClock, db runtime.Store) {
	for ctx.Err() == nil {
		// There is no such claim. That stands behind all writes that wait.
		_ = db.Release(ctx, store.Claim{Run: "nobody", Do: "nothing"}, clock.Now(), clock.Now())
		time.Sleep(breath)
		clock.Advance(tick)
	}
}

// sleep waits for d of the swarm's time, and reports whether ctx was done first.
func sleep(ctx context.Context, clock runtime.Clock, d time.Duration) bool {
	timer := clock.NewTimer(clock.Now().Add(d))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return true
	case <-timer.C():
		return false
	}
}
