//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Move gives all that the database at path keeps to take, for another store. No other process may
// have it open (ErrInUse), and no worker may hold an attempt (HeldError). Nobody can write to the
// database until take has returned. Where that is without an error the file gets another name,
// beside its old one, so that nobody works on its runs any more: that is what Move gives. An error
// behind that, with which the name is empty, says so.
func Move(ctx context.Context, path string, take func(context.Context, store.Exporter) error) (aside string, err error) {
	file, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if linked, err := filepath.EvalSymlinks(file); err == nil {
		file = linked
	}
	if err := inUse(file); err != nil {
		return "", fmt.Errorf("cannot move %q: %w", path, err)
	}
	s, err := Open(ctx, file, Existing()) // which brings it up to date
	if err != nil {
		return "", err
	}
	err = s.export(ctx, file, take)
	if err := errors.Join(err, s.Close()); err != nil {
		return "", err
	}
	if err = inUse(file); err == nil {
		aside, err = moveAside(file)
	}
	if err != nil {
		err = fmt.Errorf("the runs have been moved, and %q is still there: no process may work on it any more: %w", path, err)
	}
	return aside, err
}

// moveAside gives a database another name.
func moveAside(file string) (aside string, err error) {
	if aside, err = setAside(file, "moved"); err != nil {
		return "", err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return aside, removeBeside(file)
}

// inUse is ErrInUse where another process has a file open. This one must not.
func inUse(file string) error {
	free, err := hold(file)
	if err != nil {
		return err
	}
	return free()
}

// export has take read the database while nobody can write.
func (s *Store) export(ctx context.Context, file string, take func(context.Context, store.Exporter) error) (err error) {
	db := connect(file, "writer", newOptions(nil))
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil) // immediate: it has the lock of the one who writes
	if err != nil {
		return translate(err)
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	e := exporter{s, tx}
	if err := e.refuseHeld(ctx); err != nil {
		return err
	}
	return take(ctx, &e)
}

const selectHolders = `
	SELECT count(*), coalesce(max(lease_until), 0) FROM tasks WHERE lease_until > ?`

// exporter is a database to which nobody can write.
type exporter struct {
	store *Store
	tx    *sql.Tx
}

func (e *exporter) refuseHeld(ctx context.Context) error {
	var n int
	var until int64
	if err := e.tx.QueryRowContext(ctx, selectHolders, micros(time.Now())).Scan(&n, &until); err != nil || n == 0 {
		return err
	}
	return &HeldError{n, fromMicros(until)}
}

func (e *exporter) Counts(ctx context.Context, machine string, since time.Time) (store.Counts, error) {
	return e.store.Counts(ctx, machine, since)
}

func (e *exporter) Epoch(ctx context.Context) (epoch int64, err error) {
	err = e.tx.QueryRowContext(ctx, "SELECT epoch FROM epochs").Scan(&epoch)
	return epoch, translate(err)
}

func (e *exporter) Rows(ctx context.Context, t *store.Table) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		found, err := e.tx.QueryContext(ctx, "SELECT "+strings.Join(t.Names(), ", ")+" FROM "+t.Name+" ORDER BY "+t.Order)
		if err != nil {
			yield(nil, translate(err))
			return
		}
		defer found.Close()
		for found.Next() {
			row, err := exported(found, t)
			if !yield(row, err) || err != nil {
				return
			}
		}
		if err := found.Err(); err != nil {
			yield(nil, translate(err))
		}
	}
}

// exported is a row of a table, with the values as store.Exporter has them.
func exported(found sqlrow.Row, t *store.Table) ([]any, error) {
	values := make([]any, len(t.Columns))
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	if err := found.Scan(into...); err != nil {
		return nil, translate(err)
	}
	for i, c := range t.Columns {
		switch v := values[i].(type) {
		case []byte:
			values[i] = string(v)
		case int64:
			switch c.Type {
			case store.TimeColumn:
				values[i] = fromMicros(v)
			case store.TruthColumn:
				values[i] = v != 0
			}
		}
	}
	return values, nil
}
