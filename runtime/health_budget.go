package runtime

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// budgets lists the running runs that are over what their machine's budget
// gives them. Only machines with a budget are looked at. Which runs have taken
// too long the store can say; steps and costs stand in each run. Where there are
// more of these than are looked at, there may be more problems.
func (x *examination) budgets(ctx context.Context) (problems []Problem, cut bool, err error) {
	rows, err := x.e.store.Definitions(ctx)
	for i := range rows {
		h, err := x.e.host(ctx, rows[i].Hash)
		if err != nil {
			continue // its runs are listed as damaged
		}
		budget := h.machine.Definition().Budget
		if budget == nil || budget.Steps == nil && budget.Time == nil && len(budget.Costs) == 0 {
			continue
		}
		f := RunFilter{Definition: rows[i].Hash, Status: Running}
		if budget.Steps == nil && len(budget.Costs) == 0 {
			f.StartedTo = x.now.Add(-time.Duration(*budget.Time))
		}
		part, err := x.each(ctx, f, &problems, func(r *RunRow) (Problem, error) {
			why, err := x.overBudget(ctx, h.machine, r)
			return ofRun(r, r.Updated, why), err
		})
		if err != nil {
			return nil, false, err
		}
		cut = cut || part
	}
	return problems, cut, err
}

// overBudget says by what a run is over its budget, or nothing.
func (x *examination) overBudget(ctx context.Context, m *Machine, r *RunRow) (string, error) {
	b := m.Definition().Budget
	if len(b.Costs) > 0 && bytes.Contains(r.Snapshot, []byte(`"spent":`)) {
		if s, err := m.DecodeSnapshot(r.Snapshot); err == nil {
			for _, c := range m.CostViews(s) {
				if c.Over {
					return fmt.Sprintf("it has used %s %s of its budget of %s", c.Spent, c.Name, c.Budget), nil
				}
			}
		}
	}
	if b.Time != nil {
		if limit := time.Duration(*b.Time); x.now.Sub(r.Started) > limit {
			return fmt.Sprintf("it has taken longer than its budget of %s", machine.DurationText(limit)), nil
		}
	}
	if b.Steps == nil || r.Seq <= *b.Steps { // a record is at most one step
		return "", nil
	}
	steps, err := x.steps(ctx, r)
	if err != nil || steps <= *b.Steps {
		return "", err
	}
	return fmt.Sprintf("it has taken %d steps of its budget of %d", steps, *b.Steps), nil
}

// steps counts as the language does: moves and retries, without the start.
func (x *examination) steps(ctx context.Context, r *RunRow) (steps int64, err error) {
	err = x.e.eachRecord(ctx, r, func(h *store.HistoryRow) error {
		if h.Kind != machine.StartInput && (h.Effect == machine.Moved || h.Effect == machine.Retried) {
			steps++
		}
		return nil
	})
	return steps, err
}
