package temporal

import (
	"context"
	"time"
)

// mostUnderWay is how many updates of one run a client has under way. A server takes ten, and refuses more; one
// that has refused some may then answer nobody for a minute.
const mostUnderWay = 8

// turns are the updates of a run that a client has under way.
type turns struct {
	free  chan struct{}
	users int // who has one or waits for it
}

// turn waits until fewer updates of a run are under way, for as long as a worker is waited for. What it returns ends the turn.
func (c *Client) turn(ctx context.Context, run string) (done func()) {
	c.mu.Lock()
	if c.turns == nil {
		c.turns = map[string]*turns{}
	}
	of := c.turns[run]
	if of == nil {
		of = &turns{free: make(chan struct{}, mostUnderWay)}
		c.turns[run] = of
	}
	of.users++
	c.mu.Unlock()
	mine := false
	late := time.NewTimer(c.patience())
	defer late.Stop()
	select {
	case of.free <- struct{}{}:
		mine = true
	case <-late.C: // the server says what it makes of it
	case <-ctx.Done():
	}
	return func() {
		if mine {
			<-of.free
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if of.users--; of.users == 0 {
			delete(c.turns, run)
		}
	}
}
