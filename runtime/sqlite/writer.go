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
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/mattn/go-sqlite3"
)

// Group commit. There is one connection that writes, and one turn to use it. A
// caller puts its request into the queue and waits for the answer or the turn,
// whichever comes first. Who has the turn leads: it takes all requests that wait,
// begins a transaction, runs each, commits, and only then answers. While the disk
// syncs, the next requests gather: the more callers, the more of them share a sync. A
// caller whose context can end has one of the hands lead in its place: a disk that hangs
// would keep it for ever. (DeWitt et al., "Implementation Techniques for Main Memory
// Database Systems", 1984; the turn is the combiner's lock of Hendler et al., "Flat
// Combining", 2010.)
//
// What a batch does in its transaction, and what becomes of requests that fail,
// stands in transact.go.
type writer struct {
	mu     sync.RWMutex // held for writing to close, for reading to send
	closed bool
	queue  chan *request
	turn   chan struct{} // of length 1: holds a token while someone leads
	wal    *checkpointer
	room   *logRoom

	footing     footing       // does not change
	busyTimeout time.Duration // how long another process may keep the lock

	hangs    atomic.Bool           // someone has given up waiting for what is under way
	stopped  atomic.Pointer[error] // why nothing is written any more, from then on
	hands    *hands
	requests sync.Pool // that nobody waits for, and that this writer does not know any more

	// What follows belongs to who has the turn.
	db      *sql.DB
	conn    *sql.Conn
	session session // on conn
	batch   []*request
	several bool                // requests were in the last batch
	effects effects             // of the batch
	known   map[string]standing // how runs stand that this writer has moved last
	tx      tx                  // of the request under way
	tally   tally
}

const (
	queueLength = 1024    // then callers wait
	maxBatch    = 256     // requests in one transaction: bounds how long the first one waits
	maxBytes    = 8 << 20 // of a batch that takes another request: bounds its memory
)

// request is one caller's share of a transaction.
type request struct {
	run   func(*tx) error
	bytes int64 // that it writes, about
	state atomic.Int32
	err   error      // what became of it
	reply chan error // of length 1: who leads never waits for a caller
}

// A request waits until someone takes it or the caller gives up.
const (
	waiting int32 = iota
	taken
	abandoned
)

func newWriter(db *sql.DB, conn *sql.Conn, wal *checkpointer, room *logRoom, files footing, h *hands, o options) *writer {
	w := &writer{
		db: db, conn: conn, session: session{statements: map[string]*sqlite3.SQLiteStmt{}},
		effects: effects{counts: map[int64]int64{}, costs: costs{}}, known: map[string]standing{}, tally: newTally(),
		queue: make(chan *request, queueLength), turn: make(chan struct{}, 1),
		wal: wal, room: room, footing: files, hands: h, busyTimeout: o.busyTimeout,
		requests: sync.Pool{New: func() any { return &request{reply: make(chan error, 1)} }},
	}
	go w.tendLog()
	return w
}

// patience is how long is waited, beyond the caller's, for what is under way.
const patience = time.Second

// do runs a request and returns when it is durable, or why it is not. Where ctx
// ends first nothing has been written, unless the error is ErrUnknown.
func (w *writer) do(ctx context.Context, bytes int64, run func(*tx) error) error {
	r := w.requests.Get().(*request)
	r.run, r.bytes = run, bytes
	if err := w.send(ctx, r); err != nil {
		return err
	}
	for {
		select {
		case err := <-r.reply:
			return w.answered(r, err)
		case w.turn <- struct{}{}:
			w.leadFor(ctx)
			continue
		default:
			return w.await(ctx, r)
		}
	}
}

// answered is for a request whose reply has been taken.
func (w *writer) answered(r *request, err error) error {
	r.run, r.err = nil, nil
	r.state.Store(waiting)
	w.requests.Put(r)
	return err
}

// await is do for a caller that has to wait.
func (w *writer) await(ctx context.Context, r *request) error {
	l := leaveAt(ctx, w.hands.timers)
	defer l.end()
	for {
		select {
		case err := <-r.reply:
			return w.answered(r, err)
		case w.turn <- struct{}{}:
			w.leadFor(ctx)
			continue
		case <-l.done:
		case <-l.limit:
		}
		if r.state.CompareAndSwap(waiting, abandoned) {
			return l.why()
		}
		select { // for what is under way, but not for a disk that hangs
		case err := <-r.reply:
			return w.answered(r, err)
		case <-time.After(patience):
			w.hangs.Store(true)
			return fmt.Errorf("%w: %w", store.ErrUnknown, l.why())
		}
	}
}

// send puts a request into the queue. Where the queue is full and nobody leads,
// because those who waited have given up, it has room made.
func (w *writer) send(ctx context.Context, r *request) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return store.ErrClosed
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
			w.leadFor(ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// leadFor leads for a caller that has the turn.
func (w *writer) leadFor(ctx context.Context) {
	if store.Patient(ctx) {
		w.lead()
		return
	}
	w.hands.do(w.lead)
}

// lead writes what waits as one batch, and returns the turn.
func (w *writer) lead() {
	w.gather()
	if len(w.batch) > 0 {
		w.write()
	}
	clear(w.batch)
	w.batch = w.batch[:0]
	w.hangs.Store(false)
	<-w.turn
}

// gather takes the requests that wait. Where the last batch had several, those
// who were woken together with the leader first have a chance to send theirs, as
// long as that brings more.
func (w *writer) gather() {
	if w.several {
		for n := -1; n < len(w.queue) && n < maxBatch; {
			n = len(w.queue)
			goruntime.Gosched()
		}
	}
	defer func() { w.several = len(w.batch) > 1 }()
	for bytes := int64(0); len(w.batch) < maxBatch && bytes < maxBytes; {
		select {
		case r := <-w.queue:
			w.batch = append(w.batch, r)
			bytes += r.bytes
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
	err := errors.Join(w.wal.close(), w.room.close(), w.session.within(w.conn, w.session.close))
	if _, moved := w.footing.holds(); errors.Is(moved, ErrMoved) {
		err = errors.Join(err, w.leaveLog())
	}
	return errors.Join(err, w.conn.Close(), w.db.Close())
}
