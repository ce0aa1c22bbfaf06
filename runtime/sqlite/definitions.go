//go:build cgo

package sqlite

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const insertDefinition = `
	INSERT INTO definitions (hash, machine, source, definition) VALUES (?, ?, ?, ?)
	ON CONFLICT (hash) DO NOTHING`

const selectDefinition = `
	SELECT hash, machine, source, definition FROM definitions WHERE hash = ?`

func (s *Store) PutDefinition(ctx context.Context, d store.DefinitionRow) error {
	return s.write(ctx, func(t *tx) error {
		n, err := t.exec(insertDefinition, d.Hash, d.Machine, d.Source, string(d.Definition))
		if err != nil || n == 0 {
			return err
		}
		return t.putLimits(&d)
	})
}

func (s *Store) Definition(ctx context.Context, hash string) (store.DefinitionRow, error) {
	d, ok, err := glanceFirst(ctx, s, sqlrow.Definition, selectDefinition, hash)
	if err == nil && !ok {
		return d, store.NotFound("definition", hash)
	}
	return d, err
}
