package sqlite

import "time"

// Option changes how Open opens a database.
type Option func(*options)

type options struct {
	readOnly    bool
	existing    bool
	synchronous string
	busyTimeout time.Duration
	layer       string
}

func newOptions(opts []Option) options {
	o := options{synchronous: "FULL", busyTimeout: 10 * time.Second}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// ReadOnly opens a database to look at it: none is made where there is none, and
// every method that writes gives ErrReadOnly. SQLite may leave an empty log
// (-wal, -shm) beside the file; the next writer takes it away.
func ReadOnly() Option { return func(o *options) { o.readOnly = true } }

// Existing opens a database that is there: none is made where there is none, or
// where the file is empty. That gives fs.ErrNotExist, and ErrForeign.
func Existing() Option { return func(o *options) { o.existing = true } }

// Relaxed trades the last moments for speed: what was written before a crash
// of the process still is there afterwards, but a loss of power may take the
// last steps with it, although they were acknowledged (synchronous=NORMAL
// instead of FULL). Nothing is ever half written.
func Relaxed() Option { return func(o *options) { o.synchronous = "NORMAL" } }

// BusyTimeout is how long a write waits for another process to finish its own,
// before it gives ErrBusy; 10 seconds unless said.
func BusyTimeout(d time.Duration) Option { return func(o *options) { o.busyTimeout = d } }

// FileLayer opens the file through a VFS that has been registered with SQLite
// under a name, in place of the system's own.
func FileLayer(name string) Option { return func(o *options) { o.layer = name } }
