package store

import (
	"context"
	"sync"
	"time"
)

// Call is the context of one call of a store. It ends with that of the caller, and after a
// limit. It has a timer only from when someone waits for its end: most calls have ended
// before anybody does.
type Call struct {
	caller   context.Context
	deadline time.Time
	cause    error

	mu    sync.Mutex
	timed context.Context // nil until someone waits
	stop  context.CancelFunc
}

// NewCall gives a caller's context a limit, after which its cause is the one given. Release
// it when the call has returned.
func NewCall(caller context.Context, limit time.Duration, cause error) *Call {
	return &Call{caller: caller, deadline: time.Now().Add(limit), cause: cause}
}

func (c *Call) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.stop = context.WithDeadlineCause(c.caller, c.deadline, c.cause)
	}
	return c.timed.Done()
}

func (c *Call) Err() error { return c.now().Err() }

// now is the context that says how things stand.
func (c *Call) now() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		return c.caller
	}
	return c.timed
}

func (c *Call) Deadline() (time.Time, bool) {
	if deadline, ok := c.caller.Deadline(); ok && deadline.Before(c.deadline) {
		return deadline, true
	}
	return c.deadline, true
}

func (c *Call) Value(key any) any {
	if key == (callKey{}) {
		return c
	}
	return c.now().Value(key)
}

// Release ends the context: who was left behind with it does not wait for the limit.
func (c *Call) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.stop = released, func() {}
	}
	c.stop()
}

var released = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

type callKey struct{}

// Caller is the context of whoever made a call, without the limit that this has. Whoever
// waits for its end, or for the deadline of ctx, spares what waiting for ctx costs.
func Caller(ctx context.Context) context.Context {
	if call, ok := ctx.(*Call); ok {
		return Caller(call.caller)
	}
	return ctx
}

// Patient reports whether the caller of a store has a context without an end, and so
// waits for a disk that hangs for as long as that does. A store may do the work of such
// a call in the caller's own goroutine, which spares it two switches; for all others it
// needs one that can be left behind.
func Patient(ctx context.Context) bool {
	if call, ok := ctx.Value(callKey{}).(*Call); ok {
		return Patient(call.caller)
	}
	return ctx.Done() == nil
}
