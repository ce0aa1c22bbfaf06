package postgres

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	upsertLimit = `
	INSERT INTO @limits (machine, activity, at_once, rate, span) VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT (machine, activity) DO UPDATE SET at_once = excluded.at_once, rate = excluded.rate, span = excluded.span`
	deleteLimits = `DELETE FROM @limits WHERE machine = $1 AND activity <> ALL ($2)`

	// lockLimited keeps other claims of the same activities waiting until the transaction
	// ends. It reads one empty table where no machine has a limit.
	lockLimited = `
	SELECT d.hash, l.machine, l.activity, l.at_once, l.rate, l.span
	FROM @limits AS l JOIN @definitions AS d ON d.machine = l.machine
	JOIN unnest($1 :: text[], $2 :: text[]) AS w (definition, activity)
		ON w.definition = d.hash AND w.activity = l.activity
	ORDER BY l.machine, l.activity FOR UPDATE OF l`

	claimsAhead = `
	UPDATE @limited_claims SET at = $3 WHERE machine = $1 AND activity = $2 AND at > $4`
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

var limits = sqlrow.Limits{
	All: `SELECT machine, activity, at_once, rate, span FROM @limits ORDER BY machine, activity`,
	Held: `
	SELECT count(*) FROM @tasks
	WHERE worker IS NOT NULL AND machine = $1 AND activity = $2 AND (lease_until > $3
		OR NOT cancelled AND (SELECT status FROM @runs AS r WHERE r.run = tasks.run) <> 'halted')`,
	Last: `
	SELECT n, at FROM @limited_claims WHERE machine = $1 AND activity = $2 ORDER BY n DESC LIMIT 1`,
	Claims: `
	SELECT n, at FROM @limited_claims WHERE machine = $1 AND activity = $2 AND n > $3 ORDER BY n LIMIT $4`,
}

// putLimits makes the limits of a new definition those of its machine. They stay in their
// rows, for which claims may be waiting.
func (t *tx) putLimits(ctx context.Context, d *store.DefinitionRow) error {
	all, err := store.LimitsOf(d)
	if err != nil {
		return err
	}
	names := []string{}
	for i := range all {
		l := &all[i]
		names = append(names, l.Activity)
		t.queue(nil, upsertLimit, l.Machine, l.Activity, l.AtOnce, l.Rate, l.Window.Microseconds())
	}
	t.queue(nil, deleteLimits, d.Machine, names)
	return t.flush(ctx)
}

// allowances are those of the activities that are asked for and have a limit. Claims that were made long after now,
// by a clock that has gone back since, become claims of now: else they would hold back others for as long as
// the clock went back.
func (t *tx) allowances(ctx context.Context, q *store.ClaimQuery) (map[store.Claimable]*sqlrow.Allowance, error) {
	w := wantedBy(q, nil)
	var limited []sqlrow.Limited
	ask(t, &limited, sqlrow.LimitOfVersion, lockLimited, w.definitions, w.activities)
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	for i := range limited {
		t.queue(nil, claimsAhead, limited[i].Machine, limited[i].Activity, q.Now, q.Now.Add(store.Racing))
	}
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return limits.Allowances(ctx, t, limited, q.Now, q.Limit)
}

// claimed queues that a claim is noted; a is nil where there is no limit.
func (t *tx) claimed(a *sqlrow.Allowance, now time.Time) {
	if a == nil {
		return
	}
	forget := a.Claimed(now)
	t.queue(nil, insertClaim, a.Machine, a.Activity, a.Last.N, now)
	t.queue(nil, forgetClaims, a.Machine, a.Activity, forget)
}

func (s *Store) Limits(ctx context.Context, now time.Time) ([]store.LimitRow, error) {
	return asking(ctx, s, func(ctx context.Context, t *tx) ([]store.LimitRow, error) { return limits.Read(ctx, t, now) })
}
