//go:build !cgo

package sqlite

import (
	"context"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Store is a store.Store in a SQLite file. Without cgo there is none.
type Store struct{ store.Store }

// Open gives ErrNoCgo.
func Open(_ context.Context, path string, opts ...Option) (*Store, error) {
	newOptions(opts)
	return nil, fmt.Errorf("cannot open %q: %w", path, ErrNoCgo)
}

// Strays gives ErrNoCgo.
func (s *Store) Strays(context.Context, string) ([]store.Stray, error) { return nil, ErrNoCgo }

// Backup gives ErrNoCgo.
func (s *Store) Backup(context.Context, string, func(context.Context, *Store) error) (int64, error) {
	return 0, ErrNoCgo
}

// Restore gives ErrNoCgo.
func Restore(context.Context, string, string, func(context.Context, *Store) error) (Restored, error) {
	return Restored{}, ErrNoCgo
}

// Move gives ErrNoCgo.
func Move(context.Context, string, func(context.Context, store.Exporter) error) (string, error) {
	return "", ErrNoCgo
}

// Integrity gives ErrNoCgo.
func (s *Store) Integrity(context.Context) ([]string, error) { return nil, ErrNoCgo }
