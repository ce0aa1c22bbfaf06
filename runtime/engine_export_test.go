package runtime

import (
	"bytes"
	"context"
	"fmt"
)

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
	On            = when_
	After         = after
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

// ReplayRun replays the history of a run, and compares what it gives with the
// snapshot in the store.
func ReplayRun(e *Engine, run string) error {
	ctx := context.Background()
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return err
	}
	h, s, err := e.decode(ctx, &row)
	if err != nil {
		return err
	}
	rows, err := e.store.History(ctx, run, 0, 0)
	if err != nil {
		return err
	}
	records := make([]*Record, len(rows))
	for i := range rows {
		if records[i], err = h.machine.DecodeRecord(rows[i].Record); err != nil {
			return err
		}
	}
	replayed, err := h.machine.Replay(run, s.Seed, records)
	if err != nil {
		return err
	}
	if got := h.machine.EncodeSnapshot(replayed); !bytes.Equal(got, row.Snapshot) {
		return fmt.Errorf("the history of run %q gives\n%s\nthe store has\n%s", run, got, row.Snapshot)
	}
	return nil
}
