package runtime

import (
	"container/list"
	"context"
	"sync"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// maxCached is how many runs an engine keeps in memory that no one works on.
const maxCached = 1024

// liveRuns serialises what one process does to one run, and remembers how runs
// stood after this engine's last write to them. What it remembers may be stale
// where other processes write to the same store: a commit finds that out.
type liveRuns struct {
	mu   sync.Mutex
	runs map[string]*liveRun
	idle list.List // of *liveRun that no one holds, the oldest first
}

// liveRun is a run that someone holds, waits for, or has held lately.
type liveRun struct {
	id    string
	turn  chan struct{} // holds one token while no one has the lock
	users int
	place *list.Element // in idle

	host     *host             // guarded by the turn
	snapshot *machine.Snapshot // nil where nothing is remembered
}

// lock waits for its turn with run. The caller calls unlock.
func (l *liveRuns) lock(ctx context.Context, run string) (*liveRun, error) {
	r := l.enter(run)
	select {
	case <-r.turn:
		return r, nil
	default: // and who need not wait asks nothing of ctx
	}
	select {
	case <-r.turn:
		return r, nil
	case <-ctx.Done():
		l.leave(r)
		return nil, context.Cause(ctx)
	}
}

func (l *liveRuns) unlock(r *liveRun) {
	r.turn <- struct{}{}
	l.leave(r)
}

func (l *liveRuns) enter(run string) *liveRun {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.runs[run]
	if r == nil {
		r = &liveRun{id: run, turn: make(chan struct{}, 1)}
		r.turn <- struct{}{}
		if l.runs == nil {
			l.runs = map[string]*liveRun{}
		}
		l.runs[run] = r
	}
	if r.place != nil {
		l.idle.Remove(r.place)
		r.place = nil
	}
	r.users++
	return r
}

// leave makes r idle where no one else wants it, and forgets the run that has
// been idle longest where there are too many.
func (l *liveRuns) leave(r *liveRun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.users--; r.users > 0 {
		return
	}
	r.place = l.idle.PushBack(r)
	if l.idle.Len() > maxCached {
		oldest := l.idle.Remove(l.idle.Front()).(*liveRun)
		delete(l.runs, oldest.id)
	}
}

// forget drops what is remembered of the run.
func (r *liveRun) forget() { r.host, r.snapshot = nil, nil }
