package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// The tables of a month of the archive end in its year and month, as runs_2026_03 does.
const (
	selectArchive = `SELECT coalesce((SELECT value FROM @settings WHERE name = 'archive'), 'off')`
	selectMonths  = `
	SELECT to_date(right(c.relname, 7), 'YYYY_MM') :: timestamp AT TIME ZONE 'UTC', greatest(s.n_live_tup, c.reltuples :: bigint, 0), (
		SELECT sum(pg_total_relation_size(part.oid)) :: bigint FROM pg_class AS part
		WHERE part.relnamespace = c.relnamespace AND part.relkind = 'r' AND part.relname LIKE 'archived\_%' AND right(part.relname, 7) = right(c.relname, 7))
	FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid LEFT JOIN pg_stat_all_tables AS s ON s.relid = c.oid
	WHERE i.inhparent = '@archived_runs' :: regclass ORDER BY 1`

	// limitDrop is for how long a prune waits for the tables of the archive, while others read
	// them. It is less than what it takes a server to look for deadlocks.
	limitDrop   = `SELECT set_config('lock_timeout', '500ms', true)`
	lockArchive = `
	LOCK TABLE ONLY @archived_tags, ONLY @archived_inbox, ONLY @archived_outbox, ONLY @archived_checkpoints,
		ONLY @archived_history, ONLY @archived_runs IN ACCESS EXCLUSIVE MODE`
	selectOldMonth = `
	SELECT right(relname, 7) FROM pg_inherits JOIN pg_class ON oid = inhrelid
	WHERE inhparent = '@archived_runs' :: regclass
		AND (to_date(right(relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= $1
	ORDER BY 1 LIMIT 1`
	countMonth = `
	SELECT machine, state, status, coalesce(outcome, ''), paused, count(*) FROM @archived_runs_%s GROUP BY 1, 2, 3, 4, 5`
)

// Month is a month of the archive.
type Month struct {
	Month time.Time `json:"month"`
	Runs  int64     `json:"runs"` // about so many
	Bytes int64     `json:"bytes"`
}

func scanMonth(found sqlrow.Row, m *Month) error { return found.Scan(&m.Month, &m.Runs, &m.Bytes) }

// pruneMonths drops the first month of the archive, where all of its runs are meant: gives
// how many there were. Months without any are dropped on the way.
func (t *tx) pruneMonths(ctx context.Context, q *store.PruneQuery) (int64, error) {
	if q.Machine != "" || q.Outcome != "" || q.Run != "" {
		return 0, nil
	}
	for {
		month, some, err := sqlrow.First(ctx, t, sqlrow.One[string], selectOldMonth, q.Before)
		if err != nil || !some {
			return 0, err
		}
		runs, err := t.dropMonth(ctx, q, month)
		if err != nil || runs > 0 {
			return runs, err
		}
	}
}

func (t *tx) dropMonth(ctx context.Context, q *store.PruneQuery, month string) (runs int64, err error) {
	t.queue(nil, limitDrop)
	t.queue(nil, lockArchive)
	if err := t.flush(ctx); err != nil {
		return 0, err
	}
	type standingSo struct {
		standing
		runs int64
	}
	stood, err := sqlrow.List(ctx, t, func(found sqlrow.Row, s *standingSo) error {
		return found.Scan(&s.machine, &s.state, &s.status, &s.outcome, &s.paused, &s.runs)
	}, fmt.Sprintf(countMonth, month))
	if err != nil {
		return 0, err
	}
	var gone counter
	for i := range stood {
		runs += stood[i].runs
		gone.run(&stood[i].standing, fmt.Sprint(-stood[i].runs))
	}
	names := archived.tables()
	for i := range names {
		names[i] = t.s.schema + "." + names[i] + "_" + month
	}
	if _, err := t.conn.Exec(ctx, "DROP TABLE "+strings.Join(names, ", ")); err != nil || runs == 0 {
		return 0, err
	}
	return runs, t.notePruning(ctx, q, runs, gone.tally)
}
