package postgres

import (
	"context"
	"sync"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Runs that many callers read at once are read together. Who comes first reads its own, and needs no one for
// that; what comes while two are at it gathers, and is read in one statement.
const readerCount = 2

const selectRunsOf = selectRuns + ` WHERE run = ANY ($1)`

// loads are the runs that wait to be read.
type loads struct {
	mu    sync.Mutex
	queue []*loading
	busy  int // readers at work
}

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
		return readAll(ctx, s, scanRun, selectRun, run)
	}
	waits := s.loads.enter(run)
	if waits == nil {
		defer func() {
			if !s.loads.leave() {
				go s.reader()
			}
		}()
		return readAll(ctx, s, scanRun, selectRun, run)
	}
	select {
	case got := <-waits.reply:
		return got.rows, got.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// enter queues a run that is to be read, or gives nil to a caller who reads it itself.
func (l *loads) enter(run string) *loading {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy < readerCount {
		l.busy++
		return nil
	}
	waits := &loading{run, make(chan loaded, 1)}
	l.queue = append(l.queue, waits)
	return waits
}

// leave ends the work of a reader if nothing waits, and reports whether it has.
func (l *loads) leave() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) > 0 {
		return false
	}
	l.busy--
	return true
}

// take gives what is to be read next.
func (l *loads) take() []*loading {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.queue), maxBatch)
	next := l.queue[:n:n]
	l.queue = l.queue[n:]
	return next
}

// reader reads what waits until nothing does.
func (s *Store) reader() {
	for done := false; !done; done = s.loads.leave() {
		s.readTogether(s.loads.take())
	}
}

// readTogether reads runs in one statement.
func (s *Store) readTogether(all []*loading) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	names := make([]string, len(all))
	for i, waits := range all {
		names[i] = waits.run
	}
	rows, err := readAll(ctx, s, scanRun, selectRunsOf, names)
	at := map[string]int{}
	for i := range rows {
		at[rows[i].Run] = i
	}
	for _, waits := range all {
		got := loaded{err: err}
		if i, found := at[waits.run]; found && err == nil {
			got.rows = rows[i : i+1 : i+1]
		}
		waits.reply <- got
	}
}
