package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// AttemptLimits are the times that an attempt has; 0 for no limit.
type AttemptLimits struct {
	Timeout   time.Duration // from its beginning until it returns
	Heartbeat time.Duration // between two signs of life
	Progress  time.Duration // between two checkpoints
	Stopping  time.Duration // for returning once it is told to stop; then it is left to itself
}

// AttemptHooks say what an engine does with the reports of an attempt under way.
type AttemptHooks struct {
	Checkpoint func(data json.RawMessage) error            // stores one, durably before it returns nil; where there is none Progress fails
	Beat       func()                                      // may be nil
	Spend      func(cost string, amount json.Number) error // may be nil: with Perform the outcome has the sums
	Stderr     io.Writer                                   // may be nil; takes what is written to Attempt.Stderr
}

// NewAttempt is an attempt that another engine, or a test, gives to an activity.
func NewAttempt(a Attempt, hooks AttemptHooks) *Attempt {
	a.hooks = hooks
	return &a
}

// AttemptOutcome is how an attempt has ended.
type AttemptOutcome struct {
	End      AttemptEnd             // AttemptResult, AttemptFailed, AttemptReturned (declined), AttemptLost, or AttemptCancelled
	Event    string                 // of a result; also of one that came although the attempt was cancelled
	Data     json.RawMessage        // of the same
	Category string                 // of a failure: as the activity has named it, or the limit that has passed; empty for an error that names none
	Message  string                 // of a failure, or why it was declined
	Cost     map[string]json.Number // what the attempt has used

	Cause  error // why it was told to stop; nil where it was not
	GoesOn bool  // it was told to stop, and has not returned

	out outcome
}

// Perform calls an activity for one attempt, by the clock of the system. If a limit has passed,
// or ctx is done, it stops the activity and waits until it has stopped. This is what the Engine
// does, without a store: the caller keeps the lease and writes the end. A result that comes
// although ctx is done counts only if the cause is ErrStopped.
func Perform(ctx context.Context, f ActivityFunc, a *Attempt, limits AttemptLimits) AttemptOutcome {
	p := newPerforming(context.WithoutCancel(ctx), SystemClock(), slog.New(slog.DiscardHandler), limits)
	defer p.cancel(nil)
	defer context.AfterFunc(ctx, func() { p.stop(context.Cause(ctx)) })()
	returned := make(chan outcome, 1)
	go p.call(f, p.hooked(a), returned)
	out := p.watch(returned)
	return p.outcomeOf(out)
}

// hooked is the attempt whose signs of life are seen.
func (p *performing) hooked(a *Attempt) *Attempt {
	hooks := a.hooks
	hooks.Beat = func() {
		p.heartbeat()
		a.Heartbeat()
	}
	if hooks.Spend == nil {
		hooks.Spend = p.meter.add
	}
	if a.hooks.Checkpoint != nil {
		hooks.Checkpoint = func(data json.RawMessage) error {
			if err := checkCheckpoint(data, MaxPayload); err != nil {
				return err
			}
			if cause := p.stopCause(); cause != nil {
				return cause
			}
			if err := a.hooks.Checkpoint(data); err != nil {
				return err
			}
			p.progressed()
			return nil
		}
	}
	return NewAttempt(*a, hooks)
}

// checkCheckpoint refuses what is no checkpoint.
func checkCheckpoint(data json.RawMessage, maxPayload int) error {
	if why := machine.Oversized(data, maxPayload); why != "" {
		return fmt.Errorf("the checkpoint is too large: %s", why)
	}
	if err := machine.CheckJSON(data); err != nil {
		return fmt.Errorf("the checkpoint is not valid JSON: %w", err)
	}
	return nil
}

// outcomeOf is what the call and its limits together mean.
func (p *performing) outcomeOf(out outcome) AttemptOutcome {
	cause := p.stopCause()
	o := AttemptOutcome{Event: out.event, Data: out.data, Category: out.category, Message: out.message, Cost: p.used(&out),
		Cause: cause, GoesOn: out.end == goesOn}
	switch {
	case errors.Is(cause, ErrOverdue):
		out = outcome{end: gaveFailure, category: p.category, message: p.message}
		o.End, o.Event, o.Data, o.Category, o.Message = AttemptFailed, "", nil, p.category, p.message
	case cause != nil && (out.end != gaveResult || !errors.Is(cause, ErrStopped)):
		o.End = AttemptCancelled
	default:
		o.End = []AttemptEnd{AttemptResult, AttemptFailed, AttemptReturned, AttemptLost}[out.end]
	}
	o.out = out
	return o
}

// Input is the end of the attempt as an input of the run: a result or a failure. A result that
// does not fit, and a failure that the activity does not declare, are a failure `unknown`.
func (o *AttemptOutcome) Input(m *Machine, t *machine.Task, maxPayload int) machine.Input {
	return o.out.input(m, t, maxPayload)
}

// IsDeclined reports whether an error was made with Decline.
func IsDeclined(err error) bool {
	var d *declined
	return errors.As(err, &d)
}
