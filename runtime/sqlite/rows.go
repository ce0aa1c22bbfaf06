//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// visit is one of the connections that read, while someone does.
type visit struct {
	session
	ctx context.Context // what ends a query
}

func (v *visit) Query(_ context.Context, text string, args ...any) (sqlrow.Rows, error) {
	if err := v.bind(args); err != nil {
		return nil, err
	}
	found, err := v.conn.QueryContext(v.ctx, text, v.args)
	if err != nil {
		return nil, err
	}
	return v.found(found), nil
}

// plain is a connection or a transaction of database/sql.
type plain struct{ queryer }

func (r plain) Query(ctx context.Context, text string, args ...any) (sqlrow.Rows, error) {
	found, err := r.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	return plainRows{found}, nil
}

// plainRows have no times.
type plainRows struct{ *sql.Rows }

func (r plainRows) Close() error { return errors.Join(r.Err(), r.Rows.Close()) }

// reading reads with one of the connections that read. When ctx is done SQLite ends what it
// is at.
func reading[T any](ctx context.Context, s *Store, read func(sqlrow.Source) (T, error)) (T, error) {
	return readWith(ctx, ctx, s, read)
}

// glancing is reading for what is soon found. SQLite is not told of ctx, which would cost
// as much as some of it.
func glancing[T any](ctx context.Context, s *Store, read func(sqlrow.Source) (T, error)) (T, error) {
	return readWith(ctx, context.Background(), s, read)
}

func readWith[T any](ctx, ends context.Context, s *Store, read func(sqlrow.Source) (T, error)) (T, error) {
	value, err := heeding(ctx, s, func() (value T, err error) {
		if err := s.sit(ctx); err != nil {
			return value, err
		}
		defer s.rise()
		conn, err := s.readers.Conn(context.Background()) // there is one for each seat
		if err != nil {
			return value, err
		}
		v := visit{ctx: ends}
		err = v.within(conn, func() error {
			value, err = read(&v)
			return err
		})
		return value, errors.Join(err, conn.Close())
	})
	return value, s.readError(err)
}

// sit waits for a seat. Those at which the disk hangs may take all of them.
func (s *Store) sit(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	select {
	case s.seats <- struct{}{}:
		return nil
	default: // and who need not wait asks nothing of ctx
	}
	select {
	case s.seats <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Store) rise() { <-s.seats }

// readAll is reading for the rows of one query.
func readAll[T any](ctx context.Context, s *Store, scan func(sqlrow.Row, *T) error, text string, args ...any) ([]T, error) {
	return reading(ctx, s, func(from sqlrow.Source) ([]T, error) { return sqlrow.List(ctx, from, scan, text, args...) })
}

// glanceAll is glancing for the rows of one query.
func glanceAll[T any](ctx context.Context, s *Store, scan func(sqlrow.Row, *T) error, text string, args ...any) ([]T, error) {
	return glancing(ctx, s, func(from sqlrow.Source) ([]T, error) { return sqlrow.List(ctx, from, scan, text, args...) })
}

// glanceFirst is glancing for the first row of one query, if there is one.
func glanceFirst[T any](ctx context.Context, s *Store, scan func(sqlrow.Row, *T) error, text string, args ...any) (T, bool, error) {
	type result struct {
		value T
		ok    bool
	}
	r, err := glancing(ctx, s, func(from sqlrow.Source) (r result, err error) {
		r.value, r.ok, err = sqlrow.First(ctx, from, scan, text, args...)
		return r, err
	})
	return r.value, r.ok, err
}

// heeding reads, and returns soon after ctx is done where the disk hangs: SQLite itself
// waits for it then, and so does one of the hands.
func heeding[T any](ctx context.Context, s *Store, read func() (T, error)) (T, error) {
	if store.Patient(ctx) {
		return read()
	}
	var r struct {
		value T
		err   error
	}
	done := make(chan struct{})
	s.hands.do(func() {
		r.value, r.err = read()
		close(done)
	})
	l := leaveAt(ctx, s.hands.timers)
	defer l.end()
	select {
	case <-done:
		return r.value, r.err
	case <-l.done:
	case <-l.limit:
	}
	select {
	case <-done:
		return r.value, r.err
	case <-time.After(patience):
		return *new(T), l.why()
	}
}

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

// text is JSON as it stands in a column: nil is NULL.
func text(j json.RawMessage) any {
	if j == nil {
		return nil
	}
	return string(j)
}

// atMost is a limit as SQL takes it. Queries say `LIMIT ? + 0`: SQLite looks at the value of a
// parameter that stands alone there, and compiles the statement again whenever it is bound.
func atMost(limit int) int {
	if limit <= 0 {
		return -1
	}
	return limit
}
