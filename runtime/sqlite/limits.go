//go:build cgo

package sqlite

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	deleteLimits = `DELETE FROM limits WHERE machine = ?`
	insertLimit  = `INSERT INTO limits (machine, activity, at_once, rate, span) VALUES (?, ?, ?, ?, ?)`
	selectLimits = `SELECT machine, activity, at_once, rate, span FROM limits ORDER BY machine, activity`

	// selectLimited reads one empty table where no machine has a limit.
	selectLimited = `
	SELECT d.hash, l.machine, l.activity, l.at_once, l.rate, l.span
	FROM limits AS l CROSS JOIN definitions AS d WHERE d.machine = l.machine`

	// What is held is in the index of leases, which has no more than all workers hold. A claim
	// whose lease has run out is held until it is reclaimed, unless no one will do that.
	countHeld = `
	SELECT count(*) FROM tasks INDEXED BY tasks_leases
	WHERE worker IS NOT NULL AND machine = ? AND activity = ? AND (lease_until > ?
		OR cancelled = 0 AND (SELECT status FROM runs WHERE runs.run = tasks.run) <> 'halted')`
	selectLastClaim = `
	SELECT n, at FROM limited_claims WHERE machine = ? AND activity = ? ORDER BY n DESC LIMIT 1`
	selectClaims = `
	SELECT n, at FROM limited_claims WHERE machine = ? AND activity = ? AND n > ? ORDER BY n LIMIT ? + 0`
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

// allowance is how many tasks of an activity a claim may take.
type allowance struct {
	store.ActivityLimit
	free int
	last limitedClaim // the zero one for none
}

type limitedClaim struct{ n, at int64 }

func scanLimitedClaim(found row, c *limitedClaim) error { return found.Scan(&c.n, &c.at) }

// putLimits makes the limits of a new definition those of its machine.
func (t *tx) putLimits(d *store.DefinitionRow) error {
	limits, err := store.LimitsOf(d)
	if err != nil {
		return err
	}
	if _, err := t.exec(deleteLimits, d.Machine); err != nil {
		return err
	}
	for i := range limits {
		l := &limits[i]
		if _, err := t.exec(insertLimit, l.Machine, l.Activity, l.AtOnce, l.Rate, l.Window.Microseconds()); err != nil {
			return err
		}
	}
	return nil
}

// allowances are those of the activities that are asked for and have a limit. They are
// shared by the versions of a machine.
func allowances(ctx context.Context, from source, q *store.ClaimQuery) (map[store.Claimable]*allowance, error) {
	type limited struct {
		store.ActivityLimit
		hash string
	}
	all, err := list(ctx, from, func(found row, l *limited) error { return store.ScanLimit(found, &l.ActivityLimit, &l.hash) }, selectLimited)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	asked := map[store.Claimable]bool{}
	for _, a := range q.Activities {
		asked[a] = true
	}
	of, shared := map[store.Claimable]*allowance{}, map[[2]string]*allowance{}
	for i := range all {
		l := &all[i]
		key := store.Claimable{Definition: l.hash, Activity: l.Activity}
		if !asked[key] {
			continue
		}
		name := [2]string{l.Machine, l.Activity}
		if shared[name] == nil {
			a := &allowance{ActivityLimit: l.ActivityLimit}
			if err := a.count(ctx, from, micros(q.Now), q.Limit); err != nil {
				return nil, err
			}
			shared[name] = a
		}
		of[key] = shared[name]
	}
	return of, nil
}

// count finds how many tasks may be claimed now, up to limit. Claims are in the order of
// time, so that the oldest that count are asked first.
func (a *allowance) count(ctx context.Context, from source, now int64, limit int) (err error) {
	a.free = limit
	if a.last, _, err = first(ctx, from, scanLimitedClaim, selectLastClaim, a.Machine, a.Activity); err != nil {
		return err
	}
	if a.AtOnce > 0 {
		held, _, err := first(ctx, from, scanOne[int], countHeld, a.Machine, a.Activity, now)
		if err != nil {
			return err
		}
		a.free = max(0, min(a.free, a.AtOnce-held))
	}
	if a.Rate == 0 || a.last.n == 0 {
		if a.Rate > 0 {
			a.free = min(a.free, a.Rate)
		}
		return nil
	}
	before := a.last.n - int64(a.Rate) // claims up to this one do not count any more
	claims, err := list(ctx, from, scanLimitedClaim, selectClaims, a.Machine, a.Activity, before, a.free)
	if err != nil {
		return err
	}
	for _, c := range claims {
		if c.at > now-a.Window.Microseconds() {
			a.free = min(a.free, int(c.n-before)-1)
			break
		}
	}
	a.free = min(a.free, a.Rate)
	return nil
}

// take reports whether one more may be claimed.
func (a *allowance) take() bool {
	a.free--
	return a.free >= 0
}

// ahead reports whether the clock has gone back behind the last claim.
func (a *allowance) ahead(now int64) bool { return a.last.n > 0 && a.last.at > now }

// claimed notes a claim.
func (t *tx) claimed(a *allowance, now int64) error {
	a.last = limitedClaim{a.last.n + 1, now}
	if _, err := t.exec(insertClaim, a.Machine, a.Activity, a.last.n, now); err != nil {
		return err
	}
	_, err := t.exec(forgetClaims, a.Machine, a.Activity, a.last.n-int64(max(a.Rate, 1)))
	return err
}

// catchUp makes claims that were made later than now, by a clock that has gone back since,
// claims of now: else they would hold back others for as long as the clock went back.
func (t *tx) catchUp(limited map[store.Claimable]*allowance, now int64) (changed bool, err error) {
	for _, a := range limited {
		if a.ahead(now) {
			n, err := t.exec(claimsAhead, a.Machine, a.Activity, now)
			if changed = changed || n > 0; err != nil {
				return false, err
			}
		}
	}
	return changed, nil
}

func (s *Store) Limits(ctx context.Context, now time.Time) ([]store.LimitRow, error) {
	return reading(ctx, s, func(from source) ([]store.LimitRow, error) {
		rows, err := list(ctx, from, func(found row, l *store.LimitRow) error { return store.ScanLimit(found, &l.ActivityLimit) }, selectLimits)
		for i := range rows {
			if err == nil {
				err = readLimit(ctx, from, &rows[i], micros(now))
			}
		}
		return rows, err
	})
}

// readLimit fills in how a limit stands.
func readLimit(ctx context.Context, from source, l *store.LimitRow, now int64) (err error) {
	if l.Held, _, err = first(ctx, from, scanOne[int], countHeld, l.Machine, l.Activity, now); err != nil {
		return err
	}
	last, ok, err := first(ctx, from, scanLimitedClaim, selectLastClaim, l.Machine, l.Activity)
	if err != nil || !ok {
		return err
	}
	l.Last = fromMicros(min(last.at, now))
	if l.Rate == 0 || last.n < int64(l.Rate) {
		return nil
	}
	oldest, ok, err := first(ctx, from, scanLimitedClaim, selectClaims, l.Machine, l.Activity, last.n-int64(l.Rate), 1)
	if ok && oldest.n == last.n-int64(l.Rate)+1 {
		l.Opens = fromMicros(min(oldest.at, now)).Add(l.Window)
	}
	return err
}
