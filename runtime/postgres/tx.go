package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// tx is a connection while a call has it, in a transaction where that writes.
type tx struct {
	s     *Store
	conn  *pgx.Conn
	own   pgx.Tx    // nil where there is none
	batch pgx.Batch // what is queued, to be sent in one round trip
}

// sql is the text of a statement with the schema in place of each @.
func (s *Store) sql(text string) string {
	if known, ok := s.texts.Load(text); ok {
		return known.(string)
	}
	full := strings.ReplaceAll(text, "@", s.schema+".")
	s.texts.Store(text, full)
	return full
}

// exec runs a statement and says how many rows it has written.
func (t *tx) exec(ctx context.Context, text string, args ...any) (int64, error) {
	done, err := t.conn.Exec(ctx, t.s.sql(text), args...)
	return done.RowsAffected(), err
}

// script runs several statements.
func (t *tx) script(ctx context.Context, text string) error {
	return t.conn.PgConn().Exec(ctx, strings.ReplaceAll(text, "@", t.s.schema+".")).Close()
}

// queue adds a statement to those that flush sends. See is told of how many rows it has
// written; nil where that does not matter.
func (t *tx) queue(see func(n int64) error, text string, args ...any) {
	queued := t.batch.Queue(t.s.sql(text), args...)
	queued.Exec(func(done pgconn.CommandTag) error {
		if see == nil {
			return nil
		}
		return see(done.RowsAffected())
	})
}

// ask adds a query to those that flush sends.
func ask[T any](t *tx, into *[]T, scan func(sqlrow.Row, *T) error, text string, args ...any) {
	t.batch.Queue(t.s.sql(text), args...).Query(func(rows pgx.Rows) (err error) {
		*into, err = sqlrow.Collect(&pgxRows{rows}, scan)
		return err
	})
}

// flush sends what is queued, and gives the first error of it.
func (t *tx) flush(ctx context.Context) error {
	if t.batch.Len() == 0 {
		return nil
	}
	err := t.conn.SendBatch(ctx, &t.batch).Close()
	t.batch = pgx.Batch{}
	return err
}

// usePlans has the server plan the statements that are queued behind it, and belong to the same transaction, once for all
// values, and by their indexes: it plans when the tables may have been empty. Else it would plan some of them each time, which takes longer than to
// run them. The settings of a program's own transaction are left as they are.
func (t *tx) usePlans() {
	if t.s.within == nil {
		t.queue(nil, usePlans)
	}
}

const usePlans = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)`

// Query makes tx a sqlrow.Source.
func (t *tx) Query(ctx context.Context, text string, args ...any) (sqlrow.Rows, error) {
	found, err := t.conn.Query(ctx, t.s.sql(text), args...)
	if err != nil {
		return nil, err
	}
	return &pgxRows{found}, nil
}

// pgxRows are the rows of the driver as sqlrow has them.
type pgxRows struct{ pgx.Rows }

func (r *pgxRows) Scan(into ...any) error {
	for i := range into {
		if at, ok := into[i].(*time.Time); ok {
			into[i] = moment{at}
		}
	}
	return r.Rows.Scan(into...)
}

func (r *pgxRows) Close() error {
	r.Rows.Close()
	return r.Err()
}

// read runs f on a connection, without a transaction around it.
func (s *Store) read(ctx context.Context, f func(context.Context, *tx) error) error {
	return s.insist(ctx, func() error { return s.use(ctx, func(t *tx) error { return f(ctx, t) }) })
}

// asking is read with what f gives.
func asking[T any](ctx context.Context, s *Store, f func(context.Context, *tx) (T, error)) (T, error) {
	return giving(ctx, s.read, f)
}

// once is read for a server that is asked for the first time: whoever has given the URL hears
// at once that it does not answer.
func (s *Store) once(ctx context.Context, f func(context.Context, *tx) error) error {
	return s.translate(ctx, s.use(ctx, func(t *tx) error { return f(ctx, t) }))
}

// keeps reports whether the server can keep a text at all. It ends a transaction in which it is asked for another one.
func keeps(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// readAll reads all rows of a query. There are none for a text that the server cannot keep.
func readAll[T any](ctx context.Context, s *Store, scan func(sqlrow.Row, *T) error, text string, args ...any) ([]T, error) {
	for _, arg := range args {
		if asked, ok := arg.(string); ok && !keeps(asked) {
			return nil, nil
		}
	}
	return asking(ctx, s, func(ctx context.Context, t *tx) ([]T, error) { return sqlrow.List(ctx, t, scan, text, args...) })
}

// readFirst reads the first row of a query, if there is one.
func readFirst[T any](ctx context.Context, s *Store, scan func(sqlrow.Row, *T) error, text string, args ...any) (value T, ok bool, err error) {
	all, err := readAll(ctx, s, scan, text, args...)
	if err != nil || len(all) == 0 {
		return value, false, err
	}
	return all[0], true, nil
}

// write runs f in a transaction. What it writes is there or not, as a whole; the error
// is an ErrUnknown where the reply to its COMMIT was lost. F may run several times.
func (s *Store) write(ctx context.Context, f func(context.Context, *tx) error) error {
	return s.insist(ctx, func() error { return s.transact(ctx, f) })
}

// writing is write with what f gives.
func writing[T any](ctx context.Context, s *Store, f func(context.Context, *tx) (T, error)) (T, error) {
	return giving(ctx, s.write, f)
}

func giving[T any](ctx context.Context, run func(context.Context, func(context.Context, *tx) error) error, f func(context.Context, *tx) (T, error)) (value T, err error) {
	err = run(ctx, func(ctx context.Context, t *tx) (err error) {
		value, err = f(ctx, t)
		return err
	})
	if err != nil {
		return *new(T), err
	}
	return value, nil
}

// transact runs f in a transaction, once.
func (s *Store) transact(ctx context.Context, f func(context.Context, *tx) error) error {
	if s.options.readOnly {
		return ErrReadOnly
	}
	if err := s.attend(ctx); err != nil {
		return err
	}
	return s.transactNow(ctx, f)
}

// transactNow is transact without a look at whether this process may count as gone.
func (s *Store) transactNow(ctx context.Context, f func(context.Context, *tx) error) error {
	return s.useNow(ctx, func(t *tx) error {
		began, err := t.begin(ctx)
		if err != nil {
			return offOr(err)
		}
		t.own = began
		if err := f(ctx, t); err != nil {
			_ = began.Rollback(ctx) // a connection that is gone has taken it back, too
			return err
		}
		if err := began.Commit(ctx); err != nil {
			if undecided(err) && s.within == nil {
				return unknown(err)
			}
			return err
		}
		return nil
	})
}

// begin begins a transaction, or within one that has begun a part of it.
func (t *tx) begin(ctx context.Context) (pgx.Tx, error) {
	if in := t.s.within; in != nil {
		return in.tx.Begin(ctx)
	}
	text := beginWrite + idleLimit
	if now, ok := held(ctx); ok {
		text += beginAt(now)
	}
	return t.conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: text})
}

// A process that is stopped, or whose host is gone, within a transaction has rows locked. The server takes that back
// when it has heard nothing for as long as the lease of a worker is, mostly.
const beginWrite = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = `

