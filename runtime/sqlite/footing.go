//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/mattn/go-sqlite3"
)

// footing is what each transaction of a writer stands on: that the files which it
// has open are those at their names, and that their format is ours. SQLite looks at
// neither: it writes to a file that has been moved away or deleted, and prepares its
// statements for new tables where another version has migrated the database.
type footing struct {
	files []place
}

// place is a file by its name, and which one was there.
type place struct {
	name string
	was  identity
}

const selectFormat = `PRAGMA user_version`

// stand notes which file is at a name.
func (f *footing) stand(name string) error {
	was, _, err := identify(name)
	if err == nil {
		f.files = append(f.files, place{name, was})
	}
	return err
}

// onLog notes the log of the database, which SQLite keeps beside the file to which
// symbolic links lead, and opens when it first reads.
func (f *footing) onLog(ctx context.Context, conn *sql.Conn, file string) error {
	if err := conn.QueryRowContext(ctx, "SELECT 1 FROM sqlite_schema").Scan(new(int)); err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	return f.stand(target + "-wal")
}

// log is the name of the log.
func (f *footing) log() string { return f.files[len(f.files)-1].name }

// holds gives ErrMoved where another file, or none, is at a name, and else the size of the log.
func (f *footing) holds() (size int64, err error) {
	for _, p := range f.files {
		var now identity
		switch now, size, err = identify(p.name); {
		case errors.Is(err, fs.ErrNotExist):
			return 0, fmt.Errorf("%w: %q is not there any more", ErrMoved, p.name)
		case err != nil:
			return 0, fmt.Errorf("whether the database is still there is not known: %w", err)
		case !p.was.same(now):
			return 0, fmt.Errorf("%w: another file is at %q", ErrMoved, p.name)
		}
	}
	return size, nil
}

// stands looks whether the format is ours, in a transaction that has begun, and at what else only
// another connection changes. All that is read again where one has committed.
func (w *writer) stands() error {
	version, err := w.session.number(selectVersion)
	if err != nil || version == w.tally.seen {
		return err
	}
	format, err := w.session.number(selectFormat)
	if err == nil {
		err = checkFormat(format)
	}
	if err == nil {
		w.tally.newest, err = w.session.number(selectNewest)
	}
	if err == nil {
		w.tally.seen = version
	}
	return err
}

// checkFormat refuses a format to which another version has migrated the database.
func checkFormat(format int64) error {
	if format == int64(len(migrations())) {
		return nil
	}
	return fmt.Errorf("%w: its format has become %d, and this version writes %d", ErrNewer, format, len(migrations()))
}

// leaveLog has the last connection that is closed leave the log where it is: SQLite
// would delete it by its name, at which there may be the log of another database.
func (w *writer) leaveLog() error {
	return w.conn.Raw(func(c any) error {
		return c.(*sqlite3.SQLiteConn).SetFileControlInt("main", sqlite3.SQLITE_FCNTL_PERSIST_WAL, 1)
	})
}
