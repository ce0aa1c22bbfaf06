package postgres

import "time"

// Option changes how Open opens a database.
type Option func(*options)

type options struct {
	readOnly bool
	existing bool
	relaxed  bool
	host     func() time.Time
	steps    []migration // for tests: others than those of this version
}

// ReadOnly opens a database to look at it: no tables are made, every method that writes
// gives ErrReadOnly, and a standby will do.
func ReadOnly() Option { return func(o *options) { o.readOnly = true } }

// Existing opens a database that has tables of fsmc: none are made in one that has none,
// which gives ErrMissing.
func Existing() Option { return func(o *options) { o.existing = true } }

// Relaxed lets the server or the URL have synchronous_commit=off: a crash of the server may
// take the last moments with it, although they were acknowledged. Nothing is ever half written.
func Relaxed() Option { return func(o *options) { o.relaxed = true } }

// HostClock is the clock that the store takes for that of this host. It serves those who try
// what becomes of hosts whose clocks are off, or jump.
func HostClock(now func() time.Time) Option { return func(o *options) { o.host = now } }
