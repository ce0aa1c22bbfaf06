package check

import (
	"math/big"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/lifetime"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Visit is the worst case of a leaf or a composite: how often any run enters it, and the
// most that one visit takes, which need not be in that run. All are upper bounds.
type Visit struct {
	State   *ir.State
	Entered *big.Rat // nil where there is no bound, here and below
	Time    *big.Rat // nanoseconds
	Costs   []Figure // name and amount, in the order of those of the machine
}

// Visit is the worst visit of the state with a path; nil where it is not known.
func (w *Worst) Visit(path string) *Visit {
	for i := range w.Visits {
		if w.Visits[i].State.Path == path {
			return &w.Visits[i]
		}
	}
	return nil
}

// maxEntryWork is how many edges may be looked at to count the visits of all states
// exactly; past it the control graph tells.
// It is a variable for tests alone.
var maxEntryWork = 100_000_000

// visits finds the worst visits. Past the limit of configurations nothing is known of them.
//
// A figure of a visit that is more than that of a whole run is that of the run: the time of
// a run knows of timers around it, and a cost of budgets to which it is held.
func (s *shared) visits(w *Worst) {
	p, m := s.Product(), s.Machine
	if p == nil {
		return
	}
	deepest := 0
	for _, state := range m.States {
		if state.Kind != ir.Terminal {
			deepest = max(deepest, state.Depth)
		}
	}
	times, costs := make([][]int64, deepest+1), make([][][]int64, len(w.Costs))
	units := make([]*big.Rat, len(w.Costs))
	t := s.meter(p, w)
	for depth := 1; depth <= deepest; depth++ {
		times[depth] = lifetime.Visits(p, depth)
	}
	for i, c := range w.Costs {
		_, weight, unit := t.weigh(measure{ofCost, c.Name})
		costs[i], units[i] = make([][]int64, deepest+1), unit
		for depth := 1; depth <= deepest; depth++ {
			costs[i][depth] = p.MostInVisit(weight, depth)
		}
	}
	entries := s.entries()
	for _, state := range m.States {
		if state.Kind == ir.Terminal || state == m.Root {
			continue
		}
		v := Visit{State: state, Entered: inUnit(entries[state.ID], one())}
		v.Time = least(inUnit(times[state.Depth][state.ID], one()), w.Time.Amount)
		for i, c := range w.Costs {
			v.Costs = append(v.Costs, Figure{Name: c.Name, Amount: least(inUnit(costs[i][state.Depth][state.ID], units[i]), c.Amount)})
		}
		w.Visits = append(w.Visits, v)
	}
}

// entries says how often each state is entered at most, by its ID.
func (s *shared) entries() []int64 {
	p := s.Product()
	if len(p.To) <= maxEntryWork/len(s.Machine.States) {
		return p.Entries()
	}
	total := make([]int64, len(s.Machine.States))
	for id, n := range s.Control().Entries() {
		for state := s.Machine.States[id]; state != nil; state = state.Parent { // each visit begins with one of a leaf
			total[state.ID] = graph.Sum(total[state.ID], n)
		}
	}
	return total
}

// inUnit is so many of unit; nil for graph.Infinite.
func inUnit(n int64, unit *big.Rat) *big.Rat {
	if n == graph.Infinite {
		return nil
	}
	return times(n, unit)
}

// least is the lesser of two amounts, of which nil is without end.
func least(a, b *big.Rat) *big.Rat {
	if a == nil || b != nil && b.Cmp(a) < 0 {
		return b
	}
	return a
}
