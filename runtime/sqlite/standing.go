//go:build cgo

package sqlite

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// standing is what a commit needs to know of the run as it was.
type standing struct {
	seq        int64
	machine    string
	definition string
	state      string
	status     machine.Status
	outcome    machine.Outcome
	paused     bool
	started    int64
	entered    int64
	last       int64 // row of its history
	child      bool
}

// standingOf is a run and how it stands after a commit.
type standingOf struct {
	run string
	standing
}

const selectStanding = `
	SELECT seq, machine, definition, state, status, coalesce(outcome, ''), paused, started, entered, last, parent IS NOT NULL
	FROM runs WHERE run = ?`

func scanStanding(found sqlrow.Row, b *standing) error {
	return found.Scan(&b.seq, &b.machine, &b.definition, &b.state, &b.status, &b.outcome, &b.paused, &b.started, &b.entered, &b.last, &b.child)
}

// standingFor gives how the run stands that c expects, or the error with which c is
// refused. What this writer has made of the run last it knows: how a run stood
// at a sequence number never changes, and that it still stands so is for the
// UPDATE to say, where nothing else comes before it. A run whose id is used again
// is told from the one before by when it was started.
func (t *tx) standingFor(ctx context.Context, c *store.Commit) (standing, error) {
	if known, ok := t.w.known[c.Run.Run]; ok && known.expected(c) &&
		len(c.History) > 0 && c.Claim == nil && c.Repairs == nil && c.Run.Definition == known.definition {
		return known, nil
	}
	before, ok, err := sqlrow.First(ctx, t, scanStanding, selectStanding, c.Run.Run)
	switch {
	case err != nil:
		return before, err
	case ok && c.Expect == 0:
		return before, machine.ErrExists
	case !ok && c.Expect > 0:
		return before, store.ErrNotFound
	case ok && !before.expected(c):
		return before, store.ErrConflict
	}
	before.child = before.child || c.Parent != nil
	return before, nil
}

// standingIn is how a run stands by its row, which does not say where its history is,
// nor, but at the start, whether it is a child.
func standingIn(r *store.RunRow) standing {
	return standing{
		seq: r.Seq, machine: r.Machine, definition: r.Definition, state: r.State, status: r.Status,
		outcome: r.Outcome, paused: r.Paused, started: micros(r.Started), entered: micros(r.Entered),
	}
}

// counted is how the run stood by what has been counted of it.
func (b *standing) counted(c *store.Commit) *standing {
	if c.Repairs == nil {
		return b
	}
	repaired := standingIn(c.Repairs)
	return &repaired
}

// onlyMoves reports whether a step from b leads to after and changes no more of
// the run than a step may that goes on.
func (b standing) onlyMoves(after *standing) bool {
	b.seq, b.state, b.entered, b.last = after.seq, after.state, after.entered, after.last
	return b == *after
}

// expected reports whether it is what c expects.
func (b *standing) expected(c *store.Commit) bool {
	return b.seq == c.Expect && (c.Expect == 0 || c.Repairs != nil || b.started == micros(c.Run.Started))
}

// overtaken says why a run did not stand as this writer knew.
func (t *tx) overtaken(ctx context.Context, c *store.Commit) error {
	delete(t.w.known, c.Run.Run)
	if _, err := t.standingFor(ctx, c); err != nil {
		return err
	}
	return store.ErrConflict
}

// maxKnown bounds how many runs a writer remembers.
const maxKnown = 4096

// remember keeps how runs stand after a batch that is durable. A run that has
// ended is not likely to take another step.
func (w *writer) remember(stand []standingOf) {
	for i := range stand {
		if stand[i].status == machine.Finished {
			delete(w.known, stand[i].run)
			continue
		}
		if len(w.known) >= maxKnown {
			clear(w.known)
		}
		w.known[stand[i].run] = stand[i].standing
	}
}
