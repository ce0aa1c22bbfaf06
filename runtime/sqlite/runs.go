//go:build cgo

package sqlite

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

const runColumns = `
	SELECT run, machine, definition, state, status, coalesce(outcome, ''), paused,
		seq, started, entered, updated, snapshot, coalesce(parent, ''), coalesce(root, ''), tags
	FROM `

const selectRuns = runColumns + `runs`

// selectTagged reads the index of tags first.
const selectTagged = runColumns + `tags CROSS JOIN runs USING (run)`

const selectRun = selectRuns + ` WHERE run = ?`

func (s *Store) Load(ctx context.Context, run string) (store.RunRow, error) {
	row, ok, err := glanceFirst(ctx, s, scanRun, selectRun, run)
	if err == nil && !ok {
		return row, store.ErrNotFound
	}
	return row, err
}

func scanRun(found row, r *store.RunRow) error {
	var in struct { // one allocation
		started, entered, updated int64
		tags                      []byte
	}
	err := found.Scan(&r.Run, &r.Machine, &r.Definition, &r.State, &r.Status, &r.Outcome, &r.Paused,
		&r.Seq, &in.started, &in.entered, &in.updated, (*[]byte)(&r.Snapshot), &r.Parent, &r.Root, &in.tags)
	r.Started, r.Entered, r.Updated = fromMicros(in.started), fromMicros(in.entered), fromMicros(in.updated)
	if r.Root == "" {
		r.Root = r.Run
	}
	if err == nil {
		r.Tags, err = store.DecodeTags(in.tags)
	}
	return err
}

// Runs implements store.Store. A page begins where the one before ended, by
// the order itself, so that a late page costs no more than the first.
func (s *Store) Runs(ctx context.Context, f store.RunFilter) ([]store.RunRow, error) {
	after, err := f.Begins(ctx, s)
	if err != nil {
		return nil, err
	}
	query, args := runsQuery(&f, after)
	return readAll(ctx, s, scanRun, query, args...)
}
