package runtime

import (
	"context"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// hints brings what the store hears of other processes to those who wait in this one, for as
// long as anybody does.
type hints struct {
	watcher store.Watcher
	changes *changes

	mu      sync.Mutex
	waiting int
	end     func()
}

// rehear is how long is waited after a store has stopped giving hints: they spare half a
// second at most.
const rehear = time.Second

// enter begins to wait for hints, until leave is called.
func (h *hints) enter() (leave func()) {
	if h == nil {
		return func() {}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting++; h.waiting == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		var listening sync.WaitGroup
		listening.Go(func() { h.listen(ctx) })
		h.end = func() {
			cancel()
			listening.Wait()
		}
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.waiting--; h.waiting == 0 {
			h.end()
		}
	}
}

func (h *hints) listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := h.watcher.Watch(ctx, h.changes.notify); err == nil {
			return
		}
		_ = giveWay(ctx, rehear)
	}
}
