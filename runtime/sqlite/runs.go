//go:build cgo

package sqlite

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

const selectRuns = `
	SELECT run, machine, definition, state, status, coalesce(outcome, ''), paused,
		seq, started, entered, updated, snapshot, coalesce(parent, ''), coalesce(root, run)
	FROM runs`

const selectRun = selectRuns + ` WHERE run = ?`

// Load implements store.Store.
func (s *Store) Load(ctx context.Context, run string) (store.RunRow, error) {
	row, ok, err := glanceFirst(ctx, s, scanRun, selectRun, run)
	if err == nil && !ok {
		return row, store.ErrNotFound
	}
	return row, err
}

func scanRun(found row, r *store.RunRow) error {
	var started, entered, updated int64
	err := found.Scan(&r.Run, &r.Machine, &r.Definition, &r.State, &r.Status, &r.Outcome, &r.Paused,
		&r.Seq, &started, &entered, &updated, (*[]byte)(&r.Snapshot), &r.Parent, &r.Root)
	r.Started, r.Entered, r.Updated = fromMicros(started), fromMicros(entered), fromMicros(updated)
	return err
}

// Runs implements store.Store. A page begins where the one before ended, by
// the order itself, so that a late page costs no more than the first.
func (s *Store) Runs(ctx context.Context, f store.RunFilter) ([]store.RunRow, error) {
	var after *store.RunRow
	if f.After != "" {
		row, err := s.Load(ctx, f.After)
		if err != nil {
			return nil, err
		}
		after = &row
	}
	query, args := runsQuery(&f, after)
	return readAll(ctx, s, scanRun, query, args...)
}
