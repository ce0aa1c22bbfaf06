package check

import (
	"fmt"
	"math/big"

	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// upperBounds is the worst case past the limit: upper bounds from the control
// graph, printed "at most". Of time it knows nothing.
func upperBounds(c *control.Graph) *Worst {
	m := c.Table.Machine
	entries := c.Entries()
	attempts, factors := make([]int64, len(m.Activities)), make([][]string, len(m.Activities))
	steps := int64(-1) // the start is none
	for _, s := range m.States {
		steps = addUp(steps, entries[s.ID])
	}
	stepFactors := []string{fmt.Sprintf("%d moves", max(steps, 0))}
	for _, d := range m.Dos {
		visits, at := entries[d.State.ID], d.Activity.Index
		_, elements := d.Elements()
		retries := graph.Times(graph.Times(visits, elements), c.Retries(d))
		steps = addUp(steps, retries)
		attempts[at] = addUp(attempts[at], addUp(graph.Times(visits, elements), retries))
		if visits > 0 {
			factors[at] = append(factors[at], fmt.Sprintf("%s x %s%s of %s",
				counted(graph.Sum(1, c.Retries(d)), "attempt"), timesElements(d, elements), counted(visits, "visit"), d.State.Path))
		}
		if retries > 0 {
			stepFactors = append(stepFactors, fmt.Sprintf("%d retries of %s", retries, d.Activity.Name))
		}
	}
	w := &Worst{Steps: upperFigure("steps", steps, stepFactors), Time: Figure{Name: "time"}}
	for _, a := range m.Activities {
		w.Activities = append(w.Activities, upperFigure(a.Name, attempts[a.Index], factors[a.Index]))
	}
	for _, name := range costNames(m) {
		w.Costs = append(w.Costs, upperCost(m, name, attempts))
	}
	for _, list := range [][]Figure{{w.Steps, w.Time}, w.Costs, w.Activities} {
		for _, f := range list {
			if f.Amount == nil {
				w.Unbounded = append(w.Unbounded, Endless{What: f.Name, Why: "past the limit of configurations, the control graph alone gives no bound"})
			}
		}
	}
	return w
}

// addUp is a + b, where a may be -1.
func addUp(a, b int64) int64 {
	if a < 0 {
		if b == graph.Infinite {
			return b
		}
		return a + b
	}
	return graph.Sum(a, b)
}

func upperFigure(name string, amount int64, factors []string) Figure {
	f := Figure{Name: name}
	if amount != graph.Infinite {
		f.Amount = new(big.Rat).SetInt64(max(amount, 0))
		f.Factors = sum(factors)
	}
	return f
}

func upperCost(m *ir.Machine, name string, attempts []int64) Figure {
	f := Figure{Name: name, Amount: new(big.Rat)}
	var terms []string
	for _, a := range m.Activities {
		for _, c := range a.Costs {
			if c.Name != name || c.Amount.Sign() == 0 {
				continue
			}
			if attempts[a.Index] == graph.Infinite {
				return Figure{Name: name}
			}
			f.Amount.Add(f.Amount, new(big.Rat).Mul(c.Amount, new(big.Rat).SetInt64(attempts[a.Index])))
			if attempts[a.Index] > 0 {
				terms = append(terms, costTerm(attempts[a.Index], a, c.Amount))
			}
		}
	}
	f.Factors = sum(terms)
	return f
}
