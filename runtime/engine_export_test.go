package runtime

import "context"

// What the tests of the engine, which stand outside the package because stores
// import it, borrow from the tests of the machine.
var (
	Build         = compile
	WithParams    = params
	WithFields    = fields
	WithEvent     = event
	WithGuard     = guard
	WithActivity  = activity
	WithState     = state
	WithTerminal  = terminal
	WithRequire   = require
	On            = when_
	After         = after
	Entering      = entry
	Doing         = do
	GoTo          = goTo
	Retry         = retry
	Stay          = stay
	Set           = set
	When          = cond
	Bound         = bound
	WithBackoff   = backoff
	By            = by
	Publishing    = publish
	Deferring     = deferIt
	WaitsOutside  = (*Machine).waitsOutside
	RunsInMemory  = func(e *Engine) int { e.runs.mu.Lock(); defer e.runs.mu.Unlock(); return len(e.runs.runs) }
	AttemptsUnder = func(e *Engine) int { e.active.mu.Lock(); defer e.active.mu.Unlock(); return len(e.active.byID) }
)

// MembersOf makes members of a state from functions, so that a test outside of
// the package can pass them on.
func MembersOf(list []func() any) []part {
	parts := make([]part, len(list))
	for i, f := range list {
		parts[i] = f().(part)
	}
	return parts
}

// ReplayRun is Engine.Replay in a form that tests can call at their end.
func ReplayRun(e *Engine, run string) error { return e.Replay(context.Background(), run) }
