//go:build cgo

package sqlite

import (
	"cmp"
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// costs are what a batch adds to what attempts have used. They are exact
// decimals, which SQL cannot add: each sum is read and written back just before
// the COMMIT, once for a batch. Most batches have none.
type costs map[cost]string

// cost names one sum.
type cost struct {
	machine, name string
	day           int64
}

func (c costs) add(key cost, amount string) {
	c[key] = machine.AddAmounts(cmp.Or(c[key], "0"), amount)
}

func (c costs) merge(other costs) {
	for key, amount := range other {
		c.add(key, amount)
	}
}

// countCosts counts what the attempts that a commit is about have used.
func (t *tx) countCosts(c *store.Commit) error {
	return store.CountCosts(c.Run.Machine, c.History, func(n store.CostCount) {
		if t.costs == nil {
			t.costs = costs{}
		}
		t.costs.add(cost{n.Machine, n.Name, n.Day}, n.Amount)
	})
}

const (
	selectCost = `
	SELECT amount FROM cost_counts WHERE machine = ? AND day = ? AND name = ? AND part = 0`
	upsertCost = `
	INSERT INTO cost_counts (machine, day, name, part, amount) VALUES (?, ?, ?, 0, ?)
	ON CONFLICT DO UPDATE SET amount = excluded.amount`
	selectCosts = `
	SELECT machine, day, name, amount FROM cost_counts WHERE (?1 = '' OR machine = ?1) AND day >= ?2`
)

// writeCosts adds what the batch's attempts have used to the table.
func (w *writer) writeCosts() error {
	for key, amount := range w.effects.costs {
		t := tx{w: w}
		sum, _, err := sqlrow.First(context.Background(), &t, sqlrow.One[string], selectCost, key.machine, key.day, key.name)
		if err == nil {
			_, err = t.exec(upsertCost, key.machine, key.day, key.name, machine.AddAmounts(cmp.Or(sum, "0"), amount))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readCosts gives the sums of a machine; an empty one stands for all.
func readCosts(ctx context.Context, from sqlrow.Source, machine string, since time.Time) ([]store.CostCount, error) {
	return sqlrow.List(ctx, from, func(found sqlrow.Row, r *store.CostCount) error {
		return found.Scan(&r.Machine, &r.Day, &r.Name, &r.Amount)
	}, selectCosts, machine, store.DayOf(since))
}
