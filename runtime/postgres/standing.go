package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// standing is what a commit needs to know of a run as it was, or is.
type standing struct {
	run, machine, definition, state string

	status                    machine.Status
	outcome                   machine.Outcome
	paused                    bool
	seq                       int64
	started, entered, updated time.Time
	parent                    string
	told                      json.RawMessage
}

func (b *standing) finished() bool { return b.status == machine.Finished }

// awake reports whether the run's timers fire and its tasks are handed out.
func (b *standing) awake() bool { return b.status != machine.Halted && !b.paused }

// standingIn is how a run stands by its row.
func standingIn(r *store.RunRow) standing {
	return standing{
		run: r.Run, machine: r.Machine, definition: r.Definition, state: r.State, status: r.Status, outcome: r.Outcome,
		paused: r.Paused, seq: r.Seq, started: r.Started, entered: r.Entered, updated: r.Updated, parent: r.Parent,
	}
}

// open is a task that a commit has to do with, as it stands.
type open struct {
	store.Claim
	id                            int64
	held, cancelled, awake, ended bool
	child                         string
}

const (
	selectStanding = `
	SELECT run, machine, definition, state, status, coalesce(outcome, ''), paused, seq, started, entered, updated,
		coalesce(parent, ''), told
	FROM @runs`
	selectStandings = selectStanding + ` WHERE run = ANY ($1)`
	lockRuns        = selectStandings + ` ORDER BY run FOR NO KEY UPDATE`
	lockTasks       = `
	SELECT id, run, "do", seq, epoch, worker IS NOT NULL, cancelled, awake, ended, coalesce(child, '')
	FROM @tasks WHERE run = $1 AND "do" = ANY ($2) OR run = $3 AND "do" = $4 OR child = ANY ($5)
	ORDER BY id FOR UPDATE`
	selectKnown = `SELECT 1 FROM @definitions WHERE hash = $1`
)

// footing is what stands under the locks of a commit.
type footing struct {
	runs   map[string]*standing
	tasks  []*open
	answer *int64 // the token of the commit that has accepted its event id
	known  bool   // its definition
}

// stand locks what a commit has to do with, runs before tasks and each in one order, and reads
// how it stands.
func (t *tx) stand(ctx context.Context, c *store.Commit) (*footing, error) {
	children := append([]string{}, takenOver(c)...)
	runs := append([]string{c.Run.Run}, children...)
	if c.Hears != nil {
		runs = append(runs, c.Hears.Child)
	}
	if len(c.History) > 0 && c.Run.Status == machine.Finished {
		children = append(children, c.Run.Run)
	}
	dos := slices.Concat(c.End, c.Cancel, c.Ready)
	if c.Claim != nil {
		dos = append(dos, c.Claim.Do)
	}
	var parentRun, parentDo *string
	if c.Parent != nil {
		parentRun, parentDo = &c.Parent.Run, &c.Parent.Do
	}

	var locked []standing
	var answers []int64
	var known []int
	f := footing{runs: map[string]*standing{}}
	ask(t, &locked, scanStanding, lockRuns, runs)
	if c.EventID != "" {
		ask(t, &answers, sqlrow.One[int64], selectAnswerToken, c.Run.Run, c.EventID)
	}
	ask(t, &known, sqlrow.One[int], selectKnown, c.Run.Definition)
	if len(dos)+len(children) > 0 || c.Parent != nil {
		ask(t, &f.tasks, scanOpen, lockTasks, c.Run.Run, dos, parentRun, parentDo, children)
	}
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	for i := range locked {
		f.runs[locked[i].run] = &locked[i]
	}
	if len(answers) > 0 {
		f.answer = &answers[0]
	}
	f.known = len(known) > 0
	return &f, nil
}

func scanStanding(found sqlrow.Row, b *standing) error {
	return found.Scan(&b.run, &b.machine, &b.definition, &b.state, &b.status, &b.outcome, &b.paused, &b.seq,
		&b.started, &b.entered, &b.updated, &b.parent, (*[]byte)(&b.told))
}

func scanOpen(found sqlrow.Row, o **open) error {
	*o = &open{}
	return found.Scan(&(*o).id, &(*o).Run, &(*o).Do, &(*o).Seq, &(*o).Epoch, &(*o).held, &(*o).cancelled,
		&(*o).awake, &(*o).ended, &(*o).child)
}

// holding is the task that is held under a claim and has not been cancelled, or nil.
func (f *footing) holding(c *store.Claim) *open {
	for _, o := range f.tasks {
		if o.held && !o.cancelled && o.Claim == *c {
			return o
		}
	}
	return nil
}

// admit says why a commit is refused, in the order that store.Store gives.
func (f *footing) admit(c *store.Commit) error {
	before := f.runs[c.Run.Run]
	switch {
	case f.answer != nil:
		return machine.ErrDuplicate
	case before != nil && c.Expect == 0:
		return machine.ErrExists
	case before == nil && c.Expect > 0:
		return store.ErrNotFound
	case before != nil && (before.seq != c.Expect ||
		c.Repairs == nil && before.started.UnixMicro() != c.Run.Started.UnixMicro()):
		return store.ErrConflict
	case !f.known:
		return store.NotFound("definition", c.Run.Definition)
	case c.Claim != nil && f.holding(c.Claim) == nil:
		return machine.ErrFenced
	}
	if c.Parent != nil {
		if o := f.holding(c.Parent); o == nil || o.child != "" || !o.awake {
			return machine.ErrFenced
		}
	}
	if h := c.Hears; h != nil {
		child := f.runs[h.Child]
		if child == nil || child.parent != h.Parent || !bytes.Equal(child.told, h.Told) {
			return machine.ErrFenced
		}
	}
	return nil
}
