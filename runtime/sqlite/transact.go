//go:build cgo

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/mattn/go-sqlite3"
)

// The requests of a batch run one after the other in one transaction. One that
// is refused before it has written anything leaves nothing to take back, and
// the others go on. One that fails after that, which is rare, spoils the
// transaction: all of it is rolled back and run again, now with each request in
// a savepoint, so that those which fail are rolled back alone. Savepoints all
// the time would cost a copy of each page that a request changes. A request may
// therefore run twice, and the second time is what counts.
//
// A COMMIT that fails fails all of its batch. After an error that makes the file
// or the disk doubtful nothing is written any more: see ErrStopped. A full disk is
// not doubtful, and the next batch is tried on it: see ErrFull.

// tx is what a request may do within the transaction.
type tx struct {
	w      *writer
	wrote  bool         // it may have changed something
	counts []change     // that it makes
	costs  costs        // that it changes
	stand  []standingOf // how runs stand after it, and after those before it
	newest int64        // row of history, as it is after it
}

// effects are what the requests of a batch have changed together.
type effects struct {
	rows   int64           // how many
	bytes  int64           // how much, about
	counts map[int64]int64 // by the id of the name
	costs  costs
	stand  []standingOf // how runs stand afterwards
	newest int64        // row of history
}

func (e *effects) clear(newest int64) {
	clear(e.counts)
	clear(e.costs)
	e.rows, e.bytes, e.stand, e.newest = 0, 0, e.stand[:0], newest
}

// fate is what a request does to its transaction.
type fate int

const (
	whole fate = iota // it has written all that it should, or nothing
	half              // it has written something that must go
	lost              // the transaction is gone
)

// write runs the batch in one transaction and answers it.
func (w *writer) write() {
	err := w.over()
	if err == nil {
		err = w.session.within(w.conn, w.transact)
	}
	for _, r := range w.batch {
		if err != nil {
			r.err = err
		}
		r.reply <- r.err
		failpoint.Hit(failpoint.Replied)
	}
}

// transact notes what became of each request. Its error is of all of them.
func (w *writer) transact() error {
	spoiled, err := w.attempt(w.bare)
	if spoiled && len(w.batch) > 1 {
		_, err = w.attempt(w.guarded)
	}
	return err
}

// attempt runs the batch with one, and reports whether a request has spoiled
// the transaction, of which then nothing is left.
func (w *writer) attempt(one func(*request) fate) (spoiled bool, err error) {
	w.tally.forgetFresh()
	if err := w.begin(); err != nil {
		return false, w.failed(err)
	}
	log, err := w.footing.holds()
	if err == nil {
		err = w.stands()
	}
	if err != nil {
		return false, w.failed(err)
	}
	w.room.extend(log)
	w.effects.clear(w.tally.newest)
	failpoint.Hit(failpoint.Begun)
	w.batch = slices.DeleteFunc(w.batch, func(r *request) bool { return !r.take() })
	for _, r := range w.batch {
		switch one(r) {
		case half:
			return true, w.rollBack()
		case lost:
			return false, w.failed(r.err)
		}
		failpoint.Hit(failpoint.RequestReleased)
	}
	return false, w.commit()
}

// turnLooks is how long SQLite looks for a free lock before begin asks it again. Its
// looks are 1, 2, 5, 10, ... and at last 100 ms apart: who has waited for long looks so
// seldom that another process, which commits without a pause, can keep it out for ten
// seconds. Asked again, it looks every few milliseconds.
const turnLooks = 30 * time.Millisecond

// begin waits for the lock, if another process has it, for as long as the writer is
// patient.
func (w *writer) begin() error {
	for deadline := time.Now().Add(w.busyTimeout); ; {
		err := w.exec("BEGIN IMMEDIATE")
		if !kept(err) || time.Now().After(deadline) {
			return err
		}
	}
}

// take reports whether the caller still wants the request, which from now on
// cannot be given up.
func (r *request) take() bool {
	return r.state.CompareAndSwap(waiting, taken) || r.state.Load() == taken
}

// bare runs a request.
func (w *writer) bare(r *request) fate {
	t := &w.tx
	*t = tx{w: w, counts: t.counts[:0], stand: w.effects.stand, newest: w.effects.newest}
	r.err = r.run(t)
	switch {
	case r.err == nil:
		w.done(t)
		w.effects.bytes += r.bytes
		return whole
	case grave(r.err) || w.outside():
		return lost
	}
	r.err = translate(r.err)
	if t.wrote {
		return half
	}
	return whole
}

// done takes over what a request has changed.
func (w *writer) done(t *tx) {
	e := &w.effects
	e.stand, e.newest = t.stand, t.newest
	for i := range t.counts {
		e.counts[t.counts[i].id] += t.counts[i].n
	}
	e.costs.merge(t.costs)
}

