package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Runs that ended before a time are found in the order in which they ended, in an index of
// those that are no children. They go and stay with their root.
const (
	isBusy = `(
		EXISTS (SELECT 1 FROM @outbox AS m WHERE m.run = r.run AND m.delivered IS NULL OFFSET 0)
		OR EXISTS (SELECT 1 FROM @tasks AS t WHERE t.run = r.run
			AND (t.lease_until > $1 OR t.child IS NOT NULL AND NOT t.ended) OFFSET 0))`
	whereOld = `
	FROM @runs AS r
	WHERE ended IS NOT NULL AND parent IS NULL AND outcome = ANY ($2) AND ended < $3 AND ($4 = '' OR machine = $4)
	AND ($5 = '' OR run = $5)`
	// How many runs there are of trees is a join, since a look for each of them, in each month of the archive, takes
	// several times as long.
	beginTrees = `WITH old AS (SELECT run`
	countTrees = `)
	SELECT (SELECT count(*) FROM old) + (SELECT count(*) FROM @runs AS child JOIN old ON child.root = old.run)`
	countOld = beginTrees + whereOld + ` AND $1 :: timestamptz IS NOT NULL` + countTrees

	oldestFirst = ` ORDER BY ended, run LIMIT $6 FOR UPDATE OF r SKIP LOCKED`

	selectTree = selectStanding + ` WHERE run = $1 OR root = $1 ORDER BY run FOR UPDATE SKIP LOCKED`
	selectBusy = `
	SELECT count(*), count(*) FILTER (WHERE status <> 'finished' OR ` + isBusy + `)
	FROM @runs AS r WHERE run = $2 OR root = $2`

	allowPruning  = `SELECT set_config('fsmc.pruning', 'on', true)`
	insertPruning = `
	INSERT INTO @prunings AS p (at, actor, reason, before, machine, outcome, runs) VALUES ($1, $2, $3, $4, $5, $6, $7)
	ON CONFLICT (at, actor, reason, before, machine, outcome) DO UPDATE SET runs = p.runs + excluded.runs`
)

var (
	// childBusy is isBusy of a child.
	childBusy = strings.ReplaceAll(isBusy, "r.run", "child.run")
	whereDone = ` AND NOT ` + isBusy + ` AND NOT EXISTS (
		SELECT 1 FROM @runs AS child WHERE child.root = r.run AND (child.status <> 'finished' OR ` + childBusy + `))`
	countPrunable  = beginTrees + whereOld + whereDone + countTrees
	selectPrunable = `SELECT run` + whereOld + whereDone + oldestFirst
	selectArchived = `SELECT run` + whereOld + ` AND $1 :: timestamptz IS NOT NULL` + oldestFirst
)

// place is where runs are.
type place bool

const (
	live     place = false
	archived place = true
)

// in is a statement about live runs, as one about those in this place.
func (p place) in(text string) string {
	if p == archived {
		return strings.ReplaceAll(text, "@runs", "@archived_runs")
	}
	return text
}

// tables are those of what belongs to runs, in the order in which it is deleted. A run in the archive
// has no tasks and timers.
func (p place) tables() []string {
	if p == archived {
		return []string{"archived_inbox", "archived_outbox", "archived_checkpoints", "archived_tags", "archived_history", "archived_runs"}
	}
	return []string{"inbox", "outbox", "timers", "checkpoints", "tasks", "tags", "history", "runs"}
}

// maxPruned is how many records one write deletes before it stops short of its limit. A tree
// goes in one write, however large it is.
const maxPruned = 5000

// Prune implements store.Store. It may delete fewer than the limit where the runs have a long
// history, or someone else has to do with them, but at least one of those that no one has.
func (s *Store) Prune(ctx context.Context, q store.PruneQuery) (done store.Pruned, err error) {
	if q.DryRun {
		return asking(ctx, s, func(ctx context.Context, t *tx) (store.Pruned, error) { return t.countPruned(ctx, &q) })
	}
	if q.Limit <= 0 {
		return done, nil
	}
	for _, prune := range []func(*tx, context.Context, *store.PruneQuery) (int64, error){
		(*tx).pruneMonths,
		func(t *tx, ctx context.Context, q *store.PruneQuery) (int64, error) { return t.prune(ctx, q, archived) },
		func(t *tx, ctx context.Context, q *store.PruneQuery) (int64, error) { return t.prune(ctx, q, live) },
	} {
		done.Runs, err = writing(ctx, s, func(ctx context.Context, t *tx) (int64, error) { return prune(t, ctx, &q) })
		if err != nil || done.Runs > 0 {
			break
		}
	}
	return done, err
}

func (t *tx) countPruned(ctx context.Context, q *store.PruneQuery) (done store.Pruned, err error) {
	var counts [3][]int64
	for i, text := range []string{countPrunable, countOld, archived.in(countOld)} {
		ask(t, &counts[i], sqlrow.One[int64], text, q.Now, q.Outcomes(), q.Before, q.Machine, q.Run)
	}
	if err := t.flush(ctx); err != nil {
		return done, err
	}
	prunable, old, gone := counts[0][0], counts[1][0], counts[2][0]
	return store.Pruned{Runs: prunable + gone, Kept: old - prunable}, nil
}

// prune deletes some of the runs in live tables, or in those of the archive.
func (t *tx) prune(ctx context.Context, q *store.PruneQuery, from place) (int64, error) {
	text := selectPrunable
	if from == archived {
		text = from.in(selectArchived)
	}
	roots, err := sqlrow.List(ctx, t, sqlrow.One[string], text, q.Now, q.Outcomes(), q.Before, q.Machine, q.Run, q.Limit)
	if err != nil {
		return 0, err
	}
	var runs []string
	var gone counter
	records := int64(0)
	for _, root := range roots {
		tree, err := t.tree(ctx, q, from, root)
		if err != nil {
			return 0, err
		}
		for i := range tree {
			records += tree[i].seq
		}
		if len(runs) > 0 && records > maxPruned {
			break
		}
		for i := range tree {
			runs = append(runs, tree[i].run)
			gone.run(&tree[i], "-1")
		}
	}
	if len(runs) == 0 {
		return 0, nil
	}
	t.queue(nil, allowPruning)
	for _, table := range from.tables() {
		t.queue(nil, `DELETE FROM @`+table+` WHERE run = ANY ($1)`, runs)
	}
	n := int64(len(runs))
	return n, t.notePruning(ctx, q, n, gone.tally)
}

// notePruning notes who has pruned so many runs, and that they do not count as they stood any more.
func (t *tx) notePruning(ctx context.Context, q *store.PruneQuery, runs int64, gone tally) error {
	if err := t.log(gone); err != nil {
		return err
	}
	t.queue(nil, insertPruning, q.Now, q.Actor, q.Reason, q.Before, q.Machine, string(q.Outcome), runs)
	return t.flush(ctx)
}

// tree locks a run with all that is below it; it is empty where someone else has a part of it
// locked, or a part of it is under way.
func (t *tx) tree(ctx context.Context, q *store.PruneQuery, from place, root string) ([]standing, error) {
	tree, err := sqlrow.List(ctx, t, scanStanding, from.in(selectTree), root)
	if err != nil {
		return nil, err
	}
	type size struct{ all, busy int }
	n, _, err := sqlrow.First(ctx, t, func(found sqlrow.Row, n *size) error { return found.Scan(&n.all, &n.busy) }, from.in(selectBusy), q.Now, root)
	if err != nil || n.all != len(tree) || n.busy > 0 {
		return nil, err
	}
	return slices.Clip(tree), nil
}
