package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// agent is one member of the swarm. It talks to the runtime by events and by
// what it returns from its work, over the link of the host on which it lives.
type agent struct {
	*swarm
	name string
	home *host
	skew time.Duration // of its own clock

	mu   sync.Mutex
	load int       // tasks accepted or under way
	away time.Time // until when it is dead
	full time.Time // until when it has told everyone that it is
}

// capacity is how many tasks an agent takes at a time.
const capacity = 2

// now is the time by the agent's own clock.
func (a *agent) now() time.Time { return a.clock.Now().Add(a.skew) }

// dead reports whether the agent is gone: nothing answers.
func (a *agent) dead() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.clock.Now().Before(a.away)
}

// die takes the agent away for a while.
func (a *agent) die(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.away = a.clock.Now().Add(d)
}

// reserve makes room for a task, if there is some.
func (a *agent) reserve() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.load == capacity {
		a.full = a.clock.Now().Add(time.Minute)
		return false
	}
	a.load++
	return true
}

func (a *agent) free() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.load--
}

// available reports whether the agent has not said that it is full.
func (a *agent) available() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.clock.Now().Before(a.full)
}

// offer is what an agent is sent.
type offer struct {
	task   string
	number int64
}

// consider answers an offer: it declines when it has no room, and otherwise
// tries to be the first. Who wins begins within the lease, or means to: some
// take their time, and some read a clock that is wrong.
func (a *agent) consider(ctx context.Context, o offer, r *rand.Rand) {
	if a.dead() || sleep(ctx, a.clock, between(r, time.Second, 6*time.Second)) {
		return // no answer
	}
	runs := TaskLifecycleRuns{Engine: a.home.engine}
	as := runtime.WithActor(a.name)
	if !a.reserve() {
		a.count(&a.tally.Declined)
		_, _ = runs.Send(ctx, o.task, TaskLifecycleDeclined{Agent: a.name, Offer: o.number}, as)
		return
	}
	defer a.free()
	if _, err := runs.Send(ctx, o.task, TaskLifecycleAccepted{Agent: a.name, Offer: o.number}, as); err != nil {
		a.refused(err, &a.tally.LateAccepts)
		return
	}
	until := a.clock.Now().Add(lease)
	dither := between(r, time.Second, 5*time.Second)
	if r.IntN(100) < 10 {
		dither = between(r, 20*time.Second, 40*time.Second)
	}
	if sleep(ctx, a.clock, dither) || a.dead() {
		return
	}
	if a.now().After(until) {
		a.count(&a.tally.GaveUp) // it thinks that the lease is over
		return
	}
	if _, err := runs.Send(ctx, o.task, TaskLifecycleStarted{Agent: a.name, Offer: o.number}, as); err != nil {
		a.refused(err, &a.tally.LateStarts)
	}
}

// lease is how long who accepted has to begin.
const lease = 30 * time.Second

// refused counts an event that was refused. One that did not get through is
// lost: the machine's timers see to it.
func (a *agent) refused(err error, n *int) {
	var rejected *runtime.Rejected
	if errors.As(err, &rejected) {
		a.count(n)
	}
}

// between draws a time, of which most is no part.
func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(r.Int64N(int64(most-least)))
}
