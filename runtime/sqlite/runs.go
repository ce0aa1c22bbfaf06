//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime"
)

const selectRuns = `
	SELECT run, machine, definition, state, status, coalesce(outcome, ''), paused,
		seq, started, entered, updated, snapshot
	FROM runs`

const selectRun = selectRuns + ` WHERE run = ?`

// Load implements runtime.Store.
func (s *Store) Load(ctx context.Context, run string) (runtime.RunRow, error) {
	row, ok, err := first(ctx, s.readers, scanRun, selectRun, run)
	if err == nil && !ok {
		return row, runtime.ErrNotFound
	}
	return row, s.readError(err)
}

func scanRun(rows *sql.Rows, r *runtime.RunRow) error {
	var started, entered, updated int64
	err := rows.Scan(&r.Run, &r.Machine, &r.Definition, &r.State, &r.Status, &r.Outcome, &r.Paused,
		&r.Seq, &started, &entered, &updated, (*[]byte)(&r.Snapshot))
	r.Started, r.Entered, r.Updated = fromMicros(started), fromMicros(entered), fromMicros(updated)
	return err
}

// Runs implements runtime.Store. A page begins where the one before ended, by
// the order itself, so that a late page costs no more than the first.
func (s *Store) Runs(ctx context.Context, f runtime.RunFilter) ([]runtime.RunRow, error) {
	var after *runtime.RunRow
	if f.After != "" {
		row, err := s.Load(ctx, f.After)
		if err != nil {
			return nil, err
		}
		after = &row
	}
	query, args := runsQuery(&f, after)
	rows, err := list(ctx, s.readers, scanRun, query, args...)
	return rows, s.readError(err)
}

// runsQuery has conditions for those fields only that filter: each has an index
// that is in the order of the list.
func runsQuery(f *runtime.RunFilter, after *runtime.RunRow) (string, []any) {
	var conditions []string
	var args []any
	where := func(condition string, values ...any) {
		conditions = append(conditions, condition)
		args = append(args, values...)
	}
	for _, equal := range []struct{ column, value string }{
		{"machine", f.Machine},
		{"state", f.State},
		{"status", string(f.Status)},
		{"outcome", string(f.Outcome)},
		{"definition", f.Definition},
	} {
		if equal.value != "" {
			where(equal.column+" = ?", equal.value)
		}
	}
	if !f.StartedFrom.IsZero() {
		where("started >= ?", micros(f.StartedFrom))
	}
	if !f.StartedTo.IsZero() {
		where("started < ?", micros(f.StartedTo))
	}
	if after != nil {
		where("(started, run) < (?, ?)", micros(after.Started), after.Run)
	}
	query := selectRuns
	if len(conditions) > 0 {
		query += " WHERE " + strings.Join(conditions, " AND ")
	}
	return query + " ORDER BY started DESC, run DESC LIMIT ?", append(args, atMost(f.Limit))
}