var idleLimit = "'30s'"

// unknown is the error of a write whose reply was lost.
func unknown(err error) error {
	return fmt.Errorf("%w: %w: %s", store.ErrUnknown, ErrServer, words(err))
}

// use has f use a connection.
func (s *Store) use(ctx context.Context, f func(*tx) error) error {
	if err := s.attend(ctx); err != nil {
		return err
	}
	return s.useNow(ctx, f)
}

// useNow is use without a look at whether this process may count as gone.
func (s *Store) useNow(ctx context.Context, f func(*tx) error) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if in := s.within; in != nil {
		in.mu.Lock()
		defer in.mu.Unlock()
		return broken(in.tx.Conn(), f(&tx{s: s, conn: in.tx.Conn()}))
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return unreached(err)
	}
	defer conn.Release()
	return broken(conn.Conn(), f(&tx{s: s, conn: conn.Conn()}))
}

// broken is err, as one of a connection that is lost where it is.
func broken(conn *pgx.Conn, err error) error {
	if err != nil && code(err) == "" && conn.IsClosed() && !errors.Is(err, store.ErrUnknown) {
		return &brokenError{err}
	}
	return err
}

// unreached is the error of a connection that could not be made. What the server has said,
// such as that the password is wrong, is an answer.
func unreached(err error) error {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	if ok && !strings.HasPrefix(answer.Code, "57") && !strings.HasPrefix(answer.Code, "53") && !strings.HasPrefix(answer.Code, "08") {
		return fmt.Errorf("the PostgreSQL server refuses the connection: %w", answer)
	}
	return &brokenError{err}
}

// insist tries again what has been taken back for no fault of its own: two transactions
// that waited for each other, two that made the same run, a server that is away. It ends with
// ctx, or after patience.
func (s *Store) insist(ctx context.Context, try func() error) error {
	begun := time.Now()
	for n := 0; ; n++ {
		err := try()
		if err == nil || !s.again(err) || time.Since(begun) > patience || !pause(ctx, n) {
			return s.translate(ctx, err)
		}
	}
}

// again reports whether what has failed with err may be tried again.
func (s *Store) again(err error) bool {
	switch {
	case s.closed.Load(), s.within != nil, errors.Is(err, store.ErrUnknown):
		return false
	case collided(err):
		return true
	}
	c := code(err)
	return c == "" && lost(err) || strings.HasPrefix(c, "08") || strings.HasPrefix(c, "57P") || c == "53300" || c == idleTooLong
}

// collided reports whether two transactions stood in each other's way.
func collided(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (answer.Code == "40001" || answer.Code == "40P01" ||
		answer.Code == "23505" && answer.ConstraintName == "runs_pkey")
}

// pause waits before the nth time that something is tried again, for longer each time, and
// reports whether ctx has not ended.
func pause(ctx context.Context, n int) bool {
	most := min(time.Millisecond<<min(n, 10), time.Second)
	select {
	case <-time.After(rand.N(most) + 1):
		return true
	case <-ctx.Done():
		return false
	}
}
