//go:build cgo

package sqlite

import (
	"context"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Runs that ended before a time are found in the order in which they ended, for
// each outcome in the index of finished runs, which has no children. They go and stay with
// their root.
const (
	whereOld = `
	FROM runs
	WHERE status = 'finished' AND parent IS NULL AND outcome = ?1 AND updated < ?2 AND (?3 = '' OR +machine = ?3)
	AND (?4 = '' OR run = ?4)`
	whereDone = `
	AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.run = runs.run AND delivered IS NULL)
	AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.run = runs.run AND (lease_until > ?5 OR child IS NOT NULL AND ended = 0))
	AND NOT EXISTS (SELECT 1 FROM runs AS child WHERE child.root = runs.run AND (child.status <> 'finished'
		OR EXISTS (SELECT 1 FROM outbox WHERE outbox.run = child.run AND delivered IS NULL)
		OR EXISTS (SELECT 1 FROM tasks WHERE tasks.run = child.run AND (lease_until > ?5 OR child IS NOT NULL AND ended = 0))))`

	countTrees     = `SELECT count(*) + coalesce(sum((SELECT count(*) FROM runs AS child WHERE child.root = runs.run)), 0)`
	countOld       = countTrees + whereOld
	countPrunable  = countTrees + whereOld + whereDone
	selectPrunable = `
	SELECT run, machine, state, paused, seq, last, outcome` + whereOld + whereDone + `
	ORDER BY updated, run LIMIT ?6 + 0`
	selectChildren = `
	SELECT run, machine, state, paused, seq, last, outcome FROM runs WHERE root = ?`

	overwriteDeleted = `PRAGMA secure_delete = ON`
	leaveDeleted     = `PRAGMA secure_delete = OFF`

	insertPruning = `
	INSERT INTO prunings (at, actor, reason, before, machine, outcome, runs) VALUES (?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`
)

// deletions are what belongs to a run but for its history, in an order that leaves
// no row without the one that it refers to. The first allows history to be deleted.
var deletions = []string{
	`INSERT INTO pruning (run) VALUES (?)`,
	`DELETE FROM inbox WHERE run = ?`,
	`DELETE FROM outbox WHERE run = ?`,
	`DELETE FROM timers WHERE run = ?`,
	`DELETE FROM checkpoints WHERE run = ?`,
	`DELETE FROM tasks WHERE run = ?`,
	`DELETE FROM tags WHERE run = ?`,
}

// deletionsOfRun come after its history.
var deletionsOfRun = []string{
	`DELETE FROM runs WHERE run = ?`,
	`DELETE FROM pruning WHERE run = ?`,
}

// maxPruned is how many records one write deletes before it stops short of its
// limit: it bounds how long the writes of others wait. A tree goes in one write, however
// large it is.
const maxPruned = 5000

// prunable is a run that may go.
type prunable struct {
	run, machine, state string
	outcome             machine.Outcome
	paused              bool
	end
}

// Prune implements store.Store. It may delete fewer than the limit where the
// runs have a long history, but at least one.
func (s *Store) Prune(ctx context.Context, q store.PruneQuery) (done store.Pruned, err error) {
	if q.DryRun {
		return reading(ctx, s, func(from sqlrow.Source) (store.Pruned, error) { return countPruned(ctx, from, &q) })
	}
	if q.Limit <= 0 {
		return done, nil
	}
	return writing(ctx, s, func(t *tx) (store.Pruned, error) {
		if q.Run != "" { // who names one run wants its data to be gone, and not only the pages to be free
			if _, err := t.exec(overwriteDeleted); err != nil {
				return store.Pruned{}, err
			}
			defer t.exec(leaveDeleted)
		}
		runs, err := t.prune(ctx, &q)
		return store.Pruned{Runs: runs}, err
	})
}

// meant is a statement about the runs that q means. One run is looked up: SQLite plans before
// it knows the values.
func meant(text string, q *store.PruneQuery) string {
	if q.Run == "" {
		return text
	}
	return strings.Replace(text, "(?4 = '' OR run = ?4)", "run = ?4", 1)
}

func countPruned(ctx context.Context, from sqlrow.Source, q *store.PruneQuery) (done store.Pruned, err error) {
	for _, outcome := range q.Outcomes() {
		args := []any{outcome, micros(q.Before), q.Machine, q.Run, micros(q.Now)}
		prunable, _, err := sqlrow.First(ctx, from, sqlrow.One[int64], meant(countPrunable, q), args...)
		if err != nil {
			return done, err
		}
		old, _, err := sqlrow.First(ctx, from, sqlrow.One[int64], meant(countOld, q), args[:4]...)
		if err != nil {
			return done, err
		}
		done.Runs, done.Kept = done.Runs+prunable, done.Kept+old-prunable
	}
	return done, nil
}

func (t *tx) prune(ctx context.Context, q *store.PruneQuery) (runs int64, err error) {
	trees, records := 0, int64(0)
	for _, outcome := range q.Outcomes() {
		rows, err := sqlrow.List(ctx, t, scanPrunable, meant(selectPrunable, q),
			outcome, micros(q.Before), q.Machine, q.Run, micros(q.Now), q.Limit-trees)
		if err != nil {
			return 0, err
		}
		for i := range rows {
			tree, err := sqlrow.List(ctx, t, scanPrunable, selectChildren, rows[i].run)
			if err != nil {
				return 0, err
			}
			tree = append(tree, rows[i])
			for k := range tree {
				records += tree[k].seq
			}
			if runs > 0 && records > maxPruned {
				break
			}
			if runs == 0 { // what is not counted yet may go
				if err := t.foldHistory(); err != nil {
					return 0, err
				}
			}
			for k := range tree {
				if err := t.delete(ctx, &tree[k]); err != nil {
					return 0, err
				}
			}
			trees, runs = trees+1, runs+int64(len(tree))
		}
	}
	if runs == 0 {
		return 0, nil
	}
	// The runs are counted no more.
	gone := counts{}
	for i := range t.counts {
		gone[t.counts[i].count] += t.counts[i].n
	}
	t.counts = nil
	if err := t.fold(gone); err != nil {
		return 0, err
	}
	_, err = t.exec(insertPruning, micros(q.Now), q.Actor, q.Reason, micros(q.Before), q.Machine, string(q.Outcome), runs)
	return runs, err
}

func scanPrunable(found sqlrow.Row, p *prunable) error {
	return found.Scan(&p.run, &p.machine, &p.state, &p.paused, &p.seq, &p.id, &p.outcome)
}

func (t *tx) delete(ctx context.Context, p *prunable) error {
	if err := t.deleteFrom(deletions, p.run); err != nil {
		return err
	}
	if err := t.deleteHistory(ctx, p.run, p.end); err != nil {
		return err
	}
	failpoint.Hit(failpoint.PartPruned)
	if err := t.deleteFrom(deletionsOfRun, p.run); err != nil {
		return err
	}
	t.countRun(&standing{machine: p.machine, state: p.state, status: machine.Finished, outcome: p.outcome, paused: p.paused}, -1)
	return nil
}

func (t *tx) deleteFrom(deletions []string, run string) error {
	for _, text := range deletions {
		if _, err := t.exec(text, run); err != nil {
			return err
		}
		failpoint.Hit(failpoint.PartPruned)
	}
	return nil
}
