package postgres

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

const selectStopping = `
	SELECT run, "do", seq, epoch FROM @tasks WHERE cancelled AND worker = $1 AND lease_until > $2`

func scanClaim(found row, c *store.Claim) error { return found.Scan(&c.Run, &c.Do, &c.Seq, &c.Epoch) }

// Look implements store.Store.
func (s *Store) Look(ctx context.Context, q store.LookQuery) (w store.Work, err error) {
	w.Stopping, err = readAll(ctx, s, scanClaim, selectStopping, q.Worker, q.Now)
	return w, err
}
