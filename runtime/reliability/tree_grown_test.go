//go:build unix && cgo

package reliability

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// whenGrown is what is held of a tree that has had time to end, in this order.
var whenGrown = []struct {
	name  string
	holds func(*grove) error
}{
	{"nothing of a child is under way when its tree has ended", (*grove).still},
	{"what is under way is not pruned", (*grove).kept},
	{"every run has ended", (*grove).ended},
	{"every run is the replay of its history, and nothing is there to be repaired", (*grove).sound},
	{"no task is left", (*grove).noTasks},
	{"a run is told of the end of a child one time at most", (*grove).toldOnce},
	{"the root knows what has been used, and no more than its budget and what was under way then", (*grove).paid},
	{"nothing is wrong with the health of the store", (*grove).healthy},
}

// look holds a tree against whenGrown.
func (g *grove) look() {
	for i, h := range whenGrown {
		if err := h.holds(g); err != nil {
			g.fault("%s: %w", h.name, err)
		}
		if i == 1 {
			time.Sleep(time.Minute) // for what the root has left behind
		}
	}
	g.runs += len(g.rows())
	g.steps += settled(g.t, g.db)
	if g.t.Failed() {
		histories(g.t, g.db, errors.Join(g.faults...))
	}
}

// each joins what is wrong with each run.
func (g *grove) each(wrong func(row *runtime.RunRow) error) error {
	var all []error
	rows := g.rows()
	for i := range rows {
		if err := wrong(&rows[i]); err != nil {
			all = append(all, fmt.Errorf("run %q: %w", rows[i].Run, err))
		}
	}
	return errors.Join(all...)
}

func (g *grove) still() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for d := range g.active {
		if len(d.in) > 1 && g.over() {
			return errors.New(d.String())
		}
	}
	return nil
}

func (g *grove) underWay() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.active)
}

func (g *grove) kept() error {
	n := g.underWay()
	if n == 0 || !g.over() || g.deadly {
		return nil
	}
	done, err := g.prune()
	if err == nil && done.Runs > 0 && g.underWay() == n {
		return fmt.Errorf("%d runs are pruned while %d attempts are under way", done.Runs, n)
	}
	return err
}

func (g *grove) ended() error {
	return g.each(func(row *runtime.RunRow) error {
		if row.Status == runtime.Finished {
			return nil
		}
		v, err := g.workers[0].Get(g.t.Context(), row.Run)
		return errors.Join(err, fmt.Errorf("it is %s in %s, with %+v", row.Status, row.State, v.Activities))
	})
}

func (g *grove) sound() error {
	return g.each(func(row *runtime.RunRow) error {
		if err := g.workers[0].Replay(g.t.Context(), row.Run); err != nil {
			return err
		}
		r, err := g.workers[0].Repair(g.t.Context(), row.Run, runtime.RepairOptions{Operator: ada})
		if len(r.Faults) > 0 {
			err = fmt.Errorf("%+v", r.Faults)
		}
		return err
	})
}

func (g *grove) noTasks() error {
	return g.each(func(row *runtime.RunRow) error {
		tasks, err := g.db.Tasks(g.t.Context(), row.Run)
		tasks = slices.DeleteFunc(tasks, func(t store.TaskRow) bool { return t.Stopped(time.Now()) })
		if len(tasks) > 0 {
			err = fmt.Errorf("%+v", tasks)
		}
		return err
	})
}

// toldOnce looks at who has ended attempts: a child, by its id. What comes while a run is paused is there two times.
func (g *grove) toldOnce() error {
	told := map[string]int{}
	return g.each(func(row *runtime.RunRow) error {
		steps, err := g.workers[0].History(g.t.Context(), row.Run, 0, 0)
		for _, s := range steps {
			ends := s.Kind == machine.ResultInput || s.Kind == machine.FailureInput
			if !ends || s.Effect == machine.Queued || !strings.HasPrefix(s.Actor, row.Run+"/") {
				continue
			}
			if told[s.Actor]++; told[s.Actor] > 1 {
				return fmt.Errorf("of %q it is told again", s.Actor)
			}
		}
		return err
	})
}

// paid looks at the cents that the root counts. An engine that dies may take what an attempt had used with it.
func (g *grove) paid() error {
	v, err := g.workers[0].Get(g.t.Context(), root)
	if err != nil || len(v.Costs) == 0 {
		return errors.Join(err, fmt.Errorf("run %q has no costs", root))
	}
	usd, _ := new(big.Rat).SetString(v.Costs[0].Spent)
	cents, _ := usd.Mul(usd, big.NewRat(100, 1)).Float64()
	switch {
	case int(cents) < g.spent && !g.deadly:
		return fmt.Errorf("run %q counts %v cents, and %d were used: %v", root, cents, g.spent, g.used)
	case int(cents) > g.wood.most:
		return fmt.Errorf("run %q has used %v cents of %d", root, cents, g.wood.most)
	}
	return nil
}

func (g *grove) healthy() error {
	h, err := g.workers[0].Health(g.t.Context(), runtime.HealthQuery{Stuck: time.Hour})
	if len(h.Problems) > 0 {
		err = fmt.Errorf("%+v", h.Problems)
	}
	return err
}
