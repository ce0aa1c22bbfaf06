package main

import (
	"context"
	"sync"

	"github.com/fsmc-dev/fsmc/runtime"
)

// mailbox is where people read what sessions publish. A message that comes a
// second time is known by its id.
type mailbox struct {
	mu   sync.Mutex
	read map[string]string // events, by the messages' ids
}

func (b *mailbox) deliver(_ context.Context, m *runtime.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read == nil {
		b.read = map[string]string{}
	}
	b.read[m.ID] = m.Event
	return nil
}

// counts is how many messages there are of each event.
func (b *mailbox) counts() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := map[string]int{}
	for _, event := range b.read {
		n[event]++
	}
	return n
}
