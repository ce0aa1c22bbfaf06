//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/mattn/go-sqlite3"
)

// Group commit. There is one connection that writes, and one turn to use it. A
// caller puts its request into the queue and waits for the answer or the turn,
// whichever comes first. Who has the turn leads: it takes all requests that
// wait, begins a transaction, runs each in a savepoint of its own, commits, and
// only then answers. While the disk syncs, the next requests gather: the more
// callers, the more of them share a sync. A lone caller leads itself, and no
// goroutine is woken. (DeWitt et al., "Implementation Techniques for Main Memory
// Database Systems", 1984; the turn is the combiner's lock of Hendler et al.,
// "Flat Combining", 2010.)
//
// A request that fails is rolled back alone. A COMMIT that fails fails all of
// its batch. After an error that makes the file or the disk doubtful nothing
// is written any more: see ErrStopped.
type writer struct {
	mu     sync.RWMutex // held for writing to close, for reading to send
	closed bool
	queue  chan *request
	turn   chan struct{} // of length 1: holds a token while someone leads

	// What follows belongs to who has the turn.
	db         *sql.DB
	conn       *sql.Conn
	statements map[string]*sql.Stmt // by text
	batch      []*request
	several    bool   // requests were in the last batch
	counts     counts // that the batch changes
	costs      costs  // the same
	stopped    error  // why nothing is written any more
}

const (
	queueLength = 1024 // then callers wait
	maxBatch    = 256  // requests in one transaction: bounds how long the first one waits
)

// request is one caller's share of a transaction.
type request struct {
	run   func(*tx) error
	state atomic.Int32
	reply chan error // of length 1: who leads never waits for a caller
}

// A request waits until someone takes it or the caller gives up.
const (
	waiting int32 = iota
	taken
	abandoned
)

// tx is what a request may do within its savepoint.
type tx struct {
	w      *writer
	counts counts // that it changes
	costs  costs  // the same
}

func newWriter(db *sql.DB, conn *sql.Conn) *writer {
	return &writer{
		db: db, conn: conn, statements: map[string]*sql.Stmt{}, counts: counts{}, costs: costs{},
		queue: make(chan *request, queueLength), turn: make(chan struct{}, 1),
	}
}

// do runs a request and returns when it is durable, or why it is not. Where ctx
// ends first, nothing has been written: once taken, a request is waited for.
func (w *writer) do(ctx context.Context, run func(*tx) error) error {
	r := &request{run: run, reply: make(chan error, 1)}
	if err := w.send(ctx, r); err != nil {
		return err
	}
	for {
		select {
		case err := <-r.reply:
			return err
		case w.turn <- struct{}{}:
			w.lead()
		case <-ctx.Done():
			if r.state.CompareAndSwap(waiting, abandoned) {
				return context.Cause(ctx)
			}
			return <-r.reply
		}
	}
}

// send puts a request into the queue. Where the queue is full and nobody leads,
// because those who waited have given up, it makes room itself.
func (w *writer) send(ctx context.Context, r *request) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return runtime.ErrClosed
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for {
		select {
		case w.queue <- r:
			return nil
		default:
		}
		select {
		case w.queue <- r:
			return nil
		case w.turn <- struct{}{}:
			w.lead()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// lead writes what waits as one batch, and gives the turn back.
func (w *writer) lead() {
	w.gather()
	if len(w.batch) > 0 {
		w.write(w.batch)
	}
	clear(w.batch)
	w.batch = w.batch[:0]
	<-w.turn
}

// gather takes the requests that wait. Where the last batch had several, those
// who were woken together with the leader first have a chance to send theirs.
func (w *writer) gather() {
	if w.several {
		goruntime.Gosched()
	}
	defer func() { w.several = len(w.batch) > 1 }()
	for len(w.batch) < maxBatch {
		select {
		case r := <-w.queue:
			w.batch = append(w.batch, r)
		default:
			return
		}
	}
}

// close waits for what has been sent, and closes the connection.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	for {
		w.turn <- struct{}{}
		if len(w.queue) == 0 {
			break // and keep the turn: nothing is written any more
		}
		w.lead()
	}
	var errs []error
	for _, statement := range w.statements {
		errs = append(errs, statement.Close())
	}
	return errors.Join(append(errs, w.conn.Close(), w.db.Close())...)
}

// write runs a batch in one transaction and answers it.
func (w *writer) write(batch []*request) {
	results := make([]error, len(batch))
	err := w.stopped
	if err == nil {
		err = w.transact(batch, results)
	}
	for i, r := range batch {
		if err != nil {
			results[i] = err
		}
		r.reply <- results[i]
		failpoint.Hit(failpoint.Replied)
	}
}

