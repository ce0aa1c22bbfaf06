package web

import (
	"context"
	"sync"
	"time"
)

// kept is a value that is looked up by one, and used by all until it is old.
type kept[T any] struct {
	mu    sync.Mutex
	at    time.Time
	value T
}

// get gives the value, at most so old as age. Who waits for another's look has its answer.
func (k *kept[T]) get(ctx context.Context, now time.Time, age time.Duration, look func(context.Context) (T, error)) (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.at.IsZero() && now.Sub(k.at) < age {
		return k.value, nil
	}
	v, err := look(ctx)
	if err != nil {
		return v, err
	}
	k.at, k.value = now, v
	return v, nil
}

// forget makes the next look a real one.
func (k *kept[T]) forget() {
	k.mu.Lock()
	k.at = time.Time{}
	k.mu.Unlock()
}
