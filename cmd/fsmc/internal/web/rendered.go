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
	kept map[string]func() (status int, body []byte)
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
	answer := c.kept[key]
	if answer == nil {
		if len(c.kept) >= mostKept || c.kept == nil {
			c.kept = map[string]func() (int, []byte){}
		}
		answer = sync.OnceValues(func() (int, []byte) { return render(r, position) })
		c.kept[key] = answer
	}
	c.mu.Unlock()
	return answer()
}
