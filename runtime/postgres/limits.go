package postgres

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	upsertLimit = `
	INSERT INTO @limits (machine, activity, at_once, rate, span) VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT (machine, activity) DO UPDATE SET at_once = excluded.at_once, rate = excluded.rate, span = excluded.span`
	deleteLimits = `DELETE FROM @limits WHERE machine = $1 AND activity <> ALL ($2)`
	selectLimits = `SELECT machine, activity, at_once, rate, span FROM @limits ORDER BY machine, activity`

	// lockLimited keeps other claims of the same activities waiting until the transaction
	// ends. It reads one empty table where no machine has a limit.
	lockLimited = `
	SELECT d.hash, l.machine, l.activity, l.at_once, l.rate, l.span
	FROM @limits AS l JOIN @definitions AS d ON d.machine = l.machine
	JOIN unnest($1 :: text[], $2 :: text[]) AS w (definition, activity)
		ON w.definition = d.hash AND w.activity = l.activity
	ORDER BY l.machine, l.activity FOR UPDATE OF l`

	countHeld = `
	SELECT count(*) FROM @tasks
	WHERE worker IS NOT NULL AND machine = $1 AND activity = $2 AND (lease_until > $3
		OR NOT cancelled AND (SELECT status FROM @runs AS r WHERE r.run = tasks.run) <> 'halted')`
	selectLastClaim = `
	SELECT n, at FROM @limited_claims WHERE machine = $1 AND activity = $2 ORDER BY n DESC LIMIT 1`
	selectClaims = `
	SELECT n, at FROM @limited_claims WHERE machine = $1 AND activity = $2 AND n > $3 ORDER BY n LIMIT $4`
	claimsAhead = `
	UPDATE @limited_claims SET at = $3 WHERE machine = $1 AND activity = $2 AND at > $3`
	insertClaim = `
	INSERT INTO @limited_claims (machine, activity, n, at) VALUES ($1, $2, $3, $4)`
	forgetClaims = `
	DELETE FROM @limited_claims WHERE machine = $1 AND activity = $2 AND n <= $3`

	// selectNextOpening is when the oldest claim that counts leaves the window of a rate
	// under which something waits.
	selectNextOpening = `
	SELECT min(opens) FROM (
		SELECT l.span * interval '1 microsecond' + least($1, (
			SELECT c.at FROM @limited_claims AS c
			WHERE c.machine = l.machine AND c.activity = l.activity AND c.n = 1 - l.rate + (
				SELECT max(n) FROM @limited_claims AS last WHERE last.machine = l.machine AND last.activity = l.activity)
		)) AS opens, EXISTS (
			SELECT 1 FROM @limited_claims AS c
			WHERE c.machine = l.machine AND c.activity = l.activity AND c.n = 1 - l.rate + (
				SELECT max(n) FROM @limited_claims AS last WHERE last.machine = l.machine AND last.activity = l.activity)
		) AS closed
		FROM @limits AS l
		WHERE l.rate > 0 AND EXISTS (
			SELECT 1 FROM @definitions AS d WHERE d.machine = l.machine AND (EXISTS (
				SELECT 1 FROM @tasks AS t WHERE t.definition = d.hash AND t.activity = l.activity
					AND t.worker IS NULL AND t.awake AND t.not_before IS NULL ORDER BY t.queued OFFSET 0)
				OR EXISTS (
				SELECT 1 FROM @tasks AS t WHERE t.definition = d.hash AND t.activity = l.activity
					AND t.worker IS NULL AND t.awake AND t.not_before IS NOT NULL AND t.not_before <= $1
				ORDER BY t.not_before OFFSET 0)))) AS openings
	WHERE closed AND opens > $1`
)

// allowance is how many tasks of an activity a claim may take.
type allowance struct {
	store.ActivityLimit
	free int
	last limitedClaim // the zero one for none
}

type limitedClaim struct {
	n  int64
	at time.Time
}

func scanLimitedClaim(found row, c *limitedClaim) error { return found.Scan(&c.n, moment{&c.at}) }

// putLimits makes the limits of a new definition those of its machine. They stay in their
// rows, for which claims may be waiting.
func (t *tx) putLimits(ctx context.Context, d *store.DefinitionRow) error {
	limits, err := store.LimitsOf(d)
	if err != nil {
		return err
	}
	names := []string{}
	for i := range limits {
		l := &limits[i]
		names = append(names, l.Activity)
		t.queue(nil, upsertLimit, l.Machine, l.Activity, l.AtOnce, l.Rate, l.Window.Microseconds())
	}
	t.queue(nil, deleteLimits, d.Machine, names)
	return t.flush(ctx)
}

