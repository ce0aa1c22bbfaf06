package postgres

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	insertDefinition = `
	INSERT INTO @definitions (hash, machine, source, definition) VALUES ($1, $2, $3, $4)
	ON CONFLICT (hash) DO NOTHING`
	selectDefinitions = `
	SELECT hash, machine, source, definition FROM @definitions`
	selectDefinition    = selectDefinitions + ` WHERE hash = $1`
	selectAllDefinition = selectDefinitions + ` ORDER BY machine, hash`
	selectVersionCounts = `
	SELECT d.hash, coalesce(live.runs, 0), (SELECT min(started) FROM @all_runs WHERE definition = d.hash) AS first
	FROM @definitions AS d LEFT JOIN (
		SELECT definition, count(*) AS runs FROM @runs WHERE status IN ('running', 'halted', 'ending') GROUP BY definition
	) AS live ON live.definition = d.hash
	WHERE EXISTS (SELECT 1 FROM @all_runs WHERE definition = d.hash)`
)

func (s *Store) PutDefinition(ctx context.Context, d store.DefinitionRow) error {
	return s.write(ctx, func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, insertDefinition, d.Hash, d.Machine, d.Source, string(d.Definition))
		if err != nil || n == 0 {
			return err
		}
		return t.putLimits(ctx, &d)
	})
}

func (s *Store) Definition(ctx context.Context, hash string) (store.DefinitionRow, error) {
	d, ok, err := readFirst(ctx, s, sqlrow.Definition, selectDefinition, hash)
	if err == nil && !ok {
		return d, store.NotFound("definition", hash)
	}
	return d, err
}

func (s *Store) Definitions(ctx context.Context) ([]store.DefinitionRow, error) {
	return readAll(ctx, s, sqlrow.Definition, selectAllDefinition)
}

func (s *Store) VersionCounts(ctx context.Context) ([]store.VersionCount, error) {
	return readAll(ctx, s, sqlrow.Version, selectVersionCounts)
}
