//go:build cgo

package sqlite

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A task that has waited for its NotBefore and one that was ready at once stand
// in different indexes, each in the order of age. Claim takes the oldest of
// each, for each activity, and of those the oldest. A task may be handed out
// while no cancelled one of its run is held, and no timer of its run is due. Each says, too,
// whether there are limits at all, so that who has none does not ask for them.
const (
	free = ` AND NOT EXISTS (
		SELECT 1 FROM tasks AS other
		WHERE other.run = tasks.run AND other.cancelled = 1 AND (other.lease_until > ?1 OR other.child IS NOT NULL AND other.ended = 0))
		AND NOT EXISTS (SELECT 1 FROM timers WHERE timers.run = tasks.run AND timers.due <= ?1)`
	freeRun = ` AND NOT EXISTS (SELECT 1 FROM tasks AS other
		WHERE other.run = ?4 AND other.cancelled = 1 AND (other.lease_until > ?1 OR other.child IS NOT NULL AND other.ended = 0))
		AND NOT EXISTS (SELECT 1 FROM timers WHERE timers.run = ?4 AND timers.due <= ?1)` // asked once, however many tasks there are
	below4       = ` run >= ?4 || '/' AND run < ?4 || '0'` // ids that begin with it and a slash: a 0 is next to that
	selectAtOnce = `
	SELECT id, queued AS age, EXISTS (SELECT 1 FROM limits) FROM tasks
	WHERE definition = ?2 AND activity = ?3 AND worker IS NULL AND awake = 1 AND not_before IS NULL` + free + `
	ORDER BY queued, id LIMIT ?4 + 0`
	selectLater = `
	SELECT id, not_before AS age, EXISTS (SELECT 1 FROM limits) FROM tasks
	WHERE definition = ?2 AND activity = ?3 AND worker IS NULL AND awake = 1
		AND not_before IS NOT NULL AND not_before <= ?1` + free + `
	ORDER BY not_before, id LIMIT ?4 + 0`
	selectOfRun = `
	SELECT id, coalesce(not_before, queued) AS age, EXISTS (SELECT 1 FROM limits) FROM tasks
	WHERE run = ?4 AND definition = ?2 AND activity = ?3 AND worker IS NULL AND awake = 1
		AND (not_before IS NULL OR not_before <= ?1)` + freeRun + `
	UNION ALL
	SELECT id, coalesce(not_before, queued), EXISTS (SELECT 1 FROM limits) FROM tasks
	WHERE` + below4 + ` AND definition = ?2 AND activity = ?3 AND worker IS NULL AND awake = 1
		AND (not_before IS NULL OR not_before <= ?1)` + free

	deleteStopped = `
	DELETE FROM tasks WHERE worker IS NOT NULL AND lease_until <= ? AND cancelled = 1`
	raiseEpoch = `
	UPDATE epochs SET epoch = epoch + ? WHERE id = 1`
	claimTask = `
	UPDATE tasks SET epoch = (SELECT epoch FROM epochs) - ?, worker = ?, claimed = ?, lease_until = ?, beat = ?, progress = ?
	WHERE id = ?`
	selectTask = selectTasks + ` WHERE id = ?`
)

// candidate is a task that is ready.
type candidate struct {
	id, age int64
	limits  bool              // some activity has one
	limited *sqlrow.Allowance // of its own; nil for any number
}

func scanCandidate(found sqlrow.Row, c *candidate) error { return found.Scan(&c.id, &c.age, &c.limits) }

// Claim implements store.Store. It asks the readers first, so that workers
// who find nothing do not disturb the writer.
func (s *Store) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	if err := s.inPlace(); err != nil {
		return nil, err
	}
	some, err := glancing(ctx, s, func(from sqlrow.Source) (bool, error) {
		ready, limited, err := candidates(ctx, from, &q)
		for _, a := range limited {
			if ahead(a, q.Now) {
				return true, err
			}
		}
		return len(ready) > 0, err
	})
	if err != nil || !some {
		return nil, err
	}
	return writing(ctx, s, func(t *tx) ([]store.TaskRow, error) { return t.claim(ctx, &q) })
}

