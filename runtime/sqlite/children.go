//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A task with a child that has not ended is held by it: no worker holds it, and it goes
// only when the child ends. Its not_before is when it can be claimed all the same, or so far
// away that it never comes, so that a claim needs no condition of its own.
//
// A child has left what workers hold of it though it has been cancelled. When it has ended, its task waits
// for that: one that has been cancelled is held by the child under a lease as long as theirs.
const (
	ofChild      = ` FROM tasks AS own WHERE own.run = tasks.child AND own.cancelled = 1`
	leftUntil    = `(SELECT max(lease_until)` + ofChild + `)`
	noChildHolds = ` AND (child IS NULL OR ended = 1 AND NOT EXISTS (SELECT 1` + ofChild + `))`
	released     = `worker = NULL, claimed = NULL, lease_until = NULL, beat = NULL, progress = NULL`

	holdByChild = `
	UPDATE tasks SET child = ?, not_before = ?, ` + released + `
	WHERE run = ? AND do = ? AND seq = ? AND epoch = ? AND worker IS NOT NULL AND cancelled = 0 AND child IS NULL AND awake = 1`
	leaveTask = `
	UPDATE tasks SET cancelled = 1, epoch = CASE ended WHEN 1 THEN 0 ELSE epoch END, claimed = NULL, beat = NULL, progress = NULL,
		worker = CASE ended WHEN 1 THEN child END, lease_until = CASE ended WHEN 1 THEN ` + leftUntil + ` END`
	leaveClaimed = leaveTask + `
	WHERE run = ? AND do = ? AND seq = ? AND epoch = ? AND worker IS NOT NULL AND cancelled = 0`
	leaveOpen = leaveTask + `
	WHERE run = ? AND do = ? AND cancelled = 0`
	endHeld = `
	UPDATE tasks SET ended = 1, not_before = ? WHERE child = ? AND ended = 0 AND cancelled = 0`
	deleteLeftover = `
	DELETE FROM tasks WHERE child = ? AND ended = 0 AND cancelled = 1`

	selectLeft = `
	SELECT max(lease_until) FROM tasks WHERE run = ? AND cancelled = 1`
	holdLeftover = `
	UPDATE tasks SET ended = 1, epoch = 0, worker = child, lease_until = ?
	WHERE child = ? AND ended = 0 AND cancelled = 1`
	waitForLeft = `
	UPDATE tasks SET lease_until = CASE cancelled WHEN 1 THEN ?2 END, not_before = CASE cancelled WHEN 1 THEN not_before ELSE ?2 END
	WHERE child = ?1 AND ended = 1 AND (cancelled = 1 OR worker IS NULL)`
	nothingLeft      = ` AND NOT EXISTS (SELECT 1 FROM tasks AS left WHERE left.run = ?1 AND left.cancelled = 1)`
	deleteHeldByLeft = `
	DELETE FROM tasks WHERE child = ?1 AND ended = 1 AND cancelled = 1` + nothingLeft
	readyAfterLeft = `
	UPDATE tasks SET not_before = ?2
	WHERE child = ?1 AND ended = 1 AND cancelled = 0 AND worker IS NULL AND not_before > ?2` + nothingLeft

	deleteHeld = `
	DELETE FROM tasks WHERE child = ?`

	updateTotal = `
	UPDATE runs SET total = ? WHERE run = ? AND parent IS NOT NULL`
	updateTold = `
	UPDATE runs SET told = ? WHERE run = ? AND parent = ? AND told IS ?`
	ofReport = `
	SELECT runs.run, parent, total, told, coalesce(tasks.do, ''), coalesce(tasks.key, ''), coalesce(tasks.attempt, 0)`
	ofTask = `
	LEFT JOIN tasks ON tasks.child = runs.run AND tasks.cancelled = 0`
	untold = ` parent IS NOT NULL AND total IS NOT told`

	selectReports = ofReport + ` FROM runs INDEXED BY runs_untold` + ofTask + `
	WHERE` + untold + ` AND tasks.ended IS NOT 1`
	selectReportsTo = selectReports + ` AND parent = ?`
	selectReport    = ofReport + ` FROM runs` + ofTask + `
	WHERE runs.run = ? AND` + untold
)

