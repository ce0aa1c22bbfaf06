package check

import (
	"math/big"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// held is whole for a cost of which runs are held to its budget, and over_budget is taken
// wherever it may come. It is at most the sum of these:
//
//   - the budget, for no attempt begins past it before over_budget is taken;
//   - what children use that run side by side, since nothing is reserved for them. What has ended
//     is known when the next attempt begins, or the next child;
//   - what stands side by side in a leaf in which the run then stays, for that may begin
//     afterwards though it is counted with the step before;
//   - what follows over_budget.
func (t *meter) held(name string, amounts map[*ir.Activity]*big.Rat, w *explore.Weigher, unit *big.Rat) Figure {
	unbounded, of := len(t.out.Unbounded), measure{ofCost, name}
	f := t.weighed(name, of, amounts, w, unit)
	f.Held = true
	budget := t.budget(name)
	f.past = f.Amount != nil && f.Amount.Cmp(budget) > 0
	longest := graph.NewLongest(&t.p.Graph, t.of, t.n, w.Of)
	after, comes, stays := int64(0), false, map[*ir.State]bool{}
	for from, e := range t.p.Edges() {
		if t.p.IsOverBudget(e, name) {
			after, comes = max(after, graph.Sum(w.Of(from, e), longest.Length(t.p.To[e]))), true
			stays[t.p.Leaf(from)] = stays[t.p.Leaf(from)] || !t.p.IsMove(e)
		}
	}
	children := t.childrenBeside(name, inUnits(amounts, unit))
	if !comes || after == graph.Infinite || children == graph.Infinite {
		return f
	}
	terms := []term{{budget, "of the budget"}, {times(children, unit), "by children side by side"}, {t.beside(stays, amounts), "side by side"},
		{times(after, unit), "after over_budget(" + name + ")"}}
	most, factors := new(big.Rat), ""
	for i, term := range terms {
		if most.Add(most, term.amount); i > 0 && term.amount.Sign() == 0 {
			continue
		}
		if i > 0 {
			factors += " + "
		}
		factors += ir.DecimalText(term.amount) + " " + term.what
	}
	if f.Amount != nil && f.Amount.Cmp(most) <= 0 {
		return f
	}
	t.out.Unbounded = t.out.Unbounded[:unbounded]
	return Figure{Name: name, Amount: most, Factors: factors, Held: true, shown: true, measure: of}
}

// budget is that of a cost.
func (t *meter) budget(name string) *big.Rat {
	return costOf(&ir.Activity{Costs: t.p.Table.Machine.Budget.Costs}, name)
}

// term is a part of a figure.
type term struct {
	amount *big.Rat
	what   string
}

func times(n int64, unit *big.Rat) *big.Rat { return new(big.Rat).Mul(new(big.Rat).SetInt64(n), unit) }

// beside is the most that stands side by side in one of those leaves that are true.
func (t *meter) beside(leaves map[*ir.State]bool, amounts map[*ir.Activity]*big.Rat) *big.Rat {
	beside := new(big.Rat)
	for s := range leaves {
		if !leaves[s] {
			continue
		}
		sum := new(big.Rat)
		for _, d := range s.Dos {
			if amount := amounts[d.Activity]; amount != nil {
				begin := big.NewInt(1)
				if d.Fan != nil { // with its elements the retries are counted that change nothing
					begin.Mul(big.NewInt(d.Fan.Most), big.NewInt(t.p.AttemptsEach(d)))
				}
				sum.Add(sum, new(big.Rat).Mul(amount, new(big.Rat).SetInt(begin)))
			}
		}
		if sum.Cmp(beside) > 0 {
			beside = sum
		}
	}
	return beside
}

// inUnits is what an attempt of each activity uses, as a whole number of unit; graph.Infinite
// where that has no bound.
func inUnits(amounts map[*ir.Activity]*big.Rat, unit *big.Rat) func(*ir.Activity) int64 {
	return func(a *ir.Activity) int64 {
		if amounts[a] == nil {
			return graph.Infinite
		}
		if n := new(big.Rat).Quo(amounts[a], unit).Num(); n.IsInt64() {
			return n.Int64()
		}
		return graph.Infinite
	}
}

// childrenBeside is the most that children which run side by side use of a cost, in whole numbers of
// a unit; each is what a run of a machine uses.
func (t *meter) childrenBeside(cost string, each func(*ir.Activity) int64) int64 {
	most := int64(0)
	for _, s := range t.p.Table.Machine.States {
		if _, entered := t.p.Entered(s); !entered {
			continue
		}
		sum := int64(0)
		for _, d := range s.Dos {
			if d.Activity.Machine == nil || !d.Activity.Spends(cost) {
				continue
			}
			_, n := d.Elements()
			if d.Fan != nil && d.Fan.Limit > 0 {
				n = min(n, d.Fan.Limit)
			}
			sum = graph.Sum(sum, graph.Times(n, each(d.Activity)))
		}
		most = max(most, sum)
	}
	return most
}
