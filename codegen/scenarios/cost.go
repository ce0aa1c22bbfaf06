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
// budgets: more than the whole budget. Of others, it says that it has used nothing where what is
// declared could keep the next attempt from beginning.
func (w *writer) used(do int, costs []string) map[string]json.Number {
	used := map[string]json.Number{}
	held := w.m.Enforced()
	if len(costs) == 0 && len(held) == 0 {
		return nil
	}
	for _, c := range w.m.Budget.Costs {
		switch {
		case !w.m.Dos[do].Activity.Spends(c.Name):
		case slices.Contains(costs, c.Name):
			used[c.Name] = json.Number(ir.DecimalText(new(big.Rat).Add(c.Amount, big.NewRat(1, 1))))
		case slices.Contains(held, c.Name) && w.mayHold(c):
			used[c.Name] = "0"
		}
	}
	return used
}

// mayHold reports whether the run would pass the budget of a cost if all attempts under way, and
// one more, cost as much as any declares.
func (w *writer) mayHold(budget ir.Cost) bool {
	sum, most := new(big.Rat), new(big.Rat)
	for _, c := range w.sim.Run().Spent {
		if c.Name == budget.Name {
			sum.SetString(c.Amount)
		}
	}
	if sum.Cmp(budget.Amount) > 0 {
		return false // over_budget has come, and holds nothing back
	}
	for _, a := range w.m.Activities {
		for _, c := range a.Costs {
			if c.Name == budget.Name && c.Amount.Cmp(most) > 0 {
				most = c.Amount
			}
		}
	}
	attempts := big.NewRat(int64(len(w.sim.Run().HandedOut())+1), 1)
	return sum.Add(sum, attempts.Mul(attempts, most)).Cmp(budget.Amount) > 0
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
