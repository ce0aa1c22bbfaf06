package runtime

import (
	"bytes"
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
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

	read decoded // guarded by the mutex of liveRuns
}

// decoded is a run as it was written last: each attempt looks at the run, and so does who waits
// for it. To read a thousand elements of a list takes a while.
type decoded struct {
	definition string
	text       []byte
	snapshot   *machine.Snapshot // nil where it is not known
}

// note remembers what has been written of the run.
func (l *liveRuns) note(r *liveRun, read decoded) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.read = read
}

// remember keeps a run as an attempt has read it, for the step at its end. What its last writer knows of it stands.
func (l *liveRuns) remember(run string, h *host, s *machine.Snapshot) {
	r := l.enter(run)
	defer l.leave(r)
	select {
	case <-r.turn:
		if r.snapshot == nil {
			r.host, r.snapshot = h, s
		}
		r.turn <- struct{}{}
	default: // someone writes it now
	}
}

// known is the run as it has been remembered, if what is stored is the same.
func (l *liveRuns) known(row *store.RunRow) *machine.Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.runs[row.Run]
	if r == nil || r.read.definition != row.Definition || !bytes.Equal(r.read.text, row.Snapshot) {
		return nil
	}
	return r.read.snapshot
}

// lock waits for its turn with run, no longer than the limit. The caller calls unlock.
func (l *liveRuns) lock(ctx context.Context, run string, limit time.Duration) (*liveRun, error) {
	r := l.enter(run)
	select {
	case <-r.turn:
		return r, nil
	default: // and who need not wait asks nothing of ctx
	}
	within := store.NewCall(ctx, limit, errNoTurn)
	defer within.Release()
	select {
	case <-r.turn:
		return r, nil
	case <-within.Done():
		l.leave(r)
		return nil, context.Cause(within)
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
