//go:build cgo

package sqlite

import (
	"context"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// leave says when the caller of a call wants to leave: when its own context ends, or at the
// deadline of the call. It is ended when nobody waits for it any more.
type leave struct {
	ctx   context.Context
	done  <-chan struct{}
	limit <-chan time.Time // nil where done is all of it
	timer *time.Timer
	from  *sync.Pool
}

// newTimers has timers that nobody uses: a call that waits has one for a moment. Each store has its
// own, for a timer of testing/synctest is of no use outside the test that made it.
func newTimers() *sync.Pool {
	return &sync.Pool{New: func() any { return time.NewTimer(time.Hour) }}
}

func leaveAt(ctx context.Context, timers *sync.Pool) leave {
	caller := store.Caller(ctx)
	l := leave{ctx: ctx, done: caller.Done()}
	if deadline, ok := ctx.Deadline(); ok && caller != ctx {
		l.timer, l.from = timers.Get().(*time.Timer), timers
		l.timer.Reset(time.Until(deadline))
		l.limit = l.timer.C
	}
	return l
}

// why is for a caller that leaves.
func (l *leave) why() error {
	<-l.ctx.Done() // the deadline of which has passed
	return context.Cause(l.ctx)
}

func (l *leave) end() {
	if l.timer != nil && l.timer.Stop() {
		l.from.Put(l.timer)
	}
}