// startChild has the task of the parent held by the run that c creates, or says ErrFenced.
func (t *tx) startChild(c *store.Commit) error {
	due := c.ParentDue
	if due.IsZero() {
		due = store.Never
	}
	p := c.Parent
	n, err := t.exec(holdByChild, c.Run.Run, micros(due), p.Run, p.Do, p.Seq, p.Epoch)
	if err == nil && n == 0 {
		err = machine.ErrFenced
	}
	if err == nil {
		failpoint.Hit(failpoint.HeldByChild)
	}
	return err
}

// endChild lets the task of the parent be claimed from the end of its child on, or takes it
// away where it has been cancelled; or it waits for what the child has left. A task whose child had ended
// before is as it was.
func (t *tx) endChild(ctx context.Context, c *store.Commit) error {
	now := micros(c.Run.Updated)
	left, _, err := sqlrow.First(ctx, t, sqlrow.One[sql.NullInt64], selectLeft, c.Run.Run)
	if err != nil {
		return err
	}
	n, err := t.exec(endHeld, max(now, left.Int64), c.Run.Run)
	switch {
	case err != nil || n > 0:
	case left.Valid:
		_, err = t.exec(holdLeftover, left.Int64, c.Run.Run)
	default:
		_, err = t.exec(deleteLeftover, c.Run.Run)
	}
	failpoint.Hit(failpoint.FreedByChild)
	return err
}

// renewed lets the task of a child that has ended wait for what the child has left, of which a claim was
// renewed.
func (t *tx) renewed(ctx context.Context, child string) error {
	if !store.MayBeChild(child) {
		return nil
	}
	left, _, err := sqlrow.First(ctx, t, sqlrow.One[sql.NullInt64], selectLeft, child)
	if err == nil {
		_, err = t.exec(waitForLeft, child, left)
	}
	return err
}

// stopped takes away a cancelled task that has stopped. If it was all that a child had left, the task of
// the child waits no more.
func (t *tx) stopped(c *store.Claim, id int64, now time.Time) error {
	_, err := t.exec(deleteTask, id)
	failpoint.Hit(failpoint.StoppedDeleted)
	if err != nil || !store.MayBeChild(c.Run) {
		return err
	}
	n, err := t.exec(deleteHeldByLeft, c.Run)
	if err == nil && n == 0 {
		_, err = t.exec(readyAfterLeft, c.Run, micros(now))
	}
	return err
}

// takeChild takes the child of a new task from the one that had it, and says whether it has
// ended, and from when on the task can be claimed.
func (t *tx) takeChild(ctx context.Context, row *store.TaskRow) (ended bool, notBefore time.Time, err error) {
	child, ok, err := sqlrow.First(ctx, t, sqlrow.Run, selectRun, row.Child)
	if err == nil && (!ok || child.Parent != row.Run) {
		err = fmt.Errorf("%q is no child of %q", row.Child, row.Run)
	}
	if err != nil {
		return false, notBefore, err
	}
	if ended, notBefore = child.Status == machine.Finished, row.NotBefore; ended {
		left, _, err := sqlrow.First(ctx, t, sqlrow.One[sql.NullInt64], selectLeft, row.Child)
		if err != nil {
			return false, notBefore, err
		}
		notBefore = fromMicros(max(micros(child.Updated), left.Int64))
	}
	_, err = t.exec(deleteHeld, row.Child)
	return ended, notBefore, err
}

// hear notes what the run of c knows of a child with it, or says ErrFenced.
func (t *tx) hear(h *store.Report) error {
	if h == nil {
		return nil
	}
	n, err := t.exec(updateTold, text(h.Total), h.Child, h.Parent, text(h.Told))
	if err == nil && n == 0 {
		err = machine.ErrFenced
	}
	if err == nil {
		failpoint.Hit(failpoint.ReportTaken)
	}
	return err
}

func (s *Store) Reports(ctx context.Context, q store.ReportQuery) ([]store.Report, error) {
	switch {
	case q.Child != "":
		return glanceAll(ctx, s, sqlrow.Report, selectReport, q.Child)
	case q.Parent != "":
		return glanceAll(ctx, s, sqlrow.Report, selectReportsTo, q.Parent)
	}
	return glanceAll(ctx, s, sqlrow.Report, selectReports)
}
