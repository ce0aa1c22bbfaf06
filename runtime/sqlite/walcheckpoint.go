//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
)

// Left alone, SQLite moves the pages of the write-ahead log into the database (a
// checkpoint) within the COMMIT that makes the log long, and all callers wait
// for writes all over the file and their sync. Here a goroutine does it, on a
// connection of its own, while commits go on (sqlite.org/wal.html, "Checkpoint").
//
// The log restarts at its beginning only where a transaction begins when all of it
// is in the database. Under load that does not happen by itself: when the log has
// become long, the goroutine takes the turn for the few pages that are left then.
//
// A log whose file grows is slow: each sync then writes metadata of the file system
// too, and takes twice as long. So the log is short, and its file is kept: after the
// first thousands of pages it is overwritten in place.
type checkpointer struct {
	db   *sql.DB
	conn *sql.Conn
	wake chan struct{} // of length 1
	quit chan struct{}
	done chan struct{}

	every atomic.Int64 // changed rows, or pages of large ones, between two checkpoints
	long  atomic.Int64 // pages of a log that is to restart
	moved atomic.Bool  // all of the log, or may have been: what is written next restarts it
	since int64        // rows since the last one; belongs to who has the writer's turn
}

const (
	checkpointEvery = 500  // a small checkpoint keeps the disk from commits for less long
	longLog         = 3000 // pages: much less than journal_size_limit, at which the file would be cut off

	// fewPages are soon moved while everyone waits.
	fewPages = 1000
	pageSize = 4096

	// checkpointPatience is how long commits may be held up by a reader of an old
	// state, or by the commit of another process.
	checkpointPatience = 10 * time.Millisecond
)

func openCheckpointer(ctx context.Context, file string, o options) (_ *checkpointer, err error) {
	o.busyTimeout = checkpointPatience
	db := connect(file, "rw", o)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := dropStatistics(ctx, conn); err != nil { // here, because this connection has little patience
		return nil, errors.Join(err, conn.Close(), db.Close())
	}
	c := &checkpointer{
		db: db, conn: conn,
		wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	c.every.Store(checkpointEvery)
	c.moved.Store(true)
	c.long.Store(longLog)
	return c, nil
}

// changed counts what a batch has changed, and wakes the goroutine when it has
// become much.
func (c *checkpointer) changed(e *effects) {
	if c.since += e.rows + e.bytes/pageSize; c.since < c.every.Load() {
		return
	}
	c.since = 0
	select {
	case c.wake <- struct{}{}:
	default: // it has not reached the last one yet
	}
}

// tendLog is the goroutine.
func (w *writer) tendLog() {
	c := w.wal
	defer close(c.done)
	for {
		select {
		case <-c.wake:
		case <-c.quit:
			return
		}
		if err := w.shortenLog(); err != nil && !full(err) { // else the log grows until there is room
			w.giveUp(err)
		}
	}
}

func (w *writer) shortenLog() error {
	pages, _, err := w.wal.run("PASSIVE")
	if err != nil || pages < w.wal.long.Load() {
		return err
	}
	// What has come meanwhile, so that there is next to nothing left; unless someone
	// reads an old state, of which nothing may be moved yet.
	pages, moved, err := w.wal.run("PASSIVE")
	if err != nil || pages-moved > fewPages || !w.wal.takeTurn(w.turn) {
		return err
	}
	defer func() { <-w.turn }()
	_, _, err = w.wal.run("FULL") // as PASSIVE, and without commits of other processes
	return err
}

// takeTurn reports whether it has the turn, and not to quit.
func (c *checkpointer) takeTurn(turn chan<- struct{}) bool {
	select {
	case turn <- struct{}{}:
		return true
	case <-c.quit:
		return false
	}
}

// giveUp ends all writing: what is in the log is safe, but the disk is doubtful.
// Where the store is being closed there is no more to end.
func (w *writer) giveUp(err error) {
	if w.wal.takeTurn(w.turn) {
		err = stoppedBy(err)
		w.stopped.CompareAndSwap(nil, &err)
		<-w.turn
	}
}

// run makes a checkpoint, and gives the length of the log when it began and how
// much of that is in the database now. That others are in its way is no error.
func (c *checkpointer) run(mode string) (pages, moved int64, err error) {
	var busy int64
	err = c.conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &pages, &moved)
	if err == nil && pages == moved {
		c.moved.Store(true)
	}
	failpoint.Hit(failpoint.Checkpointed)
	switch code(err) {
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol:
		return 0, 0, nil
	}
	return pages, moved, err
}

// close ends the goroutine.
func (c *checkpointer) close() error {
	close(c.quit)
	<-c.done
	return errors.Join(c.conn.Close(), c.db.Close())
}
