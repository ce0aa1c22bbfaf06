//go:build cgo

package sqlite

import (
	"context"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const selectDefinitions = `
	SELECT hash, machine, source, definition FROM definitions ORDER BY machine, hash`

func (s *Store) Definitions(ctx context.Context) ([]store.DefinitionRow, error) {
	return readAll(ctx, s, sqlrow.Definition, selectDefinitions)
}

// selectVersionCounts reads the runs that have not ended by their status, which the planner would
// else read by their definition, with those that have.
const selectVersionCounts = `
	SELECT version.hash, coalesce(version_live.runs, 0), (SELECT min(started) FROM runs WHERE definition = version.hash)
	FROM definitions AS version LEFT JOIN (
		SELECT +definition AS definition, count(*) AS runs FROM runs WHERE status IN ('running', 'halted', 'ending') GROUP BY 1
	) AS version_live ON version_live.definition = version.hash
	WHERE EXISTS (SELECT 1 FROM runs WHERE definition = version.hash)`

func (s *Store) VersionCounts(ctx context.Context) ([]store.VersionCount, error) {
	return readAll(ctx, s, sqlrow.Version, selectVersionCounts)
}

// selectWanted goes from one definition to the next in each of the two indexes of
// tasks that wait.
const selectWanted = `
	WITH RECURSIVE
	wanted_now (definition) AS (
		SELECT min(definition) FROM tasks WHERE worker IS NULL AND awake = 1 AND not_before IS NULL
		UNION ALL
		SELECT (SELECT min(t.definition) FROM tasks t
			WHERE t.worker IS NULL AND t.awake = 1 AND t.not_before IS NULL AND t.definition > w.definition)
		FROM wanted_now w WHERE w.definition IS NOT NULL),
	wanted_later (definition) AS (
		SELECT min(definition) FROM tasks WHERE worker IS NULL AND awake = 1 AND not_before IS NOT NULL
		UNION ALL
		SELECT (SELECT min(t.definition) FROM tasks t
			WHERE t.worker IS NULL AND t.awake = 1 AND t.not_before IS NOT NULL AND t.definition > w.definition)
		FROM wanted_later w WHERE w.definition IS NOT NULL)
	SELECT definition FROM wanted_now WHERE definition IS NOT NULL
	UNION ALL
	SELECT definition FROM wanted_later WHERE definition IS NOT NULL`

// wanted reads the versions, of which each may stand in both indexes.
func wanted(ctx context.Context, from sqlrow.Source) ([]string, error) {
	hashes, err := sqlrow.List(ctx, from, sqlrow.One[string], selectWanted)
	slices.Sort(hashes)
	return slices.Compact(hashes), err
}

// The two parts read an index each, of tasks that wait; no more rows than there
// are such tasks.
const selectWaiting = selectTasks + ` WHERE id IN (
		SELECT id FROM tasks WHERE worker IS NULL AND awake = 1 AND not_before IS NULL AND queued < ?1
		UNION ALL
		SELECT id FROM tasks WHERE worker IS NULL AND awake = 1 AND not_before IS NOT NULL AND not_before < ?1
	) AND cancelled = 0 LIMIT ?2 + 0`

func (s *Store) Waiting(ctx context.Context, before time.Time, limit int) ([]store.TaskRow, error) {
	return readAll(ctx, s, sqlrow.Task, selectWaiting, micros(before), atMost(limit))
}
