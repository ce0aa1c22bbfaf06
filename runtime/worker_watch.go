package runtime

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// watch waits for an activity to return, and meanwhile keeps its lease, holds
// it to its time limits, and sees whether the run has moved on. Once its
// context is cancelled it has a last time to stop; where it has used that up its
// outcome is that it goes on.
//
// All limits are measured on this engine's own clock. The lease is renewed
// whatever the activity does: it says that the worker lives. Heartbeats and
// checkpoints say that the activity does.
func (r *running) watch(returned <-chan outcome) (out outcome) {
	e := r.engine
	r.mu.Lock()
	renew := r.lease.Add(e.lease/3 - e.lease) // counted from when the lease was asked for
	r.mu.Unlock()
	look := e.clock.Now().Add(e.poll)
	for {
		select { // before its limits: it may have returned in time, and this have been held up
		case out = <-returned:
			return out
		default:
		}
		now := e.clock.Now()
		limit := r.limits(now)
		if r.abandoned(now) {
			return outcome{end: goesOn}
		}
		if !now.Before(renew) || !now.Before(look) && r.cancelledElsewhere() {
			renew = now.Add(r.keep(now))
		}
		if !now.Before(look) {
			look = now.Add(e.poll)
		}
		timer := e.clock.NewTimer(earlier(earlier(renew, look), limit))
		select {
		case out = <-returned:
			timer.Stop()
			return out
		case <-timer.C():
		case <-r.nudge:
			timer.Stop()
		}
	}
}

// limits stops the activity where a time limit has passed, and gives the time
// of the next one, or that at which it will be left to itself.
func (r *running) limits(now time.Time) time.Time {
	t := &r.task
	r.mu.Lock()
	if r.cause != nil {
		defer r.mu.Unlock()
		return r.giveUp
	}
	var first time.Time
	for _, l := range []struct {
		limit    time.Duration
		since    time.Time
		category string
		message  string
	}{
		{t.Timeout, r.claimed, "timeout", "no result within %s"},
		{t.Heartbeat, r.beat, "silent", "no heartbeat for %s"},
		{t.Progress, r.progress, "stalled", "no checkpoint for %s"},
	} {
		if l.limit <= 0 {
			continue
		}
		if due := l.since.Add(l.limit); first.IsZero() || due.Before(first) {
			first = due
			r.category, r.message = l.category, fmt.Sprintf(l.message, machine.DurationText(l.limit))
		}
	}
	r.mu.Unlock()
	if first.IsZero() || now.Before(first) {
		return first
	}
	r.stop(ErrOverdue)
	return now.Add(r.engine.stopping)
}

// abandoned reports whether the activity was to stop and has not.
func (r *running) abandoned(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cause == nil || now.Before(r.giveUp) {
		return false
	}
	r.engine.logger.Error("an activity does not stop and is left to itself",
		slog.String("run", r.task.Run), slog.String("activity", r.task.Activity),
		slog.Int("attempt", r.task.Attempt), slog.Any("cause", r.cause))
	return true
}

// keep renews the lease, and gives the time until that is to be done again.
// Where the store cannot be reached until the lease has run out, the task may
// be another's by now; but not where nobody can write: then the fence decides, later.
func (r *running) keep(now time.Time) time.Duration {
	e := r.engine
	err := r.renew(nil)
	if err == nil || r.stopCause() != nil {
		return e.lease / 3
	}
	if errors.Is(err, ErrUnavailable) { // for others, too
		return e.lease / 6
	}
	e.logger.Warn("a lease was not renewed", slog.String("run", r.task.Run),
		slog.String("activity", r.task.Activity), slog.Any("error", err))
	r.mu.Lock()
	lost := !now.Before(r.lease)
	r.mu.Unlock()
	if lost {
		r.stop(ErrFenced)
	}
	return e.lease / 6
}

// cancelledElsewhere asks whether another process has cancelled a task of the
// run. In this process the attempt is told at once.
func (r *running) cancelledElsewhere() bool {
	if r.stopCause() != nil {
		return false
	}
	held, err := r.engine.store.Held(r.ctx, r.task.Run, r.engine.now())
	return err == nil && held
}
