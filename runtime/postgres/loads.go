package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Runs that many callers read at once are read together. Who comes first reads its own, and needs no one for
// that; what comes while two are at it gathers, and is read in one statement.
const readerCount = 2

var (
	// slowAfter is for how long a reader is waited for. One that takes longer may have a connection whose other end is gone:
	// from then on it does not count, so that others read, on other connections.
	slowAfter = time.Second

	// readLimit is for how long runs are read together. It is longer than a lost connection and what is tried
	// after that take, and ends what hangs for another reason, such as a lock of the whole table.
	readLimit = silentFor + patience
)

const selectRunsOf = selectRuns + ` WHERE run = ANY ($1)`

// loads are the runs that wait to be read.
type loads struct {
	mu      sync.Mutex
	queue   []*loading
	readers []*reader // at work
}

// reader is at work on what it has begun at a time.
type reader struct{ begun time.Time }

// loading is a run that waits to be read.
type loading struct {
	run   string
	reply chan loaded // of length 1: a reader never waits for a caller
}

// loaded is what has been read of a run that is not in the archive: no row where there is none.
type loaded struct {
	rows []store.RunRow
	err  error
}

// load reads a run that is not in the archive, together with others where many are read.
func (s *Store) load(ctx context.Context, run string) ([]store.RunRow, error) {
	if s.within != nil {
		return readAll(ctx, s, sqlrow.Run, selectRun, run)
	}
	r, waits := s.loads.enter(run)
	for r == nil {
		slow := time.NewTimer(slowAfter)
		select {
		case got := <-waits.reply:
			slow.Stop()
			return got.rows, got.err
		case <-ctx.Done():
			slow.Stop()
			s.loads.withdraw(waits)
			return nil, context.Cause(ctx)
		case <-slow.C:
			r = s.loads.instead(waits)
		}
	}
	defer func() {
		if !s.loads.leave(r) {
			go s.reads(r)
		}
	}()
	return readAll(ctx, s, sqlrow.Run, selectRun, run)
}

// enter gives a reader to a caller who reads a run itself, or queues it.
func (l *loads) enter(run string) (*reader, *loading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.another(); r != nil {
		return r, nil
	}
	waits := &loading{run, make(chan loaded, 1)}
	l.queue = append(l.queue, waits)
	return nil, waits
}

// instead gives a reader to a caller who has waited for one that is slow, and nil if none is.
func (l *loads) instead(waits *loading) *reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.another()
	if r != nil {
		l.remove(waits)
	}
	return r
}

// another gives one more reader if there are not enough that are quick. The lock is held.
func (l *loads) another() *reader {
	now, quick := time.Now(), 0
	for _, r := range l.readers {
		if now.Sub(r.begun) < slowAfter {
			quick++
		}
	}
	if quick >= readerCount {
		return nil
	}
	r := &reader{now}
	l.readers = append(l.readers, r)
	return r
}

// withdraw takes a run from the queue whose caller has left.
func (l *loads) withdraw(waits *loading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(waits)
}

// remove takes a run from the queue. The lock is held.
func (l *loads) remove(waits *loading) {
	l.queue = slices.DeleteFunc(l.queue, func(other *loading) bool { return other == waits })
}

// leave ends the work of a reader if nothing waits, and reports whether it has.
func (l *loads) leave(r *reader) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) > 0 {
		return false
	}
	l.readers = slices.DeleteFunc(l.readers, func(other *reader) bool { return other == r })
	return true
}

// take gives a reader what is to be read next.
func (l *loads) take(r *reader) []*loading {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.queue), maxBatch)
	next := l.queue[:n:n]
	l.queue, r.begun = l.queue[n:], time.Now()
	return next
}

// reads has a reader read what waits until nothing does.
func (s *Store) reads(r *reader) {
	for done := false; !done; done = s.loads.leave(r) {
		s.readTogether(s.loads.take(r))
	}
}

// readTogether reads runs in one statement.
func (s *Store) readTogether(all []*loading) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), readLimit, fmt.Errorf(
		"%w: it has not answered for %s: see whether it can be reached, and what it waits for", ErrServer, readLimit))
	defer cancel()
	names := make([]string, len(all))
	for i, waits := range all {
		names[i] = waits.run
	}
	var rows []store.RunRow
	err := s.read(ctx, func(ctx context.Context, t *tx) error {
		t.usePlans()
		ask(t, &rows, sqlrow.Run, selectRunsOf, names)
		return t.flush(ctx)
	})
	at, given := map[string]int{}, map[string]bool{}
	for i := range rows {
		at[rows[i].Run] = i
	}
	for _, waits := range all {
		got := loaded{err: err}
		if i, found := at[waits.run]; found && err == nil {
			got.rows = rows[i : i+1 : i+1]
			if given[waits.run] { // what each caller has is its own
				got.rows = []store.RunRow{rows[i]}
				got.rows[0].Snapshot, got.rows[0].Tags = slices.Clone(rows[i].Snapshot), maps.Clone(rows[i].Tags)
			}
			given[waits.run] = true
		}
		waits.reply <- got
	}
}
