//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mattn/go-sqlite3"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
)

// backupPages are copied at a time: 4 MiB, after which ctx is looked at.
const backupPages = 1024

// Backup copies the database into a new file at path, as it is at one moment,
// while others go on writing, and gives the size of the copy in bytes.
//
// It is SQLite's online backup, from a connection that holds one read
// transaction all the time, so that writes do not make it start again; VACUUM
// INTO would sort every table into a new order, which takes longer, and would
// hide damage that a copy page by page carries over and the checks then find.
//
// The copy is written beside path under another name. It gets its name when it
// is on the disk, SQLite's integrity_check and foreign_key_check have found
// nothing, it opens as a database of fsmc, and check, which may be nil, has
// found nothing either: it is handed the copy, read-only. Where any of that
// fails, or path exists (fs.ErrExist), nothing is left behind.
func (s *Store) Backup(ctx context.Context, path string, check func(context.Context, *Store) error) (size int64, err error) {
	if _, err := os.Lstat(path); err == nil {
		return 0, fmt.Errorf("cannot back up to %q: %w", path, fs.ErrExist)
	}
	beside, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return 0, fmt.Errorf("cannot back up to %q: %w", path, err)
	}
	dir, err := os.MkdirTemp(beside, ".fsmc-backup-") // SQLite may put a journal beside the copy
	if err != nil {
		return 0, fmt.Errorf("cannot back up to %q: %w", path, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, "copy.db")
	if err := s.copyTo(ctx, copied); err != nil {
		return 0, fmt.Errorf("cannot back up to %q: %w", path, s.readError(err))
	}
	if err := verify(ctx, copied, check); err != nil {
		return 0, fmt.Errorf("the backup is not good, and is not kept: %w", err)
	}
	if size, err = publish(copied, path); err != nil {
		return 0, fmt.Errorf("cannot back up to %q: %w", path, err)
	}
	return size, nil
}

// copyTo copies all pages to a new file, and checks it from the inside.
func (s *Store) copyTo(ctx context.Context, file string) (err error) {
	if err := prepareFile(file, true); err != nil {
		return err
	}
	if err := s.sit(ctx); err != nil {
		return err
	}
	defer s.rise()
	from, err := s.readers.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	db := connect(file, "rw", newOptions(nil))
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	to, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if size, err := copyPages(ctx, from, to); err != nil {
		return whyUnwritten(file, size, err)
	}
	// A copy of one file, without a log beside it.
	var mode string
	if err := to.QueryRowContext(ctx, "PRAGMA journal_mode = DELETE").Scan(&mode); err != nil {
		return err
	}
	if err := nameLog(ctx, to); err != nil {
		return err
	}
	return sound(ctx, to)
}

// nameLog gives a copy a name for its log that no log has.
func nameLog(ctx context.Context, conn *sql.Conn) error {
	found, err := readContents(ctx, conn)
	if err == nil && found.log.page > 0 {
		_, err = conn.ExecContext(ctx, renameLog)
	}
	return err
}

// whyUnwritten adds to an error of a copy why the system does not let it have its size: the driver
// keeps only SQLite's code of what it copies.
func whyUnwritten(file string, size int64, err error) error {
	e := failure(err)
	if e.Code&0xff == sqlite3.ErrIoErr && errors.As(os.Truncate(file, size), &e.SystemErrno) {
		return e
	}
	return err
}

// copyPages copies within one read transaction of from, which has that size.
func copyPages(ctx context.Context, from, to *sql.Conn) (size int64, err error) {
	tx, err := from.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	if err := tx.QueryRowContext(ctx, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").Scan(&size); err != nil {
		return 0, err // reading is what begins it
	}
	return size, from.Raw(func(source any) error {
		return to.Raw(func(target any) error {
			backup, err := target.(*sqlite3.SQLiteConn).Backup("main", source.(*sqlite3.SQLiteConn), "main")
			if err != nil {
				return err
			}
			for done := false; err == nil && !done; {
				if err = context.Cause(ctx); err == nil {
					done, err = backup.Step(backupPages)
				}
			}
			if failed := backup.Finish(); err == nil { // or it says the same again
				err = failed
			}
			return err
		})
	})
}

// sound asks SQLite itself for damage.
func sound(ctx context.Context, conn *sql.Conn) error {
	found, err := damage(ctx, plain{conn})
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("%w: %q", ErrDamaged, found)
	}
	return err
}

// Integrity asks SQLite for damage of the file: pages, indexes and references between
// tables. It reads all of the file, while others go on writing; ctx ends it.
func (s *Store) Integrity(ctx context.Context) ([]string, error) {
	return reading(ctx, s, func(from sqlrow.Source) ([]string, error) { return damage(ctx, from) })
}

func damage(ctx context.Context, from sqlrow.Source) ([]string, error) {
	found, err := sqlrow.List(ctx, from, sqlrow.One[string], "PRAGMA integrity_check(10)")
	if err != nil || len(found) != 1 || found[0] != "ok" {
		return found, err
	}
	return sqlrow.List(ctx, from, sqlrow.One[string],
		`SELECT "table" || ' refers to a row of ' || parent || ' that is not there' FROM pragma_foreign_key_check LIMIT 10`)
}

// verify opens the copy as anyone would, and hands it to check.
func verify(ctx context.Context, file string, check func(context.Context, *Store) error) (err error) {
	s, err := Open(ctx, file, ReadOnly())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if check == nil {
		return nil
	}
	return check(ctx, s)
}

// publish gives a file that is complete its name, unless there is one of that name.
func publish(file, path string) (size int64, err error) {
	if size, err = syncFile(file); err == nil {
		err = secondName(file, path)
	}
	if err != nil {
		return 0, err
	}
	return size, syncFolder(filepath.Dir(path))
}

// syncFile makes what is in a file durable, and gives its size.
func syncFile(file string) (size int64, err error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err == nil {
		size = info.Size()
	}
	return size, errors.Join(err, f.Sync(), f.Close())
}

// syncFolder makes a new name durable, where the system can.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrInvalid) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
