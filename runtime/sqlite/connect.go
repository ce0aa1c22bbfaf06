//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
)

// connector opens connections without a driver name that all of a program
// would share.
type connector struct {
	driver *sqlite3.SQLiteDriver
	dsn    string
}

func (c *connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }
func (c *connector) Driver() driver.Driver                        { return c.driver }

// each connection: a schema that someone has tampered with runs no functions,
// damaged cells are noticed, and no page is written through a memory map.
const eachConnection = `
	PRAGMA trusted_schema = OFF;
	PRAGMA cell_size_check = ON;
	PRAGMA mmap_size = 0;
	PRAGMA temp_store = MEMORY;
`

// connect gives the connections to a file: "writer" for the writer, which needs
// configure too, "rw" for others that write, "ro" for readers (BeginTx of
// database/sql cannot ask for that), and "immutable" for a look that takes no
// lock and leaves no file behind. The driver sets the parameters in its own
// order, busy_timeout first; unless told otherwise it would set synchronous to
// NORMAL.
func connect(file, mode string, o options) *sql.DB {
	params := url.Values{
		"_busy_timeout": {strconv.FormatInt(o.busyTimeout.Milliseconds(), 10)},
		"_synchronous":  {o.synchronous},
		"_foreign_keys": {"on"},
		"_mutex":        {"no"}, // database/sql gives a connection to one goroutine at a time
		"mode":          {mode},
	}
	if o.layer != "" {
		params.Set("vfs", o.layer)
	}
	switch mode {
	case "immutable":
		params.Set("mode", "ro")
		params.Set("immutable", "1")
	case "ro":
		params.Set("_query_only", "on")
		params.Set("_stmt_cache_size", "32")
	case "writer":
		params.Set("mode", "rw")
		params.Set("_txlock", "immediate")
	}
	db := sql.OpenDB(&connector{
		driver: &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
			_, err := c.Exec(eachConnection, nil)
			return err
		}},
		dsn: uri(file) + "?" + params.Encode(),
	})
	readers := max(4, goruntime.GOMAXPROCS(0))
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	return db
}

// uri is a file's name as SQLite reads it: "?", "#" and "%" mean nothing in it.
func uri(file string) string {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/runs.db
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// REPLACE is a deletion to the triggers. The log is moved into the database by the
// checkpointer, and not by COMMIT. Its file is kept: only what is beyond the limit,
// because someone has read an old state for long, is cut off.
const writerSettings = `
	PRAGMA journal_size_limit = 33554432;
	PRAGMA recursive_triggers = ON;
	PRAGMA cache_size = -16000;
	PRAGMA wal_autocheckpoint = 0;
`

// configure sets what the writer needs, and reads back what a promise hangs on.
func configure(ctx context.Context, conn *sql.Conn, o options) error {
	if err := logAhead(ctx, conn, o.busyTimeout); err != nil {
		return err
	}
	var level int
	if err := conn.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&level); err != nil {
		return err
	}
	if want := map[string]int{"NORMAL": 1, "FULL": 2}[o.synchronous]; level != want {
		return fmt.Errorf("synchronous is %d where %s (%d) was asked for: writes would not be durable", level, o.synchronous, want)
	}
	looks := min(o.busyTimeout, turnLooks)
	_, err := conn.ExecContext(ctx, writerSettings+fmt.Sprintf("PRAGMA busy_timeout = %d;", looks.Milliseconds()))
	return err
}

// dropStatistics takes away what an ANALYZE has left. Queries are written for the
// plans that SQLite makes without: statistics of a file with few runs have it read
// whole tables, for good. Where others are writing, or the disk is full, they stay.
func dropStatistics(ctx context.Context, conn *sql.Conn) error {
	tables, err := sqlrow.List(ctx, plain{conn}, sqlrow.One[string], `SELECT name FROM sqlite_schema WHERE name GLOB 'sqlite_stat[0-9]'`)
	for _, table := range tables {
		if err == nil {
			_, err = conn.ExecContext(ctx, "DROP TABLE IF EXISTS "+table)
		}
	}
	switch code(err) {
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrFull:
		return nil
	}
	return err
}

// logAhead switches to the write-ahead log, which readers and one writer can
// use at once. It needs the file for itself for a moment, and is not made to
// wait by busy_timeout.
func logAhead(ctx context.Context, conn *sql.Conn, patience time.Duration) error {
	for deadline := time.Now().Add(patience); ; {
		var mode string
		err := conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		if err == nil && mode != "wal" {
			return fmt.Errorf("the file system gives journal mode %q where the write-ahead log was asked for", mode)
		}
		if !kept(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// kept reports whether err says that another process keeps the database locked. ErrProtocol says so of
// the log's index, which a process can have locked while it stands still.
func kept(err error) bool {
	return code(err) == sqlite3.ErrBusy || code(err) == sqlite3.ErrProtocol
}

// code is the result code of SQLite in err, or 0.
func code(err error) sqlite3.ErrNo { return failure(err).Code }

// failure is what SQLite says in err; its codes are 0 where it says nothing.
func failure(err error) sqlite3.Error {
	e, _ := errors.AsType[sqlite3.Error](err)
	return e
}

// translate puts errors of SQLite in the words of this package.
func translate(err error) error {
	if full(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	if failure(err).SystemErrno == syscall.EFBIG {
		return fmt.Errorf("a file would be larger than it may be: raise the limit of this process (ulimit -f), or use another file system: %w", err)
	}
	switch code(err) {
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case sqlite3.ErrCorrupt:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case sqlite3.ErrNotADB:
		return fmt.Errorf("%w: it is no SQLite database, or its header is damaged", ErrForeign)
	}
	return err
}
