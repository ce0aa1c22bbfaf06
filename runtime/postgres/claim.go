package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A task that has waited for its NotBefore and one that was ready at once stand in different
// indexes, each in the order of age. A claim takes the oldest of each, for each activity, that
// no other claim has locked, and of those the oldest. A task may be handed out while no
// cancelled one of its run is held, and no timer of its run is due. With OFFSET 0 the planner looks for
// each of them in an index, and does not read all of a table to learn it for all tasks at once.
const (
	free = ` AND t.worker IS NULL AND t.awake
		AND NOT EXISTS (SELECT 1 FROM @tasks AS other
			WHERE other.run = t.run AND other.cancelled
				AND (other.lease_until > $1 OR other.child IS NOT NULL AND NOT other.ended) OFFSET 0)
		AND NOT EXISTS (SELECT 1 FROM @timers AS timer WHERE timer.run = t.run AND timer.due <= $1 OFFSET 0)`

	eachWanted = `
	SELECT ready.* FROM unnest($2 :: text[], $3 :: text[], $4 :: bigint[]) AS w (definition, activity, most)
	CROSS JOIN LATERAL (
		SELECT t.id, t.definition, t.activity, coalesce(t.not_before, t.queued) AS age FROM @tasks AS t
		WHERE t.definition = w.definition AND t.activity = w.activity`
	readyAtOnce = eachWanted + ` AND t.not_before IS NULL` + free + `
		ORDER BY t.queued, t.id LIMIT w.most`
	readyLater = eachWanted + ` AND t.not_before IS NOT NULL AND t.not_before <= $1` + free + `
		ORDER BY t.not_before, t.id LIMIT w.most`
	lockFree     = ` FOR UPDATE OF t SKIP LOCKED`
	asReady      = `) AS ready`
	selectAtOnce = readyAtOnce + lockFree + asReady
	selectLater  = readyLater + lockFree + asReady
	anyReady     = `SELECT EXISTS (` + readyAtOnce + asReady + `) OR EXISTS (` + readyLater + asReady + `)`

	readyOfRun = `
	SELECT t.id, t.definition, t.activity, coalesce(t.not_before, t.queued) AS age FROM @tasks AS t
	WHERE (t.run = $4 OR t.run >= $4 || '/' AND t.run < $4 || '0')
		AND (t.definition, t.activity) IN (SELECT * FROM unnest($2 :: text[], $3 :: text[]))
		AND (t.not_before IS NULL OR t.not_before <= $1)` + free
	selectReadyOfRun = readyOfRun + lockFree
	anyReadyOfRun    = `SELECT EXISTS (` + readyOfRun + `)`

	deleteStopped = `
	DELETE FROM @tasks WHERE id IN (
		SELECT id FROM @tasks WHERE worker IS NOT NULL AND lease_until <= $1 AND cancelled FOR UPDATE SKIP LOCKED)`

	// An epoch is a number of the sequence, below that of the server's timeline. That rises when a standby
	// is promoted, which may not know of the last numbers.
	aboveTimeline = `(('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8)) :: bit(32) :: bigint - 1) * 1099511627776 + `
	selectEpoch   = `SELECT ` + aboveTimeline + `0`
	claimTasks    = `
	UPDATE @tasks AS t SET epoch = (` + selectEpoch + `) + ` + claimedBy
	claimWithoutTimeline = `
	UPDATE @tasks AS t SET epoch = ` + claimedBy
	claimedBy = `nextval('@epochs'), worker = $2, claimed = $3, beat = $3, progress = $3, lease_until = $4
	WHERE id = ANY ($1)` + asLeased
	asLeased = ` RETURNING t.id, coalesce(t.not_before, t.queued), ` + taskColumns
)

// candidate is a task that is ready, and locked.
type candidate struct {
	id  int64
	age time.Time
	of  store.Claimable
}

func scanCandidate(found sqlrow.Row, c *candidate) error {
	return found.Scan(&c.id, &c.of.Definition, &c.of.Activity, &c.age)
}

// wanted are the activities of a query, each once, and how many tasks of each may be taken.
type wanted struct {
	definitions, activities []string
	most                    []int64
}

// wantedBy are the activities of a query without those of which no more may be claimed.
func wantedBy(q *store.ClaimQuery, limited map[store.Claimable]*sqlrow.Allowance) *wanted {
	var w wanted
	seen := map[store.Claimable]bool{}
	for _, c := range q.Activities {
		most := q.Limit
		if a := limited[c]; a != nil {
			most = min(most, a.Free)
		}
		if !seen[c] && most > 0 {
			w.definitions, w.activities = append(w.definitions, c.Definition), append(w.activities, c.Activity)
			w.most = append(w.most, int64(most))
		}
		seen[c] = true
	}
	return &w
}