// guarded runs a request in a savepoint of its own.
func (w *writer) guarded(r *request) fate {
	if r.err = w.exec("SAVEPOINT request"); r.err != nil {
		return lost
	}
	outcome := w.bare(r)
	if outcome == lost {
		return lost
	}
	if outcome == half {
		if err := w.exec("ROLLBACK TO request"); err != nil {
			r.err = errors.Join(r.err, err)
			return lost
		}
		w.tally.forgetFresh()
	}
	if err := w.exec("RELEASE request"); err != nil {
		r.err = errors.Join(r.err, err)
		return lost
	}
	return whole
}

func (w *writer) rollBack() error {
	w.tally.seen = unknown // rather than to trust it
	if err := w.exec("ROLLBACK"); err != nil {
		return w.stop(err)
	}
	return nil
}

// commit makes a transaction durable.
func (w *writer) commit() error {
	if err := w.foldCounts(); err != nil {
		return w.failed(err)
	}
	if err := w.writeCosts(); err != nil {
		return w.failed(err)
	}
	if w.effects.rows > 0 && w.wal.moved.Swap(false) {
		if err := w.exec(renameLog); err != nil {
			w.wal.moved.Store(true)
			return w.failed(err)
		}
	}
	failpoint.Hit(failpoint.BeforeEnd)
	if err := w.exec("COMMIT"); full(err) {
		w.wal.moved.Store(true) // what was written of the log's name is gone, too
		return w.failed(err)    // it has been rolled back
	} else if err != nil {
		// Whether it is on the disk is not known: nothing may be built on it.
		return fmt.Errorf("%w: %w", store.ErrUnknown, w.stop(err))
	}
	failpoint.Hit(failpoint.AfterEnd)
	w.tally.committed(&w.effects)
	w.remember(w.effects.stand)
	w.wal.changed(&w.effects)
	return nil
}

// outside reports whether SQLite has rolled the transaction back by itself.
func (w *writer) outside() bool { return w.session.conn.AutoCommit() }

// failed gives up a transaction, and writing itself where the error is grave.
func (w *writer) failed(err error) error {
	if grave(err) {
		return w.stop(err)
	}
	if !w.outside() {
		if e := w.rollBack(); e != nil {
			return errors.Join(e, translate(err))
		}
	}
	return translate(err)
}

// stop ends all writing.
func (w *writer) stop(err error) error {
	if !w.outside() {
		err = errors.Join(err, w.exec("ROLLBACK"))
	}
	err = stoppedBy(err)
	w.stopped.Store(&err)
	return err
}

// over is why nothing is written any more, nil where it is.
func (w *writer) over() error {
	if why := w.stopped.Load(); why != nil {
		return *why
	}
	return nil
}

func stoppedBy(err error) error {
	return fmt.Errorf("%w after an error: %w", ErrStopped, translate(err))
}

// grave reports whether an error makes the file or the disk doubtful.
func grave(err error) bool {
	if errors.Is(err, ErrMoved) || errors.Is(err, ErrNewer) {
		return true
	}
	switch code(err) {
	case sqlite3.ErrIoErr:
		return !full(err)
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB,
		sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrNomem, sqlite3.ErrInternal:
		return true
	}
	return false
}

// full reports whether there was no room for a write: nothing of its transaction is left
// then, no disk is in doubt, and there may be room the next time. What only a sync says is
// another matter: the system may have dropped what it could not write.
func full(err error) bool {
	e := failure(err)
	switch e.ExtendedCode {
	case sqlite3.ErrIoErrWrite, sqlite3.ErrIoErrSHMSize:
		return e.SystemErrno == syscall.ENOSPC || e.SystemErrno == syscall.EDQUOT
	}
	return e.Code == sqlite3.ErrFull
}

func (w *writer) exec(text string) error {
	_, err := w.session.exec(text)
	return err
}

// exec runs a statement and says how many rows it changed.
func (t *tx) exec(text string, args ...any) (rows int64, err error) {
	rows, _, err = t.execute(text, args...)
	return rows, err
}

// insert runs a statement that inserts a row, and gives its number.
func (t *tx) insert(text string, args ...any) (id int64, err error) {
	_, id, err = t.execute(text, args...)
	return id, err
}

func (t *tx) execute(text string, args ...any) (rows, id int64, err error) {
	result, err := t.w.session.exec(text, args...)
	if err != nil {
		t.wrote = true // nothing of this statement, but it is not for us to know
		return 0, 0, err
	}
	rows, err = result.RowsAffected()
	t.wrote = t.wrote || rows > 0
	t.w.effects.rows += rows
	if err == nil {
		id, err = result.LastInsertId()
	}
	return rows, id, err
}

// Query makes tx a source; ctx is not used, because a request that has been
// taken runs to its end.
func (t *tx) Query(_ context.Context, text string, args ...any) (sqlrow.Rows, error) {
	found, err := t.w.session.query(text, args...)
	if err != nil {
		return nil, err
	}
	return found, nil
}
