// Package sqlrow is what the stores in SQL have in common: how rows are read, and what follows from them.
package sqlrow

import (
	"cmp"
	"context"
)

// Source is what rows are read from.
type Source interface {
	Query(ctx context.Context, text string, args ...any) (Rows, error)
}

// Rows are those of a query. Close gives the error with which they have ended.
type Rows interface {
	Row
	Next() bool
	Close() error
}

// Row is the one that Next has reached. A *time.Time takes a time in UTC, and NULL as the zero time.
type Row interface {
	Scan(into ...any) error
}

// List reads all rows of a query.
func List[T any](ctx context.Context, from Source, scan func(Row, *T) error, text string, args ...any) ([]T, error) {
	found, err := from.Query(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	return Collect(found, scan)
}

// Collect reads all rows.
func Collect[T any](found Rows, scan func(Row, *T) error) (all []T, err error) {
	for found.Next() {
		all = append(all, *new(T))
		if err := scan(found, &all[len(all)-1]); err != nil {
			return nil, cmp.Or(err, found.Close())
		}
	}
	return all, found.Close()
}

// First reads the first row of a query, if there is one.
func First[T any](ctx context.Context, from Source, scan func(Row, *T) error, text string, args ...any) (value T, ok bool, err error) {
	found, err := from.Query(ctx, text, args...)
	if err != nil {
		return value, false, err
	}
	if ok = found.Next(); ok {
		err = scan(found, &value)
	}
	if err := cmp.Or(err, found.Close()); err != nil {
		return *new(T), false, err
	}
	return value, ok, nil
}

// One reads a row of one column.
func One[T any](found Row, v *T) error { return found.Scan(v) }
