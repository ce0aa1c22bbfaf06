package runtime

import (
	"strings"
	"sync"
)

// changes wakes those in this process who wait for something to happen: to one
// run, or to any. A wake-up says only that something may have changed.
type changes struct {
	hints *hints // of other processes; nil where the store has none

	mu      sync.Mutex
	waiting map[string]map[chan struct{}]struct{} // by run; "" for any
}

// watch gives a channel that receives after each change of run (any run: ""),
// until stop is called. Changes that no one has received yet are one.
func (c *changes) watch(run string) (woken <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	leave := c.hints.enter()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[run] == nil {
		c.waiting[run] = map[chan struct{}]struct{}{}
	}
	c.waiting[run][ch] = struct{}{}
	return ch, func() {
		leave()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting[run], ch)
		if len(c.waiting[run]) == 0 {
			delete(c.waiting, run)
		}
	}
}

// notify wakes those who watch run, or a run that it is below, and those who watch any; those
// alone where run is empty.
func (c *changes) notify(run string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for more := true; more; {
		key := run
		if i := strings.LastIndexByte(run, '/'); run == "" {
			more = false
		} else {
			run = run[:max(i, 0)]
		}
		for ch := range c.waiting[key] {
			wake(ch)
		}
	}
}
