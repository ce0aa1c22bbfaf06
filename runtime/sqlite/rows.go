//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// source is what rows are read from: the readers, or the writer's transaction.
type source interface {
	query(ctx context.Context, text string, args ...any) (rows, error)
}

// rows are those of a query; *sql.Rows are such rows.
type rows interface {
	row
	Next() bool
	Err() error
	Close() error
}

// row is the one that Next has reached.
type row interface {
	Scan(into ...any) error
}

// pool is the connections that read.
type pool struct{ *sql.DB }

func (p pool) query(ctx context.Context, text string, args ...any) (rows, error) {
	return reading{p.DB}.query(ctx, text, args...)
}

// reading is a connection or a transaction of database/sql.
type reading struct{ queryer }

func (r reading) query(ctx context.Context, text string, args ...any) (rows, error) {
	found, err := r.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	return found, nil
}

// list reads all rows of a query.
func list[T any](ctx context.Context, from source, scan func(row, *T) error, text string, args ...any) ([]T, error) {
	return heeding(ctx, from, func() ([]T, error) { return listAll(ctx, from, scan, text, args...) })
}

// heeding reads, and returns soon after ctx is done where the disk hangs: SQLite itself
// waits for it then, and so does a goroutine that no one waits for.
func heeding[T any](ctx context.Context, from source, read func() (T, error)) (T, error) {
	if _, readers := from.(pool); !readers || store.Patient(ctx) {
		return read()
	}
	type result struct {
		value T
		err   error
	}
	reply := make(chan result, 1)
	go func() {
		value, err := read()
		reply <- result{value, err}
	}()
	select {
	case r := <-reply:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-reply:
		return r.value, r.err
	case <-time.After(patience):
		return *new(T), context.Cause(ctx)
	}
}

func listAll[T any](ctx context.Context, from source, scan func(row, *T) error, text string, args ...any) ([]T, error) {
	found, err := from.query(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	var all []T
	for found.Next() {
		all = append(all, *new(T))
		if err := scan(found, &all[len(all)-1]); err != nil {
			return nil, errors.Join(err, found.Close())
		}
	}
	return all, errors.Join(found.Err(), found.Close())
}

// first reads the first row of a query, if there is one.
func first[T any](ctx context.Context, from source, scan func(row, *T) error, text string, args ...any) (value T, ok bool, err error) {
	got, err := heeding(ctx, from, func() (*T, error) { return firstOf(ctx, from, scan, text, args...) })
	if got == nil {
		return value, false, err
	}
	return *got, true, nil
}

func firstOf[T any](ctx context.Context, from source, scan func(row, *T) error, text string, args ...any) (value *T, err error) {
	found, err := from.query(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	if found.Next() {
		value = new(T)
		err = scan(found, value)
	}
	if err = errors.Join(err, found.Err(), found.Close()); err != nil {
		return nil, err
	}
	return value, nil
}

// scanOne reads a row of one column.
func scanOne[T any](r row, v *T) error { return r.Scan(v) }

// write runs a request in the writer.
func (s *Store) write(ctx context.Context, run func(*tx) error) error {
	return s.writeLarge(ctx, 0, run)
}

// writing is write with what the request gives. Where the caller has given up, that goes
// nowhere.
func writing[T any](ctx context.Context, s *Store, run func(*tx) (T, error)) (none T, err error) {
	given := new(T)
	err = s.write(ctx, func(t *tx) (err error) {
		*given, err = run(t)
		return err
	})
	if err != nil {
		return none, err // and given may still be written to
	}
	return *given, nil
}

// writeLarge runs a request that writes about so many bytes.
func (s *Store) writeLarge(ctx context.Context, bytes int64, run func(*tx) error) error {
	switch {
	case s.closed.Load():
		return store.ErrClosed
	case s.writer == nil:
		return ErrReadOnly
	}
	return s.writer.do(ctx, bytes, run)
}

// readError puts the error of a read in our words.
func (s *Store) readError(err error) error {
	if err != nil && s.closed.Load() {
		return store.ErrClosed
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
func text(j json.RawMessage) any {
	if j == nil {
		return nil
	}
	return string(j)
}

// atMost is a limit as SQL takes it.
func atMost(limit int) int {
	if limit <= 0 {
		return -1
	}
	return limit
}