// allowances are those of the activities that are asked for and have a limit. They are
// shared by the versions of a machine. Claims that were made later than now, by a clock that
// has gone back since, become claims of now: else they would hold back others for as long as
// the clock went back.
func (t *tx) allowances(ctx context.Context, q *store.ClaimQuery) (map[store.Claimable]*allowance, error) {
	type limited struct {
		store.ActivityLimit
		hash string
	}
	w := wantedBy(q, nil)
	var all []limited
	ask(t, &all, func(found row, l *limited) error {
		return store.ScanLimit(found, &l.ActivityLimit, &l.hash)
	}, lockLimited, w.definitions, w.activities)
	if err := t.flush(ctx); err != nil || len(all) == 0 {
		return nil, err
	}
	of, shared := map[store.Claimable]*allowance{}, map[[2]string]*allowance{}
	for i := range all {
		l := &all[i]
		name := [2]string{l.Machine, l.Activity}
		if shared[name] == nil {
			a := &allowance{ActivityLimit: l.ActivityLimit}
			if _, err := t.exec(ctx, claimsAhead, a.Machine, a.Activity, q.Now); err != nil {
				return nil, err
			}
			if err := a.count(ctx, t, q.Now, q.Limit); err != nil {
				return nil, err
			}
			shared[name] = a
		}
		of[store.Claimable{Definition: l.hash, Activity: l.Activity}] = shared[name]
	}
	return of, nil
}

// count finds how many tasks may be claimed now, up to limit. Claims are in the order of
// time, so that the oldest that count are asked first.
func (a *allowance) count(ctx context.Context, t *tx, now time.Time, limit int) (err error) {
	a.free = limit
	if a.last, _, err = first(ctx, t, scanLimitedClaim, selectLastClaim, a.Machine, a.Activity); err != nil {
		return err
	}
	if a.AtOnce > 0 {
		held, _, err := first(ctx, t, scanOne[int], countHeld, a.Machine, a.Activity, now)
		if err != nil {
			return err
		}
		a.free = max(0, min(a.free, a.AtOnce-held))
	}
	if a.Rate == 0 {
		return nil
	}
	a.free = min(a.free, a.Rate)
	before := a.last.n - int64(a.Rate) // claims up to this one do not count any more
	claims, err := list(ctx, t, scanLimitedClaim, selectClaims, a.Machine, a.Activity, before, a.free)
	if err != nil {
		return err
	}
	for _, c := range claims {
		if c.at.After(now.Truncate(time.Microsecond).Add(-a.Window)) {
			a.free = min(a.free, int(c.n-before)-1)
			break
		}
	}
	return nil
}

// take reports whether one more may be claimed.
func (a *allowance) take() bool {
	a.free--
	return a.free >= 0
}

// claimed queues that a claim is noted; a is nil where there is no limit.
func (t *tx) claimed(a *allowance, now time.Time) {
	if a == nil {
		return
	}
	a.last = limitedClaim{a.last.n + 1, now}
	t.queue(nil, insertClaim, a.Machine, a.Activity, a.last.n, now)
	t.queue(nil, forgetClaims, a.Machine, a.Activity, a.last.n-int64(max(a.Rate, 1)))
}

func (s *Store) Limits(ctx context.Context, now time.Time) (rows []store.LimitRow, err error) {
	err = s.read(ctx, func(ctx context.Context, t *tx) (err error) {
		rows, err = list(ctx, t, func(found row, l *store.LimitRow) error {
			return store.ScanLimit(found, &l.ActivityLimit)
		}, selectLimits)
		for i := range rows {
			if err == nil {
				err = t.readLimit(ctx, &rows[i], now.UTC().Truncate(time.Microsecond))
			}
		}
		return err
	})
	return rows, err
}

// readLimit fills in how a limit stands.
func (t *tx) readLimit(ctx context.Context, l *store.LimitRow, now time.Time) (err error) {
	if l.Held, _, err = first(ctx, t, scanOne[int], countHeld, l.Machine, l.Activity, now); err != nil {
		return err
	}
	last, ok, err := first(ctx, t, scanLimitedClaim, selectLastClaim, l.Machine, l.Activity)
	if err != nil || !ok {
		return err
	}
	l.Last = earlier(last.at, now)
	if l.Rate == 0 || last.n < int64(l.Rate) {
		return nil
	}
	oldest, ok, err := first(ctx, t, scanLimitedClaim, selectClaims, l.Machine, l.Activity, last.n-int64(l.Rate), 1)
	if ok && oldest.n == last.n-int64(l.Rate)+1 {
		l.Opens = earlier(oldest.at, now).Add(l.Window)
	}
	return err
}

// earlier is the earlier one of two times.
func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
