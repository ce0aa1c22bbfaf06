//go:build cgo

package sqlite

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const upsertTimer = `
	INSERT INTO timers (run, name, due, awake) VALUES (?, ?, ?, ?)
	ON CONFLICT (run, name) DO UPDATE SET due = excluded.due`

const deleteTimer = `
	DELETE FROM timers WHERE run = ? AND name = ?`

const selectDue = `
	SELECT run, name, due FROM timers
	WHERE awake = 1 AND due <= ? ORDER BY due, run, name LIMIT ? + 0`

const selectTimers = `
	SELECT run, name, due FROM timers WHERE run = ? ORDER BY name`

// The times that anything waits for, later than a given one.
const (
	nextTimer = `SELECT min(due) AS at FROM timers WHERE awake = 1 AND due > ?1`
	nextTask  = `
	SELECT min(not_before) FROM tasks
	WHERE worker IS NULL AND awake = 1 AND not_before IS NOT NULL AND not_before > ?1 AND not_before < ` + never
	nextLease = `SELECT min(lease_until) FROM tasks WHERE worker IS NOT NULL AND lease_until > ?1`

	nextAny = `SELECT min(at) FROM (` + nextTimer + ` UNION ALL ` + nextTask + ` UNION ALL ` + nextLease +
		` UNION ALL ` + nextMessage + ` UNION ALL ` + nextOpening + `)`
)

func (t *tx) writeTimers(c *store.Commit) error {
	for _, name := range c.Drop {
		if _, err := t.exec(deleteTimer, c.Run.Run, name); err != nil {
			return err
		}
	}
	for i := range c.Set {
		timer := &c.Set[i]
		if _, err := t.exec(upsertTimer, timer.Run, timer.Name, micros(timer.Due), c.Run.Awake()); err != nil {
			return err
		}
		failpoint.Hit(failpoint.TimerWritten)
	}
	return nil
}

func (s *Store) Due(ctx context.Context, now time.Time, limit int) ([]store.TimerRow, error) {
	return glanceAll(ctx, s, sqlrow.Timer, selectDue, micros(now), atMost(limit))
}

func (s *Store) Timers(ctx context.Context, run string) ([]store.TimerRow, error) {
	return glanceAll(ctx, s, sqlrow.Timer, selectTimers, run)
}

// never is store.Never, as it stands in a column.
const never = `253402300799000000`
