//go:build cgo

package sqlite

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

const selectDefinitions = `
	SELECT hash, machine, source, definition FROM definitions ORDER BY machine, hash`

// Definitions implements runtime.Store.
func (s *Store) Definitions(ctx context.Context) ([]runtime.DefinitionRow, error) {
	rows, err := list(ctx, s.readers, scanDefinition, selectDefinitions)
	return rows, s.readError(err)
}

// The two parts read an index each, of tasks that wait; no more rows than there
// are such tasks.
const selectWaiting = selectTasks + ` WHERE id IN (
		SELECT id FROM tasks WHERE worker IS NULL AND awake = 1 AND not_before IS NULL AND queued < ?1
		UNION ALL
		SELECT id FROM tasks WHERE worker IS NULL AND awake = 1 AND not_before IS NOT NULL AND not_before < ?1
	) LIMIT ?2`

// Waiting implements runtime.Store.
func (s *Store) Waiting(ctx context.Context, before time.Time, limit int) ([]runtime.TaskRow, error) {
	rows, err := list(ctx, s.readers, scanTask, selectWaiting, micros(before), atMost(limit))
	return rows, s.readError(err)
}
