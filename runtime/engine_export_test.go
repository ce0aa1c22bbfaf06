package runtime

import (
	"context"
)

// What the tests, which stand outside the package because stores import it, look at.
var (
	WaitsOutside  = (*Machine).WaitsOutside
	RunsInMemory  = func(e *Engine) int { e.runs.mu.Lock(); defer e.runs.mu.Unlock(); return len(e.runs.runs) }
	AttemptsUnder = func(e *Engine) int { e.active.mu.Lock(); defer e.active.mu.Unlock(); return len(e.active.byID) }
)

// ReplayRun is Engine.Replay in a form that tests can call at their end.
func ReplayRun(e *Engine, run string) error { return e.Replay(context.Background(), run) }