// args are the parameters of the statements for tasks that are wanted.
func (w *wanted) args(q *store.ClaimQuery) []any {
	if q.Run != "" {
		return []any{q.Now, w.definitions, w.activities, q.Run}
	}
	return []any{q.Now, w.definitions, w.activities, w.most}
}

// Claim implements store.Store. It looks before it writes, so that workers who find nothing
// leave nothing behind, unless the last claim has found something.
func (s *Store) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	if q.Limit <= 0 || len(q.Activities) == 0 {
		return nil, nil
	}
	if !s.found.Load() {
		some, err := s.anyReady(ctx, &q)
		if err != nil || !some {
			return nil, err
		}
	}
	rows, err := s.claiming(ctx, func(ctx context.Context, t *tx) ([]store.TaskRow, error) { return t.claim(ctx, &q) })
	s.found.Store(len(rows) > 0)
	return rows, err
}

// anyReady reports whether there is something to claim.
func (s *Store) anyReady(ctx context.Context, q *store.ClaimQuery) (bool, error) {
	text := anyReady
	if q.Run != "" {
		text = anyReadyOfRun
	}
	var some []bool
	err := s.read(ctx, func(ctx context.Context, t *tx) error {
		t.usePlans()
		t.askTime(ctx, new([]time.Time))
		ask(t, &some, sqlrow.One[bool], text, wantedBy(q, nil).args(q)...)
		return offOr(t.flush(ctx))
	})
	return len(some) > 0 && some[0], err
}

func (t *tx) claim(ctx context.Context, q *store.ClaimQuery) ([]store.TaskRow, error) {
	t.usePlans()
	t.queue(nil, deleteStopped, q.Now)
	if q.Run == "" {
		if rows, done, err := t.claimFree(ctx, q); done || err != nil {
			return rows, err
		}
	}
	limited, err := t.allowances(ctx, q)
	if err != nil {
		return nil, err
	}
	w := wantedBy(q, limited)
	if len(w.definitions) == 0 {
		return nil, nil
	}
	ready, err := t.ready(ctx, q, w)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(ready, func(a, b candidate) int { return cmp.Or(a.age.Compare(b.age), cmp.Compare(a.id, b.id)) })
	ready = slices.DeleteFunc(ready, func(c candidate) bool {
		a := limited[c.of]
		return a != nil && !a.Take()
	})
	ready = ready[:min(len(ready), q.Limit)]
	if len(ready) == 0 {
		return nil, nil
	}
	for i := range ready {
		t.claimed(limited[ready[i].of], q.Now)
	}
	return t.lease(ctx, q, ready)
}

// ready finds and locks tasks that are ready, in no order.
func (t *tx) ready(ctx context.Context, q *store.ClaimQuery, w *wanted) ([]candidate, error) {
	args := w.args(q)
	if q.Run != "" {
		return sqlrow.List(ctx, t, scanCandidate, selectReadyOfRun, args...)
	}
	var atOnce, later []candidate
	ask(t, &atOnce, scanCandidate, selectAtOnce, args...)
	ask(t, &later, scanCandidate, selectLater, args...)
	err := t.flush(ctx)
	return append(atOnce, later...), err
}

// lease gives the tasks that have been found to the worker, in their order.
func (t *tx) lease(ctx context.Context, q *store.ClaimQuery, ready []candidate) ([]store.TaskRow, error) {
	var ids []int64
	for i := range ready {
		ids = append(ids, ready[i].id)
	}
	text := claimTasks
	if t.s.noTimeline {
		text = claimWithoutTimeline
	}
	var all []leased
	ask(t, &all, scanLeased, text, ids, q.Worker, q.Now, q.Until)
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b leased) int { return cmp.Compare(slices.Index(ids, a.id), slices.Index(ids, b.id)) })
	return rowsOf(all), nil
}

// leased is a task that has been given to a worker.
type leased struct {
	id int64
	store.TaskRow
	age time.Time // when it was ready
}

func scanLeased(found sqlrow.Row, l *leased) error {
	return sqlrow.TaskBehind(found, &l.TaskRow, &l.id, &l.age)
}

func rowsOf(all []leased) (rows []store.TaskRow) {
	for i := range all {
		rows = append(rows, all[i].TaskRow)
	}
	return rows
}
