//go:build cgo

package sqlite

import (
	"context"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	deleteLimits = `DELETE FROM limits WHERE machine = ?`
	insertLimit  = `INSERT INTO limits (machine, activity, at_once, rate, span) VALUES (?, ?, ?, ?, ?)`

	// selectLimited reads one empty table where no machine has a limit.
	selectLimited = `
	SELECT d.hash, l.machine, l.activity, l.at_once, l.rate, l.span
	FROM limits AS l CROSS JOIN definitions AS d WHERE d.machine = l.machine`

	claimsAhead = `
	UPDATE limited_claims SET at = ?3 WHERE machine = ?1 AND activity = ?2 AND at > ?3`
	insertClaim = `
	INSERT INTO limited_claims (machine, activity, n, at) VALUES (?, ?, ?, ?)`
	forgetClaims = `
	DELETE FROM limited_claims WHERE machine = ? AND activity = ? AND n <= ?`

	// nextOpening is when the oldest claim that counts leaves the window of a rate under
	// which something waits.
	nextOpening = `
	SELECT min(opens) FROM (
		SELECT l.span + min(?1, (
			SELECT c.at FROM limited_claims AS c
			WHERE c.machine = l.machine AND c.activity = l.activity AND c.n = 1 - l.rate + (
				SELECT max(n) FROM limited_claims AS last WHERE last.machine = l.machine AND last.activity = l.activity)
		)) AS opens
		FROM limits AS l
		WHERE l.rate > 0 AND EXISTS (
			SELECT 1 FROM definitions AS d CROSS JOIN tasks AS t
			WHERE d.machine = l.machine AND t.definition = d.hash AND t.activity = l.activity
				AND t.worker IS NULL AND t.awake = 1 AND t.not_before IS NULL
			UNION ALL
			SELECT 1 FROM definitions AS d CROSS JOIN tasks AS t
			WHERE d.machine = l.machine AND t.definition = d.hash AND t.activity = l.activity
				AND t.worker IS NULL AND t.awake = 1 AND t.not_before IS NOT NULL AND t.not_before <= ?1)
	) WHERE opens > ?1`
)

var limits = sqlrow.Limits{
	All: `SELECT machine, activity, at_once, rate, span FROM limits ORDER BY machine, activity`,
	// What is held is in the index of leases, which has no more than all workers hold. A claim
	// whose lease has run out is held until it is reclaimed, unless no one will do that.
	Held: `
	SELECT count(*) FROM tasks INDEXED BY tasks_leases
	WHERE worker IS NOT NULL AND machine = ? AND activity = ? AND (lease_until > ?
		OR cancelled = 0 AND (SELECT status FROM runs WHERE runs.run = tasks.run) <> 'halted')`,
	Last: `
	SELECT n, at FROM limited_claims WHERE machine = ? AND activity = ? ORDER BY n DESC LIMIT 1`,
	Claims: `
	SELECT n, at FROM limited_claims WHERE machine = ? AND activity = ? AND n > ? ORDER BY n LIMIT ? + 0`,
}

// putLimits makes the limits of a new definition those of its machine.
func (t *tx) putLimits(d *store.DefinitionRow) error {
	all, err := store.LimitsOf(d)
	if err != nil {
		return err
	}
	if _, err := t.exec(deleteLimits, d.Machine); err != nil {
		return err
	}
	for i := range all {
		l := &all[i]
		if _, err := t.exec(insertLimit, l.Machine, l.Activity, l.AtOnce, l.Rate, l.Window.Microseconds()); err != nil {
			return err
		}
	}
	return nil
}

// allowances are those of the activities that are asked for and have a limit.
func allowances(ctx context.Context, from sqlrow.Source, q *store.ClaimQuery) (map[store.Claimable]*sqlrow.Allowance, error) {
	limited, err := sqlrow.List(ctx, from, sqlrow.LimitOfVersion, selectLimited)
	if err != nil {
		return nil, err
	}
	asked := map[store.Claimable]bool{}
	for _, a := range q.Activities {
		asked[a] = true
	}
	limited = slices.DeleteFunc(limited, func(l sqlrow.Limited) bool { return !asked[l.Claimable()] })
	return limits.Allowances(ctx, from, limited, q.Now, q.Limit)
}

// ahead reports whether the clock has gone back behind the last claim.
func ahead(a *sqlrow.Allowance, now time.Time) bool { return a.Last.At.After(now.Add(store.Racing)) }

// claimed notes a claim.
func (t *tx) claimed(a *sqlrow.Allowance, now time.Time) error {
	forget := a.Claimed(now)
	if _, err := t.exec(insertClaim, a.Machine, a.Activity, a.Last.N, now); err != nil {
		return err
	}
	_, err := t.exec(forgetClaims, a.Machine, a.Activity, forget)
	return err
}

// catchUp makes claims that were made long after now, by a clock that has gone back since,
// claims of now: else they would hold back others for as long as the clock went back.
func (t *tx) catchUp(limited map[store.Claimable]*sqlrow.Allowance, now time.Time) (changed bool, err error) {
	for _, a := range limited {
		if ahead(a, now) {
			n, err := t.exec(claimsAhead, a.Machine, a.Activity, now)
			if changed = changed || n > 0; err != nil {
				return false, err
			}
		}
	}
	return changed, nil
}

func (s *Store) Limits(ctx context.Context, now time.Time) ([]store.LimitRow, error) {
	return reading(ctx, s, func(from sqlrow.Source) ([]store.LimitRow, error) { return limits.Read(ctx, from, now) })
}
