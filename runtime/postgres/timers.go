package postgres

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	selectDue = `
	SELECT run, name, due FROM @timers
	WHERE awake AND due <= $1 ORDER BY due, run, name LIMIT $2`
	selectTimers = `
	SELECT run, name, due FROM @timers WHERE run = $1 ORDER BY name`

	// waits are the earliest times later than $1 that anything of a run waits for. $2 is store.Never.
	waits = `
		SELECT min(due) AS at FROM @timers WHERE awake AND due > $1
		UNION ALL
		SELECT min(not_before) FROM @tasks
		WHERE worker IS NULL AND awake AND not_before IS NOT NULL AND not_before > $1 AND not_before < $2
		UNION ALL
		SELECT min(lease_until) FROM @tasks WHERE worker IS NOT NULL AND lease_until > $1
		UNION ALL
		SELECT min(ready) FROM @outbox WHERE next AND ready > $1`
)

var selectNextWake = earliest(waits)

// earliest is the first of these times, and of those at which a rate opens.
func earliest(times string) string {
	return `
	SELECT min(at) FROM (` + times + `
		UNION ALL ` + selectNextOpening + `
	) AS times`
}

func (s *Store) Due(ctx context.Context, now time.Time, limit int) ([]store.TimerRow, error) {
	return readAll(ctx, s, sqlrow.Timer, selectDue, now, atMost(limit))
}

func (s *Store) Timers(ctx context.Context, run string) ([]store.TimerRow, error) {
	return readAll(ctx, s, sqlrow.Timer, selectTimers, run)
}
