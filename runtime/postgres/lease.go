package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
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

	// renewLeases renews those of several claims that no one has locked, and says which.
	renewLeases = `
	WITH locked AS (
		SELECT t.id, c.n FROM unnest($1 :: text[], $2 :: text[], $3 :: bigint[], $4 :: bigint[]) WITH ORDINALITY AS c (run, "do", seq, epoch, n)
		JOIN @tasks AS t ON t.run = c.run AND t.do = c.do AND t.seq = c.seq AND t.epoch = c.epoch
		WHERE t.worker IS NOT NULL AND (NOT t.cancelled OR t.lease_until > $5)
		FOR UPDATE OF t SKIP LOCKED)
	UPDATE @tasks AS t SET lease_until = $6, beat = $5 FROM locked WHERE t.id = locked.id
	RETURNING locked.n, t.cancelled`

	lockLease = `
	SELECT id, cancelled FROM @tasks WHERE` + current + ` FOR UPDATE`
	release = `
	UPDATE @tasks AS t SET queued = $2, not_before = CASE WHEN ended THEN greatest($3, ` + leftUntil + `) ELSE $3 END, ` + released + ` WHERE id = $1`
	deleteTask = `
	DELETE FROM @tasks WHERE id = $1`
	confirm = `
	DELETE FROM @tasks WHERE` + current + ` AND cancelled`
	reclaim = `
	UPDATE @tasks AS t SET queued = $5, not_before = CASE WHEN ended THEN ` + leftUntil + ` END, lost = lost + 1, ` + released + `
	WHERE` + claimed + ` AND NOT cancelled AND lease_until <= $5`
)

func (s *Store) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	return writing(ctx, s, func(ctx context.Context, t *tx) (bool, error) {
		cancelled, ok, err := sqlrow.First(ctx, t, sqlrow.One[bool], renewLease, c.Run, c.Do, c.Seq, c.Epoch, now, until, text(checkpoint))
		if err == nil && !ok {
			err = machine.ErrFenced
		}
		if err == nil && cancelled {
			err = t.renewed(ctx, []store.Claim{c}, until)
		}
		return cancelled, err
	})
}

// RenewAll implements store.Store. A task that another transaction has locked, which may end
// it, holds up no other: it comes behind them, alone.
func (s *Store) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (r store.Renewed, err error) {
	if len(claims) == 0 {
		return r, nil
	}
	renewed, err := writing(ctx, s, func(ctx context.Context, t *tx) (map[int]bool, error) {
		return t.renewFree(ctx, claims, now, until)
	})
	if err != nil {
		return r, err
	}
	for i, c := range claims {
		var err error
		cancelled, done := renewed[i+1]
		if !done {
			cancelled, err = s.Renew(ctx, c, now, until, nil)
		}
		switch {
		case errors.Is(err, machine.ErrFenced):
			r.Fenced = append(r.Fenced, c)
		case err != nil:
			return r, err
		case cancelled:
			r.Cancelled = append(r.Cancelled, c)
		}
	}
	return r, nil
}

// renewFree renews the claims whose tasks no one has locked, and says by their numbers, from
// 1, which these are, and whether their tasks have been cancelled.
func (t *tx) renewFree(ctx context.Context, claims []store.Claim, now, until time.Time) (map[int]bool, error) {
	type one struct {
		n         int
		cancelled bool
	}
	var runs, dos []string
	var seqs, epochs []int64
	for _, c := range claims {
		runs, dos = append(runs, c.Run), append(dos, c.Do)
		seqs, epochs = append(seqs, c.Seq), append(epochs, c.Epoch)
	}
	all, err := sqlrow.List(ctx, t, func(found sqlrow.Row, o *one) error {
		return found.Scan(&o.n, &o.cancelled)
	}, renewLeases, runs, dos, seqs, epochs, now, until)
	renewed := map[int]bool{}
	var stopping []store.Claim
	for _, o := range all {
		if renewed[o.n] = o.cancelled; o.cancelled {
			stopping = append(stopping, claims[o.n-1])
		}
	}
	if err == nil {
		err = t.renewed(ctx, stopping, until)
	}
	return renewed, err
}

// lease is a claim as it stands.
type lease struct {
	id        int64
	cancelled bool
}

func (s *Store) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	return s.write(ctx, func(ctx context.Context, t *tx) error {
		if err := t.lockParent(ctx, c.Run); err != nil {
			return err
		}
		l, ok, err := sqlrow.First(ctx, t, func(found sqlrow.Row, l *lease) error {
			return found.Scan(&l.id, &l.cancelled)
		}, lockLease, c.Run, c.Do, c.Seq, c.Epoch, now)
		switch {
		case err != nil:
		case !ok:
			err = machine.ErrFenced
		case l.cancelled:
			if _, err = t.exec(ctx, deleteTask, l.id); err == nil {
				err = t.stopped(ctx, c.Run, now)
			}
		default:
			_, err = t.exec(ctx, release, l.id, now, optional(notBefore))
		}
		return err
	})
}

func (s *Store) Confirm(ctx context.Context, c store.Claim, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, t *tx) error {
		err := t.lockParent(ctx, c.Run)
		if err == nil {
			err = t.writeClaimed(ctx, confirm, &c, now)
		}
		if err == nil {
			err = t.stopped(ctx, c.Run, now)
		}
		return err
	})
}

func (s *Store) Reclaim(ctx context.Context, c store.Claim, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, t *tx) error { return t.writeClaimed(ctx, reclaim, &c, now) })
}

// writeClaimed runs a statement about a task that is held under a claim.
func (t *tx) writeClaimed(ctx context.Context, text string, c *store.Claim, now time.Time) error {
	t.queue(fenced, text, c.Run, c.Do, c.Seq, c.Epoch, now)
	return t.flush(ctx)
}
