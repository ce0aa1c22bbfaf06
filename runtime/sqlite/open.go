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
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/mattn/go-sqlite3"
)

// Store is a store.Store in a SQLite file. It is safe for concurrent use.
type Store struct {
	readers *sql.DB
	seats   chan struct{} // holds a token for each connection of theirs that is in use
	hands   *hands
	writer  *writer // nil where the store is read-only
	closed  atomic.Bool
	given   store.Hands // what has been handed out
	changes *changes
}

var _ store.Store = (*Store)(nil)

// minVersion is the first SQLite without a bug that could corrupt a database
// when the write-ahead log is reset (sqlite.org/wal.html, "WAL-reset bug").
const minVersion = 3_051_003

// opening makes Opens of one process take turns, so that no file descriptor of
// a new file is closed under a connection that has locked it: POSIX would drop
// the lock.
var opening sync.Mutex

// Open opens the database at path, or makes a new one unless the options say
// otherwise, readable by its owner alone (mode 0600).
//
// What is checked first: that it is a SQLite database with the application id
// of fsmc, that its format is none that this version does not know, that the
// header fits the length of the file, and that all tables, indexes, triggers
// and views are as fsmc made them. A file that fails this is refused with
// ErrForeign, ErrNewer or ErrDamaged, and not a byte of it is changed. The
// pages are not read: damage inside is found when it is met, and then gives
// ErrDamaged.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	o := newOptions(opts)
	if library, number, _ := sqlite3.Version(); number < minVersion {
		return nil, fmt.Errorf("SQLite %s can corrupt a database; fsmc needs 3.51.3 or later", library)
	}
	file, err := filepath.Abs(path)
	if err != nil || path == "" {
		return nil, fmt.Errorf("cannot open database %q: no such path", path)
	}
	reply := make(chan opened)
	go func() { // which the disk may keep
		s, err := openInTurn(ctx, path, file, o)
		select {
		case reply <- opened{s, err}:
		case <-ctx.Done():
			if err == nil {
				_ = s.Close()
			}
		}
	}()
	select {
	case got := <-reply:
		return got.store, got.err
	case <-ctx.Done():
		return nil, fmt.Errorf("cannot open database %q: %w", path, context.Cause(ctx))
	}
}

type opened struct {
	store *Store
	err   error
}

func openInTurn(ctx context.Context, path, file string, o options) (*Store, error) {
	opening.Lock()
	defer opening.Unlock()
	if err := prepareFile(file, !o.readOnly && !o.existing); err != nil {
		return nil, fmt.Errorf("cannot open database: %w", err)
	}
	s, err := open(ctx, file, o)
	switch {
	case o.readOnly && needsFolder(file, err):
		return nil, fmt.Errorf("cannot open database %q: %w", path, ErrFolder)
	case needsFolder(file, err):
		return nil, fmt.Errorf("cannot open database %q: %w", path, ErrReadOnlyFile)
	case err != nil:
		return nil, fmt.Errorf("cannot open database %q: %w", path, translate(err))
	}
	return s, nil
}

// needsFolder reports whether a file that can be read could not be opened because
// it or its log takes no writes: readers make the files of the log, too, where there are none.
func needsFolder(file string, err error) bool {
	if code(err) != sqlite3.ErrReadonly && code(err) != sqlite3.ErrCantOpen {
		return false
	}
	if e := failure(err).SystemErrno; e == syscall.EMFILE || e == syscall.ENFILE {
		return false
	}
	// By SQLite: a descriptor of our own would, when it is closed, take away the
	// locks that this process has on the file (POSIX).
	_, err = look(context.Background(), file, "immutable")
	return err == nil
}

// prepareFile makes sure that there is a file: with create an empty one if need
// be.
func prepareFile(file string, create bool) error {
	alone := hasLog(file) // asked first: who makes a database makes its log last
	info, err := os.Stat(file)
	switch {
	case alone && (create && errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0):
		return fmt.Errorf("%q: %w", file, ErrLogAlone)
	case err == nil && info.IsDir():
		return fmt.Errorf("%q is a directory", file)
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%q is not a regular file", file)
	case err == nil:
		return nil
	case !create || !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return prepareTarget(file)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// prepareTarget is prepareFile for a name that has turned out to be taken: by a symbolic
// link to where nothing is yet, or by another process, which was faster.
func prepareTarget(file string) error {
	target, err := os.Readlink(file)
	if err != nil {
		return nil
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(file), target)
	}
	return prepareFile(target, true)
}

func open(ctx context.Context, file string, o options) (*Store, error) {
	found, err := inspect(ctx, file)
	if code(err) == sqlite3.ErrReadonly && !o.readOnly {
		err = nil // a crash while it was made: the writer rolls that back, and looks again
	}
	if err != nil {
		return nil, err
	}
	s := &Store{hands: newHands()}
	if o.readOnly || o.existing {
		if err := found.present(); err != nil {
			return nil, err
		}
	}
	if o.readOnly {
		if found.version < len(migrations()) { // and cannot be read as it stands
			return nil, ErrOlder
		}
	} else if s.writer, err = openWriter(ctx, file, o, s.hands); err != nil {
		return nil, err
	}
	s.openReaders(file, o)
	if err := s.readers.PingContext(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) openReaders(file string, o options) {
	s.readers = connect(file, "ro", o)
	s.changes = newChanges(file, o)
	s.seats = make(chan struct{}, s.readers.Stats().MaxOpenConnections)
}

// openWriter brings the database up to date and opens what writes to it.
func openWriter(ctx context.Context, file string, o options, h *hands) (_ *writer, err error) {
	if err := alone(file); err != nil {
		return nil, err
	}
	var files footing
	if err := files.stand(file); err != nil {
		return nil, err
	}
	db := connect(file, "writer", o)
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, conn.Close(), db.Close())
		}
	}()
	// It looks at the file again, which another process may have changed meanwhile.
	if err := migrate(ctx, conn); err != nil {
		return nil, err
	}
	if err := configure(ctx, conn, o); err != nil {
		return nil, err
	}
	if err := files.onLog(ctx, conn, file); err != nil {
		return nil, err
	}
	room, err := openLogRoom(files.log(), o)
	if err == nil {
		_, err = files.holds()
	}
	if err != nil {
		return nil, errors.Join(err, room.close())
	}
	wal, err := openCheckpointer(ctx, file, o)
	if err != nil {
		return nil, errors.Join(err, room.close())
	}
	return newWriter(db, conn, wal, room, files, h, o), nil
}

// closeLimit is how long Close waits for the disk.
const closeLimit = time.Minute

// Close waits for the reads and writes under way, also for those whose callers have left,
// folds the write-ahead log into the database if no other process has it open, and closes
// it. On a disk that does not answer it leaves it open, after a minute, or after a moment
// where a write has given up before: nothing is lost by that.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.hands.close()
	limit := closeLimit
	if s.writer != nil && s.writer.hangs.Load() {
		limit = patience
	}
	done := make(chan error, 1)
	go func() { done <- s.close() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return errors.New("the disk does not answer: the database is left open, and nothing that was written is lost")
	}
}

func (s *Store) close() error {
	err := errors.Join(s.changes.close(), s.readers.Close()) // first: the last connection folds the log, and these cannot
	for s.readers.Stats().InUse > 0 {                        // for callers who have left
		time.Sleep(time.Millisecond)
	}
	if s.writer != nil {
		err = errors.Join(err, s.writer.close())
	}
	return err
}
