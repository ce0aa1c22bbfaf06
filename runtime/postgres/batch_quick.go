package postgres

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A batch is written the quick way in the hope that nothing of it is refused: the statements that write
// runs look themselves at what they find, and leave the numbers of those that they did not write
// where judge would. Runs are locked as they are written, in their order, but where tasks have to be
// locked behind them. What is refused is judged in a batch of its own, which says why.
var (
	// A batch does not wait for a run that is locked, except for one that another
	// process locks as it is read, and then not for long.
	settings = usePlans + `, set_config('fsmc.refused', '{}', true), set_config('lock_timeout', '100ms', true)`

	// moveRuns: a run whose xmax is neither 0 nor this transaction is locked by another one, or was.
	// A definition is never deleted, so that the one that a run had is there.
	moveRuns  = formOf(moveFirst + refuseRest)
	moveFirst = `
	WITH written AS (` + setRun + table(movedColumns+`, event_id text, "do" text, task bigint, epoch bigint`) + `
	WHERE r.run = q.run AND r.seq = q.expect AND r.started = q.started
		AND (r.xmax = '0' :: xid OR r.xmax = pg_current_xact_id_if_assigned() :: xid)
		AND (q.definition = r.definition OR EXISTS (SELECT 1 FROM @definitions WHERE hash = q.definition OFFSET 0))
		AND (q.event_id IS NULL
			OR NOT EXISTS (SELECT 1 FROM @inbox AS i WHERE i.run = q.run AND i.event_id = q.event_id OFFSET 0))
		AND (q."do" IS NULL OR EXISTS (SELECT 1 FROM @tasks AS t
			WHERE t.run = q.run AND t.do = q.do AND t.seq = q.task AND t.epoch = q.epoch
				AND t.worker IS NOT NULL AND NOT t.cancelled OFFSET 0))
	RETURNING r.run)`

	makeRuns  = formOf(makeFirst + refuseRest)
	makeFirst = `
	WITH written AS (` + addRun + table(madeColumns) + `
	WHERE EXISTS (SELECT 1 FROM @definitions WHERE hash = q.definition OFFSET 0)
	ORDER BY run
	ON CONFLICT (run) DO NOTHING RETURNING run)`

	// refuseRest refuses the commits whose runs were not written.
	refuseRest = `
	SELECT set_config('fsmc.refused', (` + refused + ` || rest) :: text, true), rest
	FROM (` + notWritten + `) AS refused`
	notWritten = `
	SELECT CASE WHEN (SELECT count(*) FROM written) = ` + rowCount + ` THEN '{}'
		ELSE ARRAY (SELECT n FROM ` + table(`n bigint, run text`) + ` WHERE run NOT IN (SELECT run FROM written)) END AS rest`
)

// toJudge is the verdict of a commit that the quick way has refused.
const toJudge = -1

// quick reports whether a batch can go the quick way: each of its commits takes a step, and those
// that a worker makes are of runs that are there.
func quick(all []*request) bool {
	return !slices.ContainsFunc(all, func(r *request) bool {
		return len(r.History) == 0 || r.Expect == 0 && r.Claim != nil
	})
}

// writeRuns fills the rows of runs. In a quick batch what else has to hold of those that are moved comes with them.
func (b *batch) writeRuns(what form, all []numbered, columns []any) {
	if b.quick && all[0].Expect > 0 {
		columns = fences(columns, all)
	}
	b.write(what, columns...)
}

// fences adds the columns of an event id that must be new, and of a claim that must stand.
func fences(columns []any, rows []numbered) []any {
	return append(columns,
		column(rows, func(q *numbered) *string { return nullable(q.EventID) }),
		column(rows, func(q *numbered) *string { return ofClaim(q, func(c *store.Claim) *string { return &c.Do }) }),
		column(rows, func(q *numbered) *int64 { return ofClaim(q, func(c *store.Claim) *int64 { return &c.Seq }) }),
		column(rows, func(q *numbered) *int64 { return ofClaim(q, func(c *store.Claim) *int64 { return &c.Epoch }) }))
}

// ofClaim is a part of the claim of a request, nil where it has none.
func ofClaim[T any](q *numbered, part func(*store.Claim) *T) *T {
	if q.Claim == nil {
		return nil
	}
	return part(q.Claim)
}

// rest are the verdicts of a quick batch.
func (b *batch) rest(refused [][]int64) []int64 {
	verdicts := make([]int64, len(b.requests))
	for _, n := range slices.Concat(refused...) {
		verdicts[n-1] = toJudge
	}
	return verdicts
}

// inOrder puts requests in the order of their runs, in which they are locked.
func inOrder(all []*request) {
	slices.SortFunc(all, func(a, b *request) int { return strings.Compare(a.Run.Run, b.Run.Run) })
}
