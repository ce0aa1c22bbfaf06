package postgres

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	// childHolds is of a cancelled task, or of one that no worker can hold.
	childHolds = `(child IS NOT NULL AND NOT ended)`

	// A child has left what workers hold of it though it has been cancelled. When it has ended, its task waits
	// for that: one that has been cancelled is held by the child under a lease as long as theirs.
	ofChild    = ` FROM @tasks AS own WHERE own.run = t.child AND own.cancelled`
	leftUntil  = `(SELECT max(own.lease_until)` + ofChild + `)`
	childNeeds = `(t.child IS NOT NULL AND (NOT t.ended OR EXISTS (SELECT 1` + ofChild + `)))`
	released   = `worker = NULL, claimed = NULL, lease_until = NULL, beat = NULL, progress = NULL`

	endByID     = `DELETE FROM @tasks WHERE id = ANY ($1)`
	holdByChild = `UPDATE @tasks SET child = $2, not_before = $3, ` + released + ` WHERE id = $1`

	endChild = `
	UPDATE @tasks AS t SET ended = true, not_before = greatest($2, ` + leftUntil + `) WHERE id = $1`
	holdLeftover = `
	UPDATE @tasks AS t SET ended = true, epoch = 0, worker = child, lease_until = ` + leftUntil + `
	WHERE id = $1 AND EXISTS (SELECT 1` + ofChild + `)`
	takeLeft = `
	UPDATE @tasks AS t SET not_before = greatest(not_before, ` + leftUntil + `) WHERE child = ANY ($1) AND ended`
	deleteLeftover = `DELETE FROM @tasks WHERE id = $1 AND NOT ended`
	lockChildTask  = `SELECT id FROM @tasks WHERE child = $1 FOR UPDATE`
	// waitForLeft skips what is locked: the next renewal comes soon.
	waitForLeft = `
	UPDATE @tasks AS t SET lease_until = CASE WHEN cancelled THEN $2 :: timestamptz END, not_before = CASE WHEN cancelled THEN not_before ELSE $2 END
	WHERE id IN (
		SELECT id FROM @tasks WHERE child = ANY ($1) AND ended AND (cancelled AND lease_until < $2 OR NOT cancelled AND worker IS NULL AND not_before < $2)
		FOR UPDATE SKIP LOCKED)`
	nothingLeft      = ` AND NOT EXISTS (SELECT 1 FROM @tasks AS own WHERE own.run = $1 AND own.cancelled)`
	deleteHeldByLeft = `
	DELETE FROM @tasks WHERE child = $1 AND ended AND cancelled` + nothingLeft
	readyAfterLeft = `
	UPDATE @tasks SET not_before = $2
	WHERE child = $1 AND ended AND NOT cancelled AND worker IS NULL AND not_before > $2` + nothingLeft

	// taskColumns are a task with the last checkpoint of its execution.
	taskColumns = `
		t.run, t.do, t.seq, t.machine, t.definition, t.activity, t.key, t.attempt, t.visit,
		t.not_before, t.epoch, coalesce(t.worker, ''), t.claimed, t.lease_until, t.beat, t.progress, t.lost, t.cancelled,
		(SELECT data FROM @checkpoints AS c WHERE c.key = t.key),
		(SELECT at FROM @checkpoints AS c WHERE c.key = t.key),
		t.timeout_ns, t.heartbeat_ns, t.progress_ns, coalesce(t.child, ''), t.ended`
	selectTasks     = `SELECT ` + taskColumns + ` FROM @tasks AS t`
	selectRunTasks  = selectTasks + ` WHERE run = $1 ORDER BY seq, id`
	selectTaskOf    = selectTasks + ` WHERE child = $1`
	selectLeftovers = selectTasks + ` WHERE cancelled AND ` + childHolds
	selectExpired   = selectTasks + `
	WHERE worker IS NOT NULL AND lease_until <= $1 AND NOT cancelled
		AND (SELECT status FROM @runs AS r WHERE r.run = t.run) <> 'halted'
	ORDER BY lease_until, id LIMIT $2`
	selectHeld = `
	SELECT EXISTS (SELECT 1 FROM @tasks WHERE run = $1 AND cancelled AND (lease_until > $2 OR ` + childHolds + `))`
	selectWaiting = selectTasks + `
	WHERE worker IS NULL AND awake AND NOT cancelled AND not_before IS NULL AND queued < $1
	UNION ALL ` + selectTasks + `
	WHERE worker IS NULL AND awake AND NOT cancelled AND not_before IS NOT NULL AND not_before < $1
	LIMIT $2`

	// selectWanted goes from one definition to the next in each of the two indexes of
	// tasks that wait.
	selectWanted = `
	WITH RECURSIVE
	wanted_now (definition) AS (
		SELECT min(definition) FROM @tasks WHERE worker IS NULL AND awake AND not_before IS NULL
		UNION ALL
		SELECT (SELECT min(t.definition) FROM @tasks AS t
			WHERE t.worker IS NULL AND t.awake AND t.not_before IS NULL AND t.definition > w.definition)
		FROM wanted_now AS w WHERE w.definition IS NOT NULL),
	wanted_later (definition) AS (
		SELECT min(definition) FROM @tasks WHERE worker IS NULL AND awake AND not_before IS NOT NULL
		UNION ALL
		SELECT (SELECT min(t.definition) FROM @tasks AS t
			WHERE t.worker IS NULL AND t.awake AND t.not_before IS NOT NULL AND t.definition > w.definition)
		FROM wanted_later AS w WHERE w.definition IS NOT NULL)
	SELECT definition FROM wanted_now WHERE definition IS NOT NULL
	UNION
	SELECT definition FROM wanted_later WHERE definition IS NOT NULL`
)

func (s *Store) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	return readAll(ctx, s, sqlrow.Task, selectRunTasks, run)
}

func (s *Store) TaskOf(ctx context.Context, child string) (store.TaskRow, error) {
	t, ok, err := readFirst(ctx, s, sqlrow.Task, selectTaskOf, child)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	return t, err
}

func (s *Store) Expired(ctx context.Context, now time.Time, limit int) ([]store.TaskRow, error) {
	return readAll(ctx, s, sqlrow.Task, selectExpired, now, atMost(limit))
}

func (s *Store) Held(ctx context.Context, run string, now time.Time) (bool, error) {
	held, _, err := readFirst(ctx, s, sqlrow.One[bool], selectHeld, run, now)
	return held, err
}

func (s *Store) Waiting(ctx context.Context, before time.Time, limit int) ([]store.TaskRow, error) {
	return readAll(ctx, s, sqlrow.Task, selectWaiting, before, atMost(limit))
}
