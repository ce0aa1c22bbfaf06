package sqlite

import (
	"errors"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrNoCgo is the error of Open in a binary built without cgo.
	ErrNoCgo = errors.New("this binary was built without cgo, and cannot open a SQLite database; build it with CGO_ENABLED=1 and a C compiler")

	// ErrForeign, ErrNewer, ErrOlder and ErrDamaged are errors of Open, which
	// leaves such a file as it is. ErrDamaged may come later, too.
	ErrForeign = errors.New("not a database of fsmc")
	ErrNewer   = errors.New("the database is from a newer version of fsmc")
	ErrOlder   = errors.New("the database is from an older version of fsmc, and cannot be brought up to date read-only: make a backup with that version; the next command that writes, such as fsmc run, brings it up to date")
	ErrDamaged = errors.New("the database is damaged")

	// ErrLog is the error of Open for a file that was put in the place of another, of
	// which the log is still there: to read it would undo that, or damage the file.
	ErrLog = errors.New("the write-ahead log beside the database is of another state of it: put a backup in its place with fsmc restore, or delete the log, and what only the log has")

	// ErrLogAlone is the error of Open for a file that is not there, or is empty, and of which
	// the log is still there: a new database would delete it.
	ErrLogAlone = errors.New("its write-ahead log is there, and the database is not: put the database back beside it, or a backup in its place with fsmc restore, or delete the log, and what only the log has")

	// ErrLinked is the error of Open without ReadOnly for a file with several names, which is what
	// hard links are. SQLite keeps a log beside each, and does not see those of the others.
	ErrLinked = errors.New("the file has another name, a hard link, and SQLite would keep a log for each name: delete one of the names, or make a copy with fsmc backup")

	// ErrFolder is the error of Open with ReadOnly for a file whose write-ahead log
	// would need files in a folder that takes none. A copy of Backup needs none.
	ErrFolder = errors.New("reading it takes files beside it, and its folder may not be written to: copy it, with its -wal if there is one, to a folder that may, or make the copy with fsmc backup")

	// ErrReadOnlyFile is the error of Open without ReadOnly for a file that can be read, but
	// that may not be written to, or the folder of which may not.
	ErrReadOnlyFile = errors.New("a file and its folder have to be writable, and one of them is not: to look at the runs, copy it, with its -wal if there is one, to a folder that is")

	// ErrInUse is the error of Restore to a file that another process has open.
	ErrInUse = errors.New("another process has it open: end all workers and commands that use it first")

	// ErrReadOnly is the error of a write to a store opened with ReadOnly.
	ErrReadOnly = errors.New("the database was opened read-only")
	// ErrBusy says that another process kept the database locked for longer
	// than BusyTimeout; nothing was written.
	ErrBusy = store.Unavailable("another process keeps the database locked")
	// ErrMoved says that the files which a store has open are not those at their
	// names any more: they were moved, deleted or replaced while it wrote to them.
	ErrMoved = errors.New("the database was moved or replaced while it was open")
	// ErrFull says that the disk, or what a quota allows of it, has no room; nothing was
	// written. The next write is tried on it all the same.
	ErrFull = store.Unavailable("the disk is full")
	// ErrStopped is the error of every write after one that the disk refused
	// (an I/O error, a damaged page), and after ErrMoved and ErrNewer.
	// Reads go on. To write again, remove the cause, and open the database again.
	ErrStopped = store.ErrStoreStopped
)
