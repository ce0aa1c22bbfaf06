package scenarios

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// over_budget of a cost comes because some attempt has used more than the budget: the one that
// ends right before it, or else one that runs, at a checkpoint.

// passedBehind are the costs of the over_budgets with which steps begin.
func passedBehind(steps []ir.CoverStep) (costs []string) {
	for i := range steps {
		if steps[i].Input.Kind != ir.CaseOverBudget {
			break
		}
		costs = append(costs, steps[i].Input.Cost)
	}
	return costs
}

// used is what an attempt of a do says so that those of costs that its activity spends pass their
// budgets: more than the whole budget.
func (w *writer) used(do int, costs []string) (used map[string]json.Number) {
	if w.m.Budget == nil {
		return nil
	}
	for _, c := range w.m.Budget.Costs {
		if slices.Contains(costs, c.Name) && w.m.Dos[do].Activity.Spends(c.Name) {
			if used == nil {
				used = map[string]json.Number{}
			}
			used[c.Name] = json.Number(ir.DecimalText(new(big.Rat).Add(c.Amount, big.NewRat(1, 1))))
		}
	}
	return used
}

// undeclared is a cost that no activity of the machine, or of one that it calls, declares; empty
// for none.
func (w *writer) undeclared(used map[string]json.Number) string {
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if !slices.ContainsFunc(w.m.Activities, func(a *ir.Activity) bool { return a.Spends(name) }) {
			return name
		}
	}
	return ""
}

// costWords is " cost tokens 3, usd 0.5"; empty for nothing.
func costWords(used map[string]json.Number) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(used)) {
		amount := used[name].String()
		if exact, ok := new(big.Rat).SetString(amount); ok { // the language has no exponents
			amount = ir.DecimalText(exact)
		}
		list = append(list, name+" "+amount)
	}
	if len(list) == 0 {
		return ""
	}
	return " cost " + strings.Join(list, ", ")
}

// pass has an attempt that runs say that it has used more than the budget of a cost.
func (w *writer) pass(cost string) error {
	for _, t := range w.underWay() {
		if !w.m.Dos[t.Do].Activity.Spends(cost) {
			continue
		}
		name, err := w.nameOf(&t)
		if err != nil {
			return err
		}
		used := w.used(t.Do, append([]string{cost}, w.passed...))
		w.line("%s checkpoint%s", name, costWords(used))
		return w.take(simulate.Move{Kind: machine.ProgressInput, Do: name, Cost: used})
	}
	return fmt.Errorf("no attempt runs there that spends %s", cost)
}
