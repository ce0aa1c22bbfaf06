//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	endClaimed = `
	DELETE FROM tasks
	WHERE run = ? AND do = ? AND seq = ? AND epoch = ? AND worker IS NOT NULL AND cancelled = 0` + noChildHolds
	endOpen = `
	DELETE FROM tasks WHERE run = ? AND do = ? AND cancelled = 0` + noChildHolds
	cancelWaiting = `
	DELETE FROM tasks WHERE run = ? AND do = ? AND cancelled = 0 AND worker IS NULL` + noChildHolds
	cancelHeld = `
	UPDATE tasks SET cancelled = 1 WHERE run = ? AND do = ? AND cancelled = 0` + noChildHolds
	readyWaiting = `
	UPDATE tasks SET queued = ?3, not_before = ?3
	WHERE run = ?1 AND do = ?2 AND cancelled = 0 AND worker IS NULL AND child IS NULL`
	insertTask = `
	INSERT INTO tasks (run, do, seq, machine, definition, activity, key, attempt, visit, awake,
		queued, not_before, lost, timeout_ns, heartbeat_ns, progress_ns, child, ended)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// selectTasks reads tasks with the last checkpoint of their execution.
const selectTasks = `
	SELECT run, do, seq, machine, definition, activity, key, attempt, visit,
		not_before, epoch, coalesce(worker, ''), claimed, lease_until, beat, progress, lost, cancelled,
		(SELECT data FROM checkpoints WHERE checkpoints.key = tasks.key),
		(SELECT at FROM checkpoints WHERE checkpoints.key = tasks.key),
		timeout_ns, heartbeat_ns, progress_ns, coalesce(child, ''), ended
	FROM tasks`

const selectRunTasks = selectTasks + ` WHERE run = ? ORDER BY seq, id`

const selectTaskOf = selectTasks + ` WHERE child = ?`

const selectExpired = selectTasks + `
	WHERE worker IS NOT NULL AND lease_until <= ? AND cancelled = 0
		AND (SELECT status FROM runs WHERE runs.run = tasks.run) <> 'halted'
	ORDER BY lease_until LIMIT ? + 0`

const selectHeld = `
	SELECT EXISTS (SELECT 1 FROM tasks WHERE run = ? AND cancelled = 1 AND (lease_until > ? OR child IS NOT NULL AND ended = 0))`

const selectLeftovers = selectTasks + ` WHERE cancelled = 1 AND child IS NOT NULL AND ended = 0`

// endClaim ends the task that a commit is about, if any, or says ErrFenced.
func (t *tx) endClaim(c *store.Claim) error {
	if c == nil {
		return nil
	}
	n, err := t.exec(endClaimed, c.Run, c.Do, c.Seq, c.Epoch)
	if err == nil && n == 0 {
		n, err = t.exec(leaveClaimed, c.Run, c.Do, c.Seq, c.Epoch)
	}
	if err == nil && n == 0 {
		err = machine.ErrFenced
	}
	if err == nil {
		failpoint.Hit(failpoint.ClaimEnded)
	}
	return err
}

// endTasks ends and cancels the tasks that stood before the commit, and lets others wait no more.
func (t *tx) endTasks(c *store.Commit) error {
	for _, do := range c.End {
		if err := t.firstOf(c.Run.Run, do, endOpen, leaveOpen); err != nil {
			return err
		}
	}
	for _, do := range c.Cancel {
		if err := t.firstOf(c.Run.Run, do, cancelWaiting, cancelHeld, leaveOpen); err != nil {
			return err
		}
	}
	for _, do := range c.Ready {
		if _, err := t.exec(readyWaiting, c.Run.Run, do, micros(c.Run.Updated)); err != nil {
			return err
		}
	}
	return nil
}

// firstOf runs the first statement that fits the open task of a do, if it has one.
func (t *tx) firstOf(run, do string, texts ...string) error {
	for _, text := range texts {
		if n, err := t.exec(text, run, do); err != nil || n > 0 {
			return err
		}
	}
	return nil
}

func (t *tx) startTask(ctx context.Context, c *store.Commit, row *store.TaskRow) error {
	ended, notBefore := false, row.NotBefore
	if row.Child != "" {
		var err error
		if ended, notBefore, err = t.takeChild(ctx, row); err != nil {
			return err
		}
	}
	_, err := t.exec(insertTask, row.Run, row.Do, row.Seq, row.Machine, row.Definition, row.Activity,
		row.Key, row.Attempt, row.Visit, c.Run.Awake(), micros(c.Run.Updated), optional(notBefore), row.Lost,
		int64(row.Timeout), int64(row.Heartbeat), int64(row.Progress), sql.NullString{String: row.Child, Valid: row.Child != ""}, ended)
	return err
}

func (s *Store) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	return glanceAll(ctx, s, sqlrow.Task, selectRunTasks, run)
}

func (s *Store) TaskOf(ctx context.Context, child string) (store.TaskRow, error) {
	t, ok, err := glanceFirst(ctx, s, sqlrow.Task, selectTaskOf, child)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return t, err
}

func (s *Store) Expired(ctx context.Context, now time.Time, limit int) ([]store.TaskRow, error) {
	return glanceAll(ctx, s, sqlrow.Task, selectExpired, micros(now), atMost(limit))
}

func (s *Store) Held(ctx context.Context, run string, now time.Time) (bool, error) {
	held, _, err := glanceFirst(ctx, s, sqlrow.One[bool], selectHeld, run, micros(now))
	return held, err
}
