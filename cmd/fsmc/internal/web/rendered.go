package web

import (
	"context"
	"fmt"
	"net/http"
	"sync"
)

// rendered keeps pages that have been written, so that a step is rendered once for an address, whoever
// asks and how many do. They are kept for a second at most: they have times, and not all that they show is a step.
type rendered struct {
	mu   sync.Mutex
	kept map[string]*answer
}

// answer is a page as it was written.
type answer struct {
	done   chan struct{} // closed when it is there
	status int
	body   []byte
}

const mostKept = 200

// of gives the page of a request: the one that is kept, or what render makes, which shows all steps up to a position.
func (c *rendered) of(s *Site, r *http.Request, render func(r *http.Request, position int64) (int, []byte)) (int, []byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), limit) // others may wait for it
	defer cancel()
	r = r.WithContext(ctx)
	// What the store has, and not what the hub has seen of it: who has just done something sees it.
	position, err := s.Engine.FeedEnd(ctx)
	if err != nil {
		return render(r, 0) // which says that the store does not answer
	}
	key := fmt.Sprintf("%d %d %t %s", position, s.now().Unix(), s.mayWrite(r), r.URL.RequestURI())
	c.mu.Lock()
	a := c.kept[key]
	mine := a == nil
	if mine {
		if len(c.kept) >= mostKept || c.kept == nil {
			c.kept = map[string]*answer{}
		}
		a = &answer{done: make(chan struct{})}
		c.kept[key] = a
	}
	c.mu.Unlock()
	if mine {
		defer close(a.done)
		a.status, a.body = http.StatusInternalServerError, []byte("this page cannot be written; the log says why") // should render panic
		a.status, a.body = render(r, position)
		return a.status, a.body
	}
	<-a.done
	return a.status, a.body
}
