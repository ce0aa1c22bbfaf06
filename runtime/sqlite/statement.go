//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/mattn/go-sqlite3"
)

// The writer talks to the driver itself. database/sql would lock, look at
// contexts and convert by reflection for each of a step's statements, which
// together cost as much as what SQLite does for the step.
//
// session is the writer's connection while someone leads; see sql.Conn.Raw.
type session struct {
	conn       *sqlite3.SQLiteConn
	statements map[string]*sqlite3.SQLiteStmt // by text
	args       []driver.NamedValue            // of the call under way
	spare      *sessionRows                   // of a query that has ended
}

// within has f use the connection of conn.
func (s *session) within(conn *sql.Conn, f func() error) error {
	return conn.Raw(func(c any) error {
		s.conn = c.(*sqlite3.SQLiteConn)
		defer func() { s.conn = nil }()
		return f()
	})
}

// statement prepares each text once.
func (s *session) statement(text string) (*sqlite3.SQLiteStmt, error) {
	if known := s.statements[text]; known != nil {
		return known, nil
	}
	prepared, err := s.conn.Prepare(text)
	if err != nil {
		return nil, err
	}
	known := prepared.(*sqlite3.SQLiteStmt)
	s.statements[text] = known
	return known, nil
}

func (s *session) close() error {
	var errs []error
	for _, statement := range s.statements {
		errs = append(errs, statement.Close())
	}
	return errors.Join(errs...)
}

// exec runs a statement to its end.
func (s *session) exec(text string, args ...any) (driver.Result, error) {
	statement, err := s.statement(text)
	if err != nil {
		return nil, err
	}
	if err := s.bind(args); err != nil {
		return nil, err
	}
	return statement.ExecContext(context.Background(), s.args)
}

// query begins a statement. Its rows are to be closed before it is used again.
func (s *session) query(text string, args ...any) (*sessionRows, error) {
	statement, err := s.statement(text)
	if err != nil {
		return nil, err
	}
	if err := s.bind(args); err != nil {
		return nil, err
	}
	found, err := statement.QueryContext(context.Background(), s.args)
	if err != nil {
		return nil, err
	}
	return s.found(found), nil
}

// found are the rows of a query as a source gives them.
func (s *session) found(rows driver.Rows) *sessionRows {
	r := s.spare
	if s.spare = nil; r == nil {
		r = &sessionRows{session: s}
	}
	columns := len(rows.Columns())
	r.rows, r.err, r.values = rows, nil, slices.Grow(r.values[:0], columns)[:columns]
	return r
}

// number is the one that a query gives.
func (s *session) number(text string) (n int64, err error) {
	found, err := s.query(text)
	if err != nil {
		return 0, err
	}
	if found.Next() {
		n, _ = found.values[0].(int64)
	}
	return n, found.Close()
}

// bind makes args the arguments of the next call.
func (s *session) bind(args []any) (err error) {
	s.args = s.args[:0]
	for i, arg := range args {
		v := driver.NamedValue{Ordinal: i + 1, Value: arg}
		switch arg := arg.(type) {
		case string, int64, bool, nil:
		case int:
			v.Value = int64(arg)
		case time.Time:
			v.Value = micros(arg)
		case driver.Valuer: // optional values
			v.Value, err = arg.Value()
		default: // types of ours that are strings
			v.Value, err = driver.DefaultParameterConverter.ConvertValue(arg)
		}
		if err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
		s.args = append(s.args, v)
	}
	return nil
}

// sessionRows are rows as the driver gives them. They belong to their session again when
// they are closed.
type sessionRows struct {
	session *session
	rows    driver.Rows // nil when closed
	values  []driver.Value
	err     error
}

func (r *sessionRows) Next() bool {
	err := r.rows.Next(r.values)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return err == nil
}

func (r *sessionRows) Close() error {
	err := errors.Join(r.err, r.rows.Close())
	clear(r.values)
	r.rows, r.session.spare = nil, r
	return err
}

func (r *sessionRows) Scan(into ...any) error {
	if len(into) != len(r.values) {
		return fmt.Errorf("%d columns, of which %d were asked for", len(r.values), len(into))
	}
	for i, value := range r.values {
		if err := assign(into[i], value); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// assign puts a column's value where it belongs. Columns are of exact types,
// because tables are STRICT; truths are the integers 0 and 1.
func assign(into any, value driver.Value) error {
	switch v := value.(type) {
	case string:
		switch into := into.(type) {
		case *string:
			*into = v
			return nil
		case *[]byte:
			*into = []byte(v)
			return nil
		}
	case int64:
		switch into := into.(type) {
		case *int64:
			*into = v
			return nil
		case *bool:
			*into = v != 0
			return nil
		case *time.Time:
			*into = fromMicros(v)
			return nil
		}
	case nil:
		switch into := into.(type) {
		case *[]byte:
			*into = nil
			return nil
		case *time.Time:
			*into = time.Time{}
			return nil
		}
	}
	if into, ok := into.(sql.Scanner); ok {
		return into.Scan(value)
	}
	return assignKind(reflect.ValueOf(into).Elem(), value)
}

// assignKind takes types of ours that are strings or integers.
func assignKind(into reflect.Value, value driver.Value) error {
	switch v := value.(type) {
	case string:
		if into.Kind() == reflect.String {
			into.SetString(v)
			return nil
		}
	case int64:
		if into.CanInt() && !into.OverflowInt(v) {
			into.SetInt(v)
			return nil
		}
	}
	return fmt.Errorf("%T where %s was expected", value, into.Type())
}
