//go:build cgo

package sqlite

import (
	"context"
	"database/sql"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Commit implements store.Store. Where ctx ends first, nothing has been
// written.
func (s *Store) Commit(ctx context.Context, c *store.Commit) error {
	if err := c.Check(); err != nil {
		return err
	}
	return s.writeLarge(ctx, int64(c.Size()), func(t *tx) error { return t.commit(ctx, c) })
}

// commit writes c: an error at any place takes back all of it. What it may be
// refused for comes before it changes anything, so that the others of its batch
// need not be run again.
func (t *tx) commit(ctx context.Context, c *store.Commit) error {
	before, err := t.admit(ctx, c)
	if err != nil {
		return err
	}
	if err := t.endClaim(c.Claim); err != nil {
		return err
	}
	if err := t.hear(c.Hears); err != nil {
		return err
	}
	if c.Parent != nil {
		if err := t.startChild(c); err != nil {
			return err
		}
	}
	if len(c.History) > 0 {
		t.countCommit(c, before.counted(c))
		if err := t.writeRun(ctx, c, &before); err != nil {
			return err
		}
		if err := t.countCosts(c); err != nil {
			return err
		}
		if c.Total != nil && before.child {
			if _, err := t.exec(updateTotal, text(c.Total), c.Run.Run); err != nil {
				return err
			}
			failpoint.Hit(failpoint.TotalRaised)
		}
	}
	if err := t.endTasks(c); err != nil {
		return err
	}
	failpoint.Hit(failpoint.TasksEnded)
	if len(c.History) > 0 && c.Run.Status == machine.Finished && before.child {
		if err := t.endChild(ctx, c); err != nil {
			return err
		}
	}
	for i := range c.Start {
		if err := t.startTask(ctx, c, &c.Start[i]); err != nil {
			return err
		}
		failpoint.Hit(failpoint.TaskStarted)
	}
	if err := t.writeTimers(c); err != nil {
		return err
	}
	if err := t.publish(c.Publish); err != nil {
		return err
	}
	if c.EventID != "" {
		_, err = t.exec(insertAnswer, c.Run.Run, c.EventID, c.Run.Seq, text(c.Answer))
		failpoint.Hit(failpoint.AnswerWritten)
	}
	return err
}

// admit refuses a commit, in the order that store.Store gives.
func (t *tx) admit(ctx context.Context, c *store.Commit) (before standing, err error) {
	if c.EventID != "" {
		answer, ok, err := sqlrow.First(ctx, t, sqlrow.One[[]byte], selectAnswer, c.Run.Run, c.EventID)
		if err != nil {
			return before, err
		}
		if ok {
			return before, &store.Duplicate{Answer: answer}
		}
	}
	if before, err = t.standingFor(ctx, c); err != nil {
		return before, err
	}
	if before.definition != c.Run.Definition {
		_, ok, err := sqlrow.First(ctx, t, sqlrow.One[int], `SELECT 1 FROM definitions WHERE hash = ?`, c.Run.Definition)
		if err != nil {
			return before, err
		}
		if !ok {
			return before, store.NotFound("definition", c.Run.Definition)
		}
	}
	return before, nil
}

const insertRun = `
	INSERT INTO runs (run, machine, definition, state, status, outcome, paused, seq, started, entered, updated, snapshot, last, parent, root, tags)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// An UPDATE looks at each index that has a column among those it sets, so a step
// sets what it has changed: the run stays where it is, or moves, or something
// else about it changes. The index of states has only runs that have ended, and
// a move between others writes none.
const (
	newEnd = `seq = ?, last = ?`

	asExpected = `
	WHERE run = ? AND seq = ? AND started = ?`

	updateStep = `
	UPDATE runs SET ` + newEnd + `, entered = ?, updated = ?, snapshot = ?` + asExpected
	updateMove = `
	UPDATE runs SET ` + newEnd + `, entered = ?, updated = ?, snapshot = ?, state = ?` + asExpected
	updateRun = `
	UPDATE runs SET ` + newEnd + `, entered = ?, updated = ?, snapshot = ?, state = ?,
		machine = ?, definition = ?, status = ?, outcome = ?, paused = ?` + asExpected
	repairRun = `
	UPDATE runs SET ` + newEnd + `, entered = ?, updated = ?, snapshot = ?, state = ?,
		machine = ?, definition = ?, status = ?, outcome = ?, paused = ?, started = ?` + asExpected
)

func (t *tx) writeRun(ctx context.Context, c *store.Commit, before *standing) error {
	r, after := &c.Run, standingIn(&c.Run)
	after.child = before.child
	outcome := sql.NullString{String: string(r.Outcome), Valid: r.Outcome != ""}
	after.last = t.newest + int64(len(c.History))
	var written int64
	var err error
	switch {
	case c.Expect == 0:
		written, err = t.exec(insertRun, r.Run, r.Machine, r.Definition, r.State, string(r.Status), outcome, r.Paused,
			r.Seq, micros(r.Started), micros(r.Entered), micros(r.Updated), text(r.Snapshot), after.last,
			sql.NullString{String: r.Parent, Valid: before.child}, sql.NullString{String: r.Root, Valid: before.child}, tagsText(r.Tags))
	case c.Repairs != nil:
		written, err = t.exec(repairRun, r.Seq, after.last, micros(r.Entered), micros(r.Updated), text(r.Snapshot), r.State,
			r.Machine, r.Definition, string(r.Status), outcome, r.Paused, micros(r.Started), r.Run, c.Expect, before.started)
	case !before.onlyMoves(&after):
		written, err = t.exec(updateRun, r.Seq, after.last, micros(r.Entered), micros(r.Updated), text(r.Snapshot), r.State,
			r.Machine, r.Definition, string(r.Status), outcome, r.Paused, r.Run, c.Expect, before.started)
	case r.State != before.state:
		written, err = t.exec(updateMove, r.Seq, after.last, micros(r.Entered), micros(r.Updated), text(r.Snapshot), r.State, r.Run, c.Expect, before.started)
	default:
		written, err = t.exec(updateStep, r.Seq, after.last, micros(r.Entered), micros(r.Updated), text(r.Snapshot), r.Run, c.Expect, before.started)
	}
	if err != nil {
		return err
	}
	if written == 0 {
		return t.overtaken(ctx, c)
	}
	if err := t.writeTags(c); err != nil {
		return err
	}
	if was := before.status != machine.Halted && !before.paused; c.Expect > 0 && was != r.Awake() {
		if err := t.wake(r.Run, r.Awake()); err != nil {
			return err
		}
	}
	failpoint.Hit(failpoint.RunWritten)
	if err := t.record(c.History, before.last); err != nil {
		return err
	}
	t.stand = append(t.stand, standingOf{r.Run, after})
	failpoint.Hit(failpoint.HistoryWritten)
	return nil
}

const (
	wakeTasks  = `UPDATE tasks SET awake = ? WHERE run = ?`
	wakeTimers = `UPDATE timers SET awake = ? WHERE run = ?`
)

func (t *tx) wake(run string, awake bool) error {
	if _, err := t.exec(wakeTasks, awake, run); err != nil {
		return err
	}
	failpoint.Hit(failpoint.Woken)
	_, err := t.exec(wakeTimers, awake, run)
	return err
}
