package memstore

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// tally is what pruned runs did, and what is counted of the others when it is
// asked for.
type tally struct {
	steps map[store.StepCount]int64  // Steps of the key is 1
	stays map[store.StayCount]int64  // Visits of the key is 1
	costs map[store.CostCount]string // Amount of the key is empty
}

func newTally() *tally {
	return &tally{steps: map[store.StepCount]int64{}, stays: map[store.StayCount]int64{},
		costs: map[store.CostCount]string{}}
}

// add counts all that a run did.
func (c *tally) add(r *run) error {
	store.CountRecords(r.row.Machine, r.history, time.Time{},
		func(s store.StepCount) { c.steps[s]++ },
		func(s store.StayCount) { c.stays[s]++ })
	return store.CountCosts(r.row.Machine, r.history, func(s store.CostCount) {
		n := s.Amount
		s.Amount = ""
		c.costs[s] = machine.AddAmounts(cmp.Or(c.costs[s], "0"), n)
	})
}

func (s *Store) Counts(ctx context.Context, machine string, since time.Time) (store.Counts, error) {
	return locked(ctx, s, func() (c store.Counts, err error) {
		all := newTally()
		runs := map[store.RunCount]int64{}
		for _, r := range s.runs {
			if err := all.add(r); err != nil {
				return c, err
			}
			runs[store.RunCount{Machine: r.row.Machine, State: r.row.State, Status: r.row.Status, Outcome: r.row.Outcome, Paused: r.row.Paused}]++
		}
		fits := func(name string) bool { return machine == "" || machine == name }
		for key, n := range runs {
			if key.Runs = n; fits(key.Machine) {
				c.Runs = append(c.Runs, key)
			}
		}
		for _, t := range []*tally{all, s.pruned} {
			for key, n := range t.steps {
				if key.Steps = n; fits(key.Machine) && key.Day >= store.DayOf(since) {
					c.Steps = append(c.Steps, key)
				}
			}
			for key, n := range t.stays {
				if key.Visits = n; fits(key.Machine) {
					c.Stays = append(c.Stays, key)
				}
			}
			for key, n := range t.costs {
				if key.Amount = n; fits(key.Machine) && key.Day >= store.DayOf(since) {
					c.Costs = append(c.Costs, key)
				}
			}
		}
		return c, nil
	})
}

func (s *Store) Definitions(ctx context.Context) ([]store.DefinitionRow, error) {
	return locked(ctx, s, func() ([]store.DefinitionRow, error) {
		var rows []store.DefinitionRow
		for _, d := range s.definitions {
			d.Definition = bytes.Clone(d.Definition)
			rows = append(rows, d)
		}
		slices.SortFunc(rows, func(a, b store.DefinitionRow) int {
			return cmp.Or(strings.Compare(a.Machine, b.Machine), strings.Compare(a.Hash, b.Hash))
		})
		return rows, nil
	})
}

func (s *Store) VersionCounts(ctx context.Context) ([]store.VersionCount, error) {
	return locked(ctx, s, func() ([]store.VersionCount, error) {
		byHash := map[string]store.VersionCount{}
		for _, r := range s.runs {
			c, known := byHash[r.row.Definition]
			if c.Hash = r.row.Definition; !known || r.row.Started.Before(c.First) {
				c.First = r.row.Started
			}
			if r.row.Status != machine.Finished {
				c.Runs++
			}
			byHash[c.Hash] = c
		}
		return slices.Collect(maps.Values(byHash)), nil
	})
}

func (s *Store) Waiting(ctx context.Context, before time.Time, limit int) ([]store.TaskRow, error) {
	return locked(ctx, s, func() ([]store.TaskRow, error) {
		rows := s.rows(func(t *task) bool {
			return t.Worker == "" && !t.Cancelled && s.awake(t.Run) && t.age().Before(micro(before))
		})
		return page(rows, limit), nil
	})
}

func (s *Store) Prune(ctx context.Context, q store.PruneQuery) (store.Pruned, error) {
	return locked(ctx, s, func() (done store.Pruned, err error) {
		trees := 0
		for id, r := range s.runs {
			old := r.row.Parent == "" && r.row.Status == machine.Finished && r.row.Updated.Before(micro(q.Before)) &&
				(q.Machine == "" || q.Machine == r.row.Machine) && (q.Outcome == "" || q.Outcome == r.row.Outcome) && (q.Run == "" || q.Run == id)
			if !old {
				continue
			}
			tree := s.tree(id)
			switch busy := slices.ContainsFunc(tree, func(id string) bool { return s.busy(id, micro(q.Now)) }); {
			case busy:
				done.Kept += int64(len(tree))
			case q.DryRun:
				done.Runs += int64(len(tree))
			case trees < q.Limit:
				trees++
				done.Runs += int64(len(tree))
				for _, id := range tree {
					if err := s.delete(id); err != nil {
						return done, err
					}
				}
			}
		}
		if !q.DryRun {
			done.Kept = 0
		}
		return done, nil
	})
}

// tree is a run with all that has it as the root.
func (s *Store) tree(root string) (ids []string) {
	for id, r := range s.runs {
		if r.row.Root == root {
			ids = append(ids, id)
		}
	}
	return ids
}

// busy reports whether something of a run is still under way.
func (s *Store) busy(id string, now time.Time) bool {
	return s.runs[id].row.Status != machine.Finished || s.anyHeld(id, now) || slices.ContainsFunc(s.outbox, func(m *message) bool { return m.Run == id && !m.delivered })
}

func (s *Store) delete(id string) error {
	if err := s.pruned.add(s.runs[id]); err != nil {
		return err
	}
	s.feed = slices.DeleteFunc(s.feed, func(f fed) bool { return f.run == s.runs[id] })
	delete(s.runs, id)
	delete(s.untold, id)
	s.remove(func(t *task) bool { return t.Run == id })
	s.outbox = slices.DeleteFunc(s.outbox, func(m *message) bool { return m.Run == id })
	maps.DeleteFunc(s.timers, func(key timerKey, _ time.Time) bool { return key.run == id })
	maps.DeleteFunc(s.checkpoints, func(key checkpointKey, _ checkpoint) bool { return key.run == id })
	return nil
}
