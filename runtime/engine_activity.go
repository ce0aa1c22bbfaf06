package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ActivityFunc does the work of one attempt of an activity. It may be called again for the same
// execution (see Attempt.Key), even if an earlier call has done part of the work or all of it.
//
// Its context is cancelled when the run has moved on, when a time limit has passed, or when the
// engine stops; context.Cause says which. The function should then clean up and return: the run
// waits for it. What it then returns is ignored, except a result while the engine stops.
//
// An error made with Fail is a failure of that category. An error made with Decline releases the
// attempt. Any other error is a failure of category `unknown`. So is a panic, the end of the
// goroutine, and an error or data with a method that panics or ends the goroutine.
type ActivityFunc func(ctx context.Context, a *Attempt) (Result, error)

// GuardFunc answers a host guard. Args is an object with the parameters of the guard. The answer
// must depend only on the arguments, and come soon: see WithGuardLimit. An error that is
// ErrNoGuard says that no one can answer: the engine then does not take the step.
type GuardFunc func(ctx context.Context, args json.RawMessage) (bool, error)

// Result is how an activity ended: the event that it raises, with its data, or nothing if the
// activity declares no event.
type Result struct {
	Event string
	// Data is the object of the event's fields: a json.RawMessage, or anything
	// that encoding/json turns into it. Nil is an object without fields.
	Data any
	// Cost is what the attempt has used, by the names of the machine's costs.
	Cost map[string]json.Number
}

// Attempt is one call of an activity.
type Attempt struct {
	Run      string
	Machine  string
	Activity string
	Number   int    // from 1, counted within the execution
	Key      string // idempotency key: the same for all attempts of the execution
	// Fence is a fencing token. It rises each time a worker claims the execution. If a worker
	// is taken for lost but still runs, two workers make the same execution, and the later one
	// has the greater Fence. A service that stores the greatest Fence it has seen can refuse
	// the earlier worker.
	Fence int64
	Args  json.RawMessage
	// Checkpoint is the last one of the execution, also where an earlier
	// attempt made it; nil where there is none.
	Checkpoint json.RawMessage
	Started    time.Time // of the run
	Visit      int64     // the number of the visit to a state that began the attempt, as in StepInfo
	// TraceParent is the W3C trace context of the attempt, where the engine's observer is
	// a Tracer; empty otherwise.
	TraceParent string

	hooks AttemptHooks
}

// Spend reports what the attempt has used of a cost: an exact decimal such as "1200" or "0.04",
// which is not negative. The amounts are added up, together with the Cost of the Result or
// Failure. The sum is recorded when the attempt ends, also if it fails, runs out of time, returns
// too late, or is released. The error is for a name or an amount that cannot be recorded.
func (a *Attempt) Spend(cost string, amount json.Number) error {
	if a.hooks.Spend == nil {
		return nil
	}
	return a.hooks.Spend(cost, amount)
}

// Heartbeat says that the activity is alive. If none comes for the time `heartbeat` of its `do`,
// the attempt fails as `silent`. A heartbeat costs nothing.
func (a *Attempt) Heartbeat() {
	if a.hooks.Beat != nil {
		a.hooks.Beat()
	}
}

// Progress stores a checkpoint, which is durable when Progress returns nil. The next attempt of
// the execution gets it. While the store cannot do it now, Progress waits. It is also a heartbeat. If none comes for the time `progress` of its
// `do`, the attempt fails as `stalled`. The error is ErrFenced if the attempt is no longer the
// current one. An Attempt that a program has made itself stores no checkpoint, and returns an
// error: see NewAttempt.
func (a *Attempt) Progress(checkpoint any) error {
	data, err := EncodeJSON(checkpoint)
	if err != nil {
		return fmt.Errorf("the checkpoint has no JSON form: %w", err)
	}
	if a.hooks.Checkpoint == nil {
		return errors.New("nothing keeps the checkpoints of this attempt, which NewAttempt has not made")
	}
	return a.hooks.Checkpoint(data)
}

// Failure is the error of an attempt that failed with a category.
type Failure struct {
	Category string
	Message  string
	Cost     map[string]json.Number // what the attempt has used all the same
}

// Error is the category and the message.
func (f *Failure) Error() string { return f.Category + ": " + f.Message }

// Fail makes the error of a failure of a category that the machine declares.
func Fail(category, message string) error { return &Failure{Category: category, Message: message} }

// declined is the error of an attempt that is released.
type declined struct{ why string }

func (d *declined) Error() string { return "declined: " + d.why }

// Decline makes the error that releases an attempt, for another worker or for later. The attempt
// does not count.
func Decline(why string) error { return &declined{why} }

// Why the context of an activity is cancelled; see context.Cause.
var (
	ErrMoved   = errors.New("the attempt is cancelled: the run has moved on")
	ErrOverdue = errors.New("a time limit of the activity has passed")
	ErrStopped = errors.New("the engine stops")
)

// ErrWorkerLost is returned by an activity whose work is done by another process, if that process
// has ended before the activity. The attempt counts as one whose worker was lost: it fails as
// `silent` or `stalled`, or another worker can claim it.
var ErrWorkerLost = errors.New("the worker process of the activity has ended")