// transact fills in what became of each request. Its error is of all of them.
func (w *writer) transact(batch []*request, results []error) error {
	clear(w.counts)
	clear(w.costs)
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return w.failed(err)
	}
	failpoint.Hit(failpoint.Begun)
	if len(batch) == 1 {
		return w.lone(batch[0], results)
	}
	for i, r := range batch {
		if !r.state.CompareAndSwap(waiting, taken) {
			continue
		}
		err, lost := w.one(r)
		if lost {
			return w.failed(err)
		}
		results[i] = err
	}
	return w.commit()
}

// lone runs the only request of a transaction, which needs no savepoint.
func (w *writer) lone(r *request, results []error) error {
	if !r.state.CompareAndSwap(waiting, taken) {
		return w.rollBack()
	}
	t := tx{w: w}
	if err := r.run(&t); err != nil {
		if grave(err) || w.outside() {
			return w.failed(err)
		}
		results[0] = translate(err)
		return w.rollBack()
	}
	w.counts.merge(t.counts)
	w.costs.merge(t.costs)
	return w.commit()
}

func (w *writer) rollBack() error {
	if err := w.exec("ROLLBACK"); err != nil {
		return w.stop(err)
	}
	return nil
}

// commit makes a transaction durable.
func (w *writer) commit() error {
	if err := w.writeCounts(); err != nil {
		return w.failed(err)
	}
	if err := w.writeCosts(); err != nil {
		return w.failed(err)
	}
	failpoint.Hit(failpoint.BeforeEnd)
	if err := w.exec("COMMIT"); err != nil {
		// Whether it is on the disk is not known: nothing may be built on it.
		return w.stop(err)
	}
	failpoint.Hit(failpoint.AfterEnd)
	return nil
}

// one runs a request in its savepoint; lost says that the whole transaction is
// gone with it.
func (w *writer) one(r *request) (err error, lost bool) {
	if err := w.exec("SAVEPOINT request"); err != nil {
		return err, true
	}
	t := tx{w: w}
	if err = r.run(&t); err == nil {
		w.counts.merge(t.counts)
		w.costs.merge(t.costs)
		err = w.exec("RELEASE request")
		failpoint.Hit(failpoint.RequestReleased)
		return err, err != nil
	}
	if grave(err) || w.outside() {
		return err, true
	}
	if e := w.exec("ROLLBACK TO request"); e != nil {
		return errors.Join(err, e), true
	}
	if e := w.exec("RELEASE request"); e != nil {
		return errors.Join(err, e), true
	}
	return translate(err), false
}

// outside reports whether SQLite has rolled the transaction back by itself.
func (w *writer) outside() bool {
	outside := true
	err := w.conn.Raw(func(conn any) error {
		outside = conn.(*sqlite3.SQLiteConn).AutoCommit()
		return nil
	})
	return outside || err != nil
}

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
	w.stopped = fmt.Errorf("%w after an error: %w", ErrStopped, translate(err))
	return w.stopped
}

// grave reports whether an error makes the file or the disk doubtful.
func grave(err error) bool {
	switch code(err) {
	case sqlite3.ErrIoErr, sqlite3.ErrFull, sqlite3.ErrCorrupt, sqlite3.ErrNotADB,
		sqlite3.ErrCantOpen, sqlite3.ErrReadonly, sqlite3.ErrNomem, sqlite3.ErrInternal:
		return true
	}
	return false
}

// statement prepares each text once.
func (w *writer) statement(text string) (*sql.Stmt, error) {
	if s := w.statements[text]; s != nil {
		return s, nil
	}
	s, err := w.conn.PrepareContext(context.Background(), text)
	if err == nil {
		w.statements[text] = s
	}
	return s, err
}

func (w *writer) exec(text string) error {
	_, err := (&tx{w: w}).exec(text)
	return err
}

// exec runs a statement and says how many rows it changed.
func (t *tx) exec(text string, args ...any) (int64, error) {
	s, err := t.w.statement(text)
	if err != nil {
		return 0, err
	}
	result, err := s.Exec(args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// QueryContext makes tx read like any connection; ctx is not used, because a
// request that has been taken runs to its end.
func (t *tx) QueryContext(_ context.Context, text string, args ...any) (*sql.Rows, error) {
	s, err := t.w.statement(text)
	if err != nil {
		return nil, err
	}
	return s.Query(args...)
}
