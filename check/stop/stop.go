// Package stop lets a check be given up: what takes long polls, and unwinds.
package stop

import "context"

// Given is what Poll panics with. Whoever began the check recovers it.
var Given = given{}

type given struct{}

// Stop says whether a check is given up. It is for one goroutine; a nil Stop never is.
type Stop struct {
	done <-chan struct{}
	n    uint
}

// On is a Stop that gives up when ctx is done.
func On(ctx context.Context) *Stop {
	if ctx.Done() == nil {
		return nil
	}
	return &Stop{done: ctx.Done()}
}

// often is how many polls one look at the context is for: a poll costs nothing then,
// and what lies between two takes no more than a millisecond.
const often = 64

// Poll panics with Given where the check is given up.
func (s *Stop) Poll() {
	if s != nil {
		if s.n++; s.n%often == 0 {
			s.Look()
		}
	}
}

// Look is Poll that looks at once.
func (s *Stop) Look() {
	if s == nil {
		return
	}
	select {
	case <-s.done:
		panic(Given)
	default:
	}
}
