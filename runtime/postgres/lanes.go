package postgres

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Group commit. Callers queue; a lane takes all that wait and writes them in one round trip
// and one transaction (batch.go). There are two, so that one batch is made while the disk syncs the
// other: what comes meanwhile gathers, and the more callers, the more of them share a sync. A lane
// is a goroutine while there is something to do. It has a connection only for a batch. Of one run
// there is one commit in a batch, and none in two batches under way: the next one waits
// here, and not for a lock of the server.
const (
	laneCount = 2
	maxBatch  = 128     // commits in one transaction: bounds how long the first one waits
	maxBytes  = 1 << 20 // of a batch that takes another commit

	// leaving is for how long a caller whose context has ended waits for what is under way.
	leaving = time.Second
)

// request is a commit that waits for a lane.
type request struct {
	*commit
	before   standing             // the run that is to be moved
	children map[string]*standing // that new tasks have; only of one that is written alone

	bytes int
	err   error      // what has become of it
	reply chan error // of length 1: a lane never waits for a caller

	sealed bool // it is being written
	gone   bool // its caller has left before that
}

// lanes are the queue of a store, and what is under way.
type lanes struct {
	mu     sync.Mutex
	queue  []*request
	moving map[string]struct{} // runs of batches under way
	busy   int                 // lanes at work
	recent int                 // commits in the last batches, each of which counts half as much as the next
}

// together has a lane write a commit. The error is errAlone for one that has to be
// written in a transaction of its own; nothing of it has been written then, unless it is in doubt.
func (s *Store) together(ctx context.Context, w *commit) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	r := &request{commit: w, bytes: w.Size(), reply: make(chan error, 1)}
	if s.lanes.enter(r) {
		go s.lane()
	}
	select {
	case err := <-r.reply:
		return err
	case <-ctx.Done():
	}
	if s.lanes.leave(r) {
		return context.Cause(ctx)
	}
	select {
	case err := <-r.reply:
		return err
	case <-time.After(leaving):
		return fmt.Errorf("%w: %w", store.ErrUnknown, context.Cause(ctx))
	}
}

// enter queues a request, and reports whether a lane is to be set to work.
func (l *lanes) enter(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, r)
	if l.busy == laneCount {
		return false
	}
	l.busy++
	return true
}

// leave reports whether a request can still be withdrawn, which it then is.
func (l *lanes) leave(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.gone = !r.sealed
	return r.gone
}

// lane writes what waits, a batch at a time, until nothing does that it may write.
func (s *Store) lane() {
	for {
		s.lanes.gather()
		batch := s.lanes.take()
		if len(batch) == 0 {
			return
		}
		s.writeBatch(batch)
		s.lanes.free(batch)
		for _, r := range batch {
			r.reply <- r.err
		}
	}
}

// gather gives others a chance to send their commits, too, as long as that brings more: those whom the last batch
// has woken, and those whose work began together. A lone caller does not wait for who does not commit.
func (l *lanes) gather() {
	for before := -1; ; goruntime.Gosched() {
		l.mu.Lock()
		n, recent := len(l.queue), l.recent
		l.mu.Unlock()
		if recent < 2 || n <= before || n >= maxBatch {
			return
		}
		before = n
	}
}

// take gives the next batch. Where there is none the lane is not at work any more.
func (l *lanes) take() (batch []*request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	bytes := 0
	l.queue = slices.DeleteFunc(l.queue, func(r *request) bool {
		if r.gone {
			return true
		}
		if _, moving := l.moving[r.Run.Run]; moving || len(batch) == maxBatch || bytes >= maxBytes {
			return false
		}
		l.moving[r.Run.Run] = struct{}{}
		bytes += r.bytes
		batch = append(batch, r)
		return true
	})
	if len(batch) == 0 {
		l.busy--
		return nil
	}
	l.recent = (l.recent + len(batch)) / 2
	return batch
}

// seal gives those of a batch whose callers have not left. They wait from then on.
func (l *lanes) seal(batch []*request) (sealed []*request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range batch {
		if r.sealed = !r.gone; r.sealed {
			sealed = append(sealed, r)
		}
	}
	return sealed
}

// free lets the next commits of the runs of a batch be written.
func (l *lanes) free(batch []*request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range batch {
		delete(l.moving, r.Run.Run)
	}
}
