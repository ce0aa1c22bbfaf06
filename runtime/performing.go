package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// performing is one call of an activity that is held to its limits, by one clock. Its times are as
// Clock.Now gives them: with the system's clock their differences do not follow its jumps.
type performing struct {
	clock  Clock
	logger *slog.Logger
	limits AttemptLimits
	meter  meter
	ctx    context.Context // of the activity
	cancel context.CancelCauseFunc
	nudge  chan struct{} // receives when something below has changed

	began       time.Time
	mu          sync.Mutex
	beat        time.Time // last sign of life
	progress    time.Time // last checkpoint
	progressing bool      // there was one
	cause       error     // why the activity is to stop; nil while it is not
	giveUp      time.Time // when it will be left to itself
	category    string    // of the failure, where cause is ErrOverdue
	message     string
}

func newPerforming(ctx context.Context, clock Clock, logger *slog.Logger, limits AttemptLimits) *performing {
	ctx, cancel := context.WithCancelCause(ctx)
	now := clock.Now()
	return &performing{
		clock: clock, logger: logger, limits: limits, ctx: ctx, cancel: cancel, nudge: make(chan struct{}, 1),
		began: now, beat: now, progress: now,
	}
}

// call calls the activity. Whatever that and the values that it returns do, an
// outcome is sent.
func (p *performing) call(f ActivityFunc, a *Attempt, returned chan<- outcome) {
	out := failed("the activity ended its goroutine without returning")
	defer func() { returned <- out }()
	defer func() {
		if panicked := recover(); panicked != nil {
			stack := debug.Stack()
			out = failed(panicText(panicked))
			p.logger.Error("an activity panicked", slog.String("run", a.Run), slog.String("activity", a.Activity),
				slog.String("panic", out.message), slog.String("stack", string(stack)))
		}
	}()
	result, err := f(p.ctx, a)
	out = outcomeOf(&result, err)
}

// watch waits for an activity to return, and meanwhile holds it to its time limits. Once its
// context is cancelled it has a last time to stop; where it has used that up its outcome
// is that it goes on.
//
// Heartbeats and checkpoints say that the activity lives; that the worker does, its lease says.
func (p *performing) watch(returned <-chan outcome) (out outcome) {
	for {
		select { // before its limits: it may have returned in time, and this have been held up
		case out = <-returned:
			return out
		default:
		}
		now := p.clock.Now()
		limit := p.limit(now)
		if p.abandoned(now) {
			return outcome{end: goesOn}
		}
		if out, ok := p.await(returned, limit); ok {
			return out
		}
	}
}

// await waits for an outcome, until a time if it is one, or until something has changed.
func (p *performing) await(returned <-chan outcome, until time.Time) (out outcome, ok bool) {
	var due <-chan time.Time
	if !until.IsZero() {
		timer := p.clock.NewTimer(until)
		defer timer.Stop()
		due = timer.C()
	}
	select {
	case out = <-returned:
		return out, true
	case <-due:
	case <-p.nudge:
	}
	return out, false
}

// limit stops the activity where a time limit has passed, and gives the time
// of the next one, or that at which it will be left to itself.
func (p *performing) limit(now time.Time) time.Time {
	p.mu.Lock()
	if p.cause != nil {
		defer p.mu.Unlock()
		return p.giveUp
	}
	var first time.Time
	for _, l := range []struct {
		limit    time.Duration
		since    time.Time
		category string
		message  string
	}{
		{p.limits.Timeout, p.began, "timeout", "no result within %s"},
		{p.limits.Heartbeat, p.beat, "silent", "no heartbeat for %s"},
		{p.limits.Progress, p.progress, "stalled", "no checkpoint for %s"},
	} {
		if l.limit <= 0 {
			continue
		}
		if due := l.since.Add(l.limit); first.IsZero() || due.Before(first) {
			first = due
			p.category, p.message = l.category, fmt.Sprintf(l.message, machine.DurationText(l.limit))
		}
	}
	p.mu.Unlock()
	if first.IsZero() || now.Before(first) {
		return first
	}
	p.stop(ErrOverdue)
	return now.Add(p.limits.Stopping)
}

// abandoned reports whether the activity was to stop and has not.
func (p *performing) abandoned(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cause != nil && !now.Before(p.giveUp)
}

// heartbeat notes a sign of life.
func (p *performing) heartbeat() {
	p.mu.Lock()
	p.beat = p.clock.Now()
	p.mu.Unlock()
}

// progressed notes a checkpoint.
func (p *performing) progressed() {
	p.mu.Lock()
	p.beat = p.clock.Now()
	p.progress, p.progressing = p.beat, true
	p.mu.Unlock()
}

// hasProgressed reports whether there was a checkpoint.
func (p *performing) hasProgressed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.progressing
}

// stop cancels the activity's context. That the run has moved on, or the task
// is another's, counts more than what was said before.
func (p *performing) stop(cause error) {
	p.mu.Lock()
	if p.cause == nil {
		p.giveUp = p.clock.Now().Add(p.limits.Stopping)
	}
	if p.cause == nil || cause == ErrMoved || cause == ErrFenced {
		p.cause = cause
	}
	p.cancel(cause) // before anyone is told the cause: Progress tells the activity
	p.mu.Unlock()
	wake(p.nudge)
}

func (p *performing) stopCause() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cause
}

// used is what an attempt has used, and nothing of it twice: that of its outcome
// and what it has noted by Spend since the last time.
func (p *performing) used(out *outcome) map[string]json.Number { return p.meter.drain(out.cost) }
