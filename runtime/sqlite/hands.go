//go:build cgo

package sqlite

import "sync"

// hands are goroutines that make the calls which may hang, in place of callers who want
// to be able to leave. A few stay for the next call: a new one would first have to grow
// its stack to what a query needs.
type hands struct {
	calls  chan func()
	stay   chan struct{} // holds a token for each that waits
	quit   chan struct{}
	timers *sync.Pool // of callers that may leave
}

// maxHands is how many wait for calls.
const maxHands = 8

func newHands() *hands {
	return &hands{calls: make(chan func()), stay: make(chan struct{}, maxHands), quit: make(chan struct{}), timers: newTimers()}
}

// do has f called, and does not wait for it.
func (h *hands) do(f func()) {
	select {
	case h.calls <- f:
	default:
		go h.serve(f)
	}
}

func (h *hands) serve(f func()) {
	for {
		f()
		f = nil // what it has found
		select {
		case h.stay <- struct{}{}:
		default:
			return
		}
		select {
		case f = <-h.calls:
		case <-h.quit:
		}
		<-h.stay
		if f == nil {
			return
		}
	}
}

// close lets those go that wait, and the others when their calls have ended.
func (h *hands) close() { close(h.quit) }
