package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Most activities have no limit. Then a claim is one statement, in the round trip in which it is learnt that there is none. Where
// there is one the statement takes nothing.
const (
	anyLimited = `
	SELECT EXISTS (SELECT 1 FROM @limits AS l JOIN @definitions AS d ON d.machine = l.machine
		JOIN unnest($1 :: text[], $2 :: text[]) AS w (definition, activity) ON w.definition = d.hash AND w.activity = l.activity)`

	oldestFree = `
	WITH at_once AS (` + selectAtOnce + `), later AS (` + selectLater + `), taken AS (
		SELECT ready.id AS of_id FROM (SELECT * FROM at_once UNION ALL SELECT * FROM later) AS ready
		WHERE NOT EXISTS (SELECT 1 FROM @limits AS l JOIN @definitions AS d ON d.machine = l.machine
			JOIN unnest($2, $3) AS w (definition, activity) ON w.definition = d.hash AND w.activity = l.activity)
		ORDER BY ready.age, ready.id LIMIT $7)
	UPDATE @tasks AS t SET epoch = `
	claimOldest = `nextval('@epochs'), worker = $5, claimed = $1, beat = $1, progress = $1, lease_until = $6
	FROM taken WHERE t.id = taken.of_id` + asLeased

	claimFree                = oldestFree + `(` + selectEpoch + `) + ` + claimOldest
	claimFreeWithoutTimeline = oldestFree + claimOldest
)

// claimFree claims tasks whose activities have no limit, and reports whether none of those that are asked for has one.
func (t *tx) claimFree(ctx context.Context, q *store.ClaimQuery) (rows []store.TaskRow, done bool, err error) {
	text := claimFree
	if t.s.noTimeline {
		text = claimFreeWithoutTimeline
	}
	w := wantedBy(q, nil)
	var limited []bool
	var all []leased
	ask(t, &limited, sqlrow.One[bool], anyLimited, w.definitions, w.activities)
	ask(t, &all, scanLeased, text, append(w.args(q), q.Worker, q.Until, q.Limit)...)
	if err := t.flush(ctx); err != nil {
		return nil, false, err
	}
	slices.SortFunc(all, func(a, b leased) int { return cmp.Or(a.age.Compare(b.age), cmp.Compare(a.id, b.id)) })
	return rowsOf(all), !limited[0], nil
}
