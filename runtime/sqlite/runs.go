//go:build cgo

package sqlite

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	selectRuns = `
	SELECT ` + sqlrow.RunColumns + ` FROM runs`
	selectRun = selectRuns + ` WHERE run = ?`

	// selectTagged reads the index of tags first.
	selectTagged = `
	SELECT ` + sqlrow.RunColumns + ` FROM tags CROSS JOIN runs USING (run)`
)

func (s *Store) Load(ctx context.Context, run string) (store.RunRow, error) {
	row, ok, err := glanceFirst(ctx, s, sqlrow.Run, selectRun, run)
	if err == nil && !ok {
		return row, store.ErrNotFound
	}
	return row, err
}

// Runs implements store.Store. A page begins where the one before ended, by
// the order itself, so that a late page costs no more than the first.
func (s *Store) Runs(ctx context.Context, f store.RunFilter) ([]store.RunRow, error) {
	after, err := f.Begins(ctx, s)
	if err != nil {
		return nil, err
	}
	query, args := runsQuery(&f, after)
	return readAll(ctx, s, sqlrow.Run, query, args...)
}
