package memstore

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Look implements store.Store.
func (s *Store) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	if err := s.lock(ctx); err != nil {
		return store.Work{}, err
	}
	defer s.mu.Unlock()
	var w store.Work
	for _, t := range s.tasks {
		if t.Cancelled && t.Worker == q.Worker && t.leased(micro(q.Now)) {
			w.Stopping = append(w.Stopping, t.Claim())
		}
	}
	return w, nil
}