// inPlace looks whether the database is still where it was and is written to: an idle
// worker writes nothing, and would not notice.
func (s *Store) inPlace() error {
	if s.writer == nil {
		return nil
	}
	if err := s.writer.over(); err != nil {
		return err
	}
	_, err := s.writer.footing.holds()
	if errors.Is(err, ErrMoved) && !s.closed.Load() {
		return stoppedBy(err)
	}
	return s.readError(err)
}

// candidates are the tasks that are ready, oldest first, as many as limits let through,
// and the allowances of those that have a limit.
func candidates(ctx context.Context, from sqlrow.Source, q *store.ClaimQuery) ([]candidate, map[store.Claimable]*sqlrow.Allowance, error) {
	all, err := ready(ctx, from, q, nil)
	if err != nil || len(all) == 0 || !all[0].limits {
		return all, nil, err
	}
	limited, err := allowances(ctx, from, q)
	if err != nil || len(limited) == 0 {
		return all, nil, err
	}
	all, err = ready(ctx, from, q, limited)
	return all, limited, err
}

// ready are the candidates under some allowances.
func ready(ctx context.Context, from sqlrow.Source, q *store.ClaimQuery, limited map[store.Claimable]*sqlrow.Allowance) (all []candidate, err error) {
	now := micros(q.Now)
	add := func(a *sqlrow.Allowance, text string, args ...any) error {
		found, err := sqlrow.List(ctx, from, scanCandidate, text, args...)
		for i := range found {
			found[i].limited = a
		}
		all = append(all, found...)
		return err
	}
	for _, c := range q.Activities {
		a, most := limited[c], q.Limit
		if a != nil {
			most = a.Free
		}
		switch {
		case most == 0:
		case q.Run != "":
			err = add(a, selectOfRun, now, c.Definition, c.Activity, q.Run)
		default:
			if err = add(a, selectAtOnce, now, c.Definition, c.Activity, most); err == nil {
				err = add(a, selectLater, now, c.Definition, c.Activity, most)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.age, b.age), cmp.Compare(a.id, b.id))
	})
	all = slices.Compact(all) // an activity may be asked for twice
	if len(limited) > 0 {
		all = slices.DeleteFunc(all, func(c candidate) bool { return c.limited != nil && !c.limited.Take() })
	}
	return all[:min(len(all), q.Limit)], nil
}

func (t *tx) claim(ctx context.Context, q *store.ClaimQuery) ([]store.TaskRow, error) {
	now := micros(q.Now)
	if _, err := t.exec(deleteStopped, now); err != nil {
		return nil, err
	}
	ready, limited, err := candidates(ctx, t, q)
	if err != nil {
		return nil, err
	}
	if caught, err := t.catchUp(limited, q.Now); err != nil {
		return nil, err
	} else if caught {
		if ready, _, err = candidates(ctx, t, q); err != nil {
			return nil, err
		}
	}
	if len(ready) == 0 {
		return nil, nil
	}
	if _, err := t.exec(raiseEpoch, len(ready)); err != nil {
		return nil, err
	}
	failpoint.Hit(failpoint.EpochRaised)
	var claimed []store.TaskRow
	for i, c := range ready {
		below := len(ready) - 1 - i
		if _, err := t.exec(claimTask, below, q.Worker, now, micros(q.Until), now, now, c.id); err != nil {
			return nil, err
		}
		if c.limited != nil {
			if err := t.claimed(c.limited, q.Now); err != nil {
				return nil, err
			}
		}
		row, _, err := sqlrow.First(ctx, t, sqlrow.Task, selectTask, c.id)
		if err != nil {
			return nil, err
		}
		claimed = append(claimed, row)
		failpoint.Hit(failpoint.TaskClaimed)
	}
	return claimed, nil
}
