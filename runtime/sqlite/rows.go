//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// source is what rows are read from: the readers, or the writer's transaction.
type source interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

// list reads all rows of a query.
func list[T any](ctx context.Context, from source, scan func(*sql.Rows, *T) error, text string, args ...any) ([]T, error) {
	rows, err := from.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var row T
		if err := scan(rows, &row); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, errors.Join(rows.Err(), rows.Close())
}

// first reads the first row of a query, if there is one.
func first[T any](ctx context.Context, from source, scan func(*sql.Rows, *T) error, text string, args ...any) (row T, ok bool, err error) {
	rows, err := list(ctx, from, scan, text, args...)
	if err != nil || len(rows) == 0 {
		return row, false, err
	}
	return rows[0], true, nil
}

// scanOne reads a row of one column.
func scanOne[T any](rows *sql.Rows, v *T) error { return rows.Scan(v) }

// write runs a request in the writer.
func (s *Store) write(ctx context.Context, run func(*tx) error) error {
	switch {
	case s.closed.Load():
		return runtime.ErrClosed
	case s.writer == nil:
		return ErrReadOnly
	}
	return s.writer.do(ctx, run)
}

// readError puts the error of a read in our words.
func (s *Store) readError(err error) error {
	if err != nil && s.closed.Load() {
		return runtime.ErrClosed
	}
	return translate(err)
}

// micros is a time as it stands in a column.
func micros(t time.Time) int64 { return t.UnixMicro() }

// optional is a time that may be unset.
func optional(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }

func fromOptional(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return fromMicros(n.Int64)
}

// text is JSON as it stands in a column: nil is NULL.
func text(j json.RawMessage) sql.NullString {
	return sql.NullString{String: string(j), Valid: j != nil}
}

// atMost is a limit as SQL takes it.
func atMost(limit int) int {
	if limit <= 0 {
		return -1
	}
	return limit
}
