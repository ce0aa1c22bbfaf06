//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
)

// applicationID stands in the header of our databases: "fsmc" in ASCII.
const applicationID = 0x66736d63

// migrations are numbered from 1; PRAGMA user_version is the number of the last
// one that has been applied. One that is committed is never changed.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

var migrations = sync.OnceValue(func() []string {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		panic(err)
	}
	var texts []string
	for _, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		texts = append(texts, string(text))
	}
	return texts
})

// contents are what a database says of itself.
type contents struct {
	applicationID int
	version       int
	objects       map[string]string // SQL by `table "runs"`
	log           logName           // from format 7 on
}

func (c *contents) empty() bool {
	return c.applicationID == 0 && c.version == 0 && len(c.objects) == 0
}

// queryer is a *sql.DB, *sql.Conn or *sql.Tx.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

const selectObjects = `
	SELECT type || ' "' || name || '"', coalesce(sql, '') FROM sqlite_schema
	WHERE name NOT LIKE 'sqlite_%'`

func readContents(ctx context.Context, db queryer) (*contents, error) {
	c := &contents{objects: map[string]string{}}
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&c.applicationID); err != nil {
		return nil, err
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&c.version); err != nil {
		return nil, err
	}
	objects, err := sqlrow.List(ctx, plain{db}, func(found sqlrow.Row, o *[2]string) error {
		return found.Scan(&o[0], &o[1])
	}, selectObjects)
	for _, o := range objects {
		c.objects[o[0]] = o[1]
	}
	if err != nil || c.objects[`table "log_name"`] == "" {
		return c, err
	}
	c.log, err = readLogName(ctx, db)
	return c, err
}

// inspect looks at a file without touching it, and refuses one that is not
// ours. The first look takes the file as it is, as if no one could change it:
// no lock, no log. Where there is a log or a journal, that may be what counts,
// and the second look takes it in like any reader.
//
// A look without a lock may meet pages of before and after what another process
// is just writing, which looks like damage: what seems damaged is looked at
// again a few times.
func inspect(ctx context.Context, file string) (*contents, error) {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target // SQLite keeps the log beside it
	}
	found, err := look(ctx, file, "immutable")
	for wait := time.Millisecond; code(err) == sqlite3.ErrCorrupt && wait < 100*time.Millisecond; wait *= 2 {
		if holdsSome(file+"-wal") || holdsSome(file+"-journal") {
			break // the second look waits for who writes
		}
		time.Sleep(wait)
		found, err = look(ctx, file, "immutable")
	}
	if code(err) == sqlite3.ErrCorrupt || err == nil && (found.empty() || found.applicationID == applicationID) {
		if holdsSome(file + "-wal") {
			if err := ownLog(ctx, file); err != nil {
				return nil, err
			}
		}
		if holdsSome(file+"-wal") || holdsSome(file+"-journal") {
			found, err = look(ctx, file, "ro")
		}
	}
	if err != nil {
		return nil, err
	}
	return found, found.check(ctx)
}

func holdsSome(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Size() > 0
}

// look reads what a file says of itself, all at one moment.
func look(ctx context.Context, file, mode string) (found *contents, err error) {
	db := connect(file, mode, newOptions(nil))
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	found, err = readContents(ctx, tx)
	return found, errors.Join(err, tx.Rollback())
}

// check refuses what is neither empty nor as some version up to ours made it.
func (c *contents) check(ctx context.Context) error {
	switch {
	case c.empty():
		return nil
	case c.applicationID != applicationID:
		return fmt.Errorf("%w: it belongs to another program", ErrForeign)
	case c.version > len(migrations()):
		return fmt.Errorf("%w: its format is %d, and this version knows %d", ErrNewer, c.version, len(migrations()))
	case c.version < 1:
		return fmt.Errorf("%w: its format is %d", ErrDamaged, c.version)
	}
	_, err := c.formOf(ctx)
	return err
}

// present refuses what is empty. What a crash has left half made is not known
// here, and nil.
func (c *contents) present() error {
	if c != nil && c.empty() {
		return fmt.Errorf("%w: it is empty", ErrForeign)
	}
	return nil
}

// contentsOf is what a database of some migrations says, by making one in memory.
func contentsOf(ctx context.Context, texts []string) (_ *contents, err error) {
	db := sql.OpenDB(&connector{driver: &sqlite3.SQLiteDriver{}, dsn: ":memory:"})
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, text := range texts {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return nil, err
		}
	}
	return readContents(ctx, db)
}

// migrate applies the migrations that are missing, all in one transaction, in
// which it looks again: another process may be at it too.
func migrate(ctx context.Context, conn *sql.Conn) error {
	for {
		var version int
		if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version == len(migrations()) {
			found, err := readContents(ctx, conn)
			if err != nil {
				return err
			}
			return found.check(ctx)
		}
		if err := migrateOnce(ctx, conn); err != nil {
			return err
		}
	}
}

func migrateOnce(ctx context.Context, conn *sql.Conn) (err error) {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, rollback := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			err = errors.Join(err, rollback)
		}
	}()
	found, err := readContents(ctx, conn)
	if err != nil {
		return err
	}
	if err := found.check(ctx); err != nil {
		return err
	}
	texts := migrations()[found.version:]
	if found.version > 0 {
		switch early, err := found.formOf(ctx); {
		case err != nil:
			return err
		case early != nil:
			if _, err := conn.ExecContext(ctx, early.bridge); err != nil {
				return fmt.Errorf("migration %d: %w", early.version, err)
			}
		}
	}
	for i, next := range texts {
		version := found.version + i + 1
		text := fmt.Sprintf("%s\nPRAGMA application_id = %d; PRAGMA user_version = %d;",
			next, applicationID, version)
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("migration %d: %w", version, err)
		}
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}
