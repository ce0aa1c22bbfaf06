//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	selectLease = `
	SELECT id, key, cancelled, lease_until FROM tasks
	WHERE run = ? AND do = ? AND seq = ? AND epoch = ? AND worker IS NOT NULL`
	renewLease = `
	UPDATE tasks SET lease_until = ?, beat = ? WHERE id = ?`
	noteProgress = `
	UPDATE tasks SET progress = ? WHERE id = ?`
	upsertCheckpoint = `
	INSERT INTO checkpoints (key, run, at, data) VALUES (?, ?, ?, ?)
	ON CONFLICT (key) DO UPDATE SET at = excluded.at, data = excluded.data`
	release = `
	UPDATE tasks SET queued = ?, not_before = CASE ended WHEN 1 THEN coalesce(max(?2, ` + leftUntil + `), ?2, ` + leftUntil + `) ELSE ?2 END,
		lost = lost + ?, ` + released + ` WHERE id = ?`
	deleteTask = `
	DELETE FROM tasks WHERE id = ?`
)

// lease is a claim as it stands.
type lease struct {
	id        int64
	key       string
	cancelled bool
	until     int64
}

func scanLease(found sqlrow.Row, l *lease) error {
	return found.Scan(&l.id, &l.key, &l.cancelled, &l.until)
}

// lease finds the claim, or says ErrFenced. The lease of a cancelled task ends
// the claim, that of another does not.
func (t *tx) lease(ctx context.Context, c *store.Claim, now time.Time) (lease, error) {
	l, ok, err := sqlrow.First(ctx, t, scanLease, selectLease, c.Run, c.Do, c.Seq, c.Epoch)
	if err == nil && (!ok || l.cancelled && l.until <= micros(now)) {
		err = machine.ErrFenced
	}
	return l, err
}

func (t *tx) renew(ctx context.Context, c *store.Claim, l lease, now, until time.Time) error {
	_, err := t.exec(renewLease, micros(until), micros(now), l.id)
	if err == nil && l.cancelled {
		err = t.renewed(ctx, c.Run)
	}
	return err
}

func (s *Store) Renew(ctx context.Context, c store.Claim, now, until time.Time, checkpoint json.RawMessage) (cancelled bool, err error) {
	return writing(ctx, s, func(t *tx) (bool, error) {
		l, err := t.lease(ctx, &c, now)
		if err != nil {
			return false, err
		}
		if err := t.renew(ctx, &c, l, now, until); err != nil || checkpoint == nil {
			return l.cancelled, err
		}
		failpoint.Hit(failpoint.LeaseRenewed)
		if _, err := t.exec(noteProgress, micros(now), l.id); err != nil {
			return false, err
		}
		failpoint.Hit(failpoint.ProgressNoted)
		_, err = t.exec(upsertCheckpoint, l.key, c.Run, micros(now), text(checkpoint))
		return l.cancelled, err
	})
}

func (s *Store) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	return writing(ctx, s, func(t *tx) (r store.Renewed, err error) {
		for i := range claims {
			l, err := t.lease(ctx, &claims[i], now)
			switch {
			case errors.Is(err, machine.ErrFenced):
				r.Fenced = append(r.Fenced, claims[i])
				continue
			case err != nil:
				return r, err
			case l.cancelled:
				r.Cancelled = append(r.Cancelled, claims[i])
			}
			if err := t.renew(ctx, &claims[i], l, now, until); err != nil {
				return r, err
			}
			failpoint.Hit(failpoint.LeaseRenewed)
		}
		return r, nil
	})
}

// writeClaimed writes under a claim.
func (s *Store) writeClaimed(ctx context.Context, c *store.Claim, now time.Time, f func(*tx, lease) error) error {
	return s.write(ctx, func(t *tx) error {
		l, err := t.lease(ctx, c, now)
		if err != nil {
			return err
		}
		return f(t, l)
	})
}

func (s *Store) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	return s.writeClaimed(ctx, &c, now, func(t *tx, l lease) error {
		if l.cancelled {
			return t.stopped(&c, l.id, now)
		}
		_, err := t.exec(release, micros(now), optional(notBefore), 0, l.id)
		failpoint.Hit(failpoint.Released)
		return err
	})
}

func (s *Store) Confirm(ctx context.Context, c store.Claim, now time.Time) error {
	return s.writeClaimed(ctx, &c, now, func(t *tx, l lease) error {
		if !l.cancelled {
			return machine.ErrFenced
		}
		return t.stopped(&c, l.id, now)
	})
}

func (s *Store) Reclaim(ctx context.Context, c store.Claim, now time.Time) error {
	return s.writeClaimed(ctx, &c, now, func(t *tx, l lease) error {
		if l.cancelled || l.until > micros(now) {
			return machine.ErrFenced
		}
		_, err := t.exec(release, micros(now), sql.NullInt64{}, 1, l.id)
		return err
	})
}
