//go:build cgo

package sqlite

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

const selectStopping = `
	SELECT run, do, seq, epoch FROM tasks WHERE cancelled = 1 AND worker = ? AND lease_until > ?`

func scanClaim(found row, c *store.Claim) error { return found.Scan(&c.Run, &c.Do, &c.Seq, &c.Epoch) }

// Look implements store.Store.
func (s *Store) Look(ctx context.Context, q store.LookQuery) (w store.Work, err error) {
	w.Stopping, err = glanceAll(ctx, s, scanClaim, selectStopping, q.Worker, micros(q.Now))
	return w, err
}
