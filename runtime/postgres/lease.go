package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	// claimed is a task that is held under a claim.
	claimed = ` run = $1 AND "do" = $2 AND seq = $3 AND epoch = $4 AND worker IS NOT NULL`
	// current is a claim that is: the lease of a cancelled task ends it, that of another does not.
	current = claimed + ` AND (NOT cancelled OR lease_until > $5)`

	renewLease = `
	WITH renewed AS (
		UPDATE @tasks SET lease_until = $6, beat = $5, progress = CASE WHEN $7 :: text IS NULL THEN progress ELSE $5 END
		WHERE` + current + ` RETURNING run, key, cancelled),
	kept AS (
		INSERT INTO @checkpoints (key, run, at, data)
		SELECT key, run, $5, $7 FROM renewed WHERE $7 :: text IS NOT NULL
		ON CONFLICT (key) DO UPDATE SET at = excluded.at, data = excluded.data)
	SELECT cancelled FROM renewed`

	lockLease = `
	SELECT id, cancelled FROM @tasks WHERE` + current + ` FOR UPDATE`
	release = `
	UPDATE @tasks SET queued = $2, not_before = $3, ` + released + ` WHERE id = $1`
	deleteTask = `
	DELETE FROM @tasks WHERE id = $1`
	confirm = `
	DELETE FROM @tasks WHERE` + current + ` AND cancelled`
	reclaim = `
	UPDATE @tasks SET queued = $5, not_before = NULL, lost = lost + 1, ` + released + `
	WHERE` + claimed + ` AND NOT cancelled AND lease_until <= $5`
)

// Renew implements store.Store.
func (s *Store) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	return writing(ctx, s, func(ctx context.Context, t *tx) (bool, error) {
		cancelled, ok, err := first(ctx, t, scanOne[bool], renewLease, c.Run, c.Do, c.Seq, c.Epoch, now, until, text(checkpoint))
		if err == nil && !ok {
			err = machine.ErrFenced
		}
		return cancelled, err
	})
}

// lease is a claim as it stands.
type lease struct {
	id        int64
	cancelled bool
}

// Release implements store.Store.
func (s *Store) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	return s.write(ctx, func(ctx context.Context, t *tx) error {
		l, ok, err := first(ctx, t, func(found row, l *lease) error {
			return found.Scan(&l.id, &l.cancelled)
		}, lockLease, c.Run, c.Do, c.Seq, c.Epoch, now)
		switch {
		case err != nil:
		case !ok:
			err = machine.ErrFenced
		case l.cancelled:
			_, err = t.exec(ctx, deleteTask, l.id)
		default:
			_, err = t.exec(ctx, release, l.id, now, optional(notBefore))
		}
		return err
	})
}

// Confirm implements store.Store.
func (s *Store) Confirm(ctx context.Context, c store.Claim, now time.Time) error {
	return s.writeClaimed(ctx, confirm, &c, now)
}

// Reclaim implements store.Store.
func (s *Store) Reclaim(ctx context.Context, c store.Claim, now time.Time) error {
	return s.writeClaimed(ctx, reclaim, &c, now)
}

// writeClaimed runs a statement about a task that is held under a claim.
func (s *Store) writeClaimed(ctx context.Context, text string, c *store.Claim, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, t *tx) error {
		n, err := t.exec(ctx, text, c.Run, c.Do, c.Seq, c.Epoch, now)
		if err != nil {
			return err
		}
		return fenced(n)
	})
}
