package runtime

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// watch waits for an activity to return, and meanwhile holds it to its time limits. Once its
// context is cancelled it has a last time to stop; where it has used that up its outcome
// is that it goes on.
//
// All limits are measured on this engine's own clock. Heartbeats and checkpoints say that
// the activity lives; that the worker does, its lease says.
func (r *running) watch(returned <-chan outcome) (out outcome) {
	for {
		select { // before its limits: it may have returned in time, and this have been held up
		case out = <-returned:
			return out
		default:
		}
		now := r.engine.clock.Now()
		limit := r.limits(now)
		if r.abandoned(now) {
			return outcome{end: goesOn}
		}
		if out, ok := r.await(returned, limit); ok {
			return out
		}
	}
}

// await waits for an outcome, until a time if it is one, or until something has changed.
func (r *running) await(returned <-chan outcome, until time.Time) (out outcome, ok bool) {
	var due <-chan time.Time
	if !until.IsZero() {
		timer := r.engine.clock.NewTimer(until)
		defer timer.Stop()
		due = timer.C()
	}
	select {
	case out = <-returned:
		return out, true
	case <-due:
	case <-r.nudge:
	}
	return out, false
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
