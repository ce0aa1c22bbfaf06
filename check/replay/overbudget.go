package replay

import (
	"cmp"
	"errors"
	"slices"

	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A witness does not say what attempts report. That over_budget comes is made so by a report
// that passes the budget: with the end of an attempt, where over_budget is the next row, else
// on the way of one that runs.

// overs are the costs whose over_budget comes right behind row i, as one report makes them
// due: by name. What comes behind over_budget of a later name was reported behind that.
func (p *player) overs(i int) (costs []string) {
	last := p.overOf(i)
	for i++; i < len(p.w.Path); i++ {
		cost := p.overOf(i)
		if cost <= last {
			break
		}
		costs, last = append(costs, cost), cost
	}
	return costs
}

// overOf is the cost whose over_budget comes in row i; empty where something else does.
func (p *player) overOf(i int) string {
	if in := p.w.Path[i].Input; in.Kind == witness.Comes && in.Case.Kind == ir.CaseOverBudget {
		return in.Cost
	}
	return ""
}

// report is of an attempt of a that passes the budgets of those costs which a declares.
func (r *run) report(a *ir.Activity, costs []string) (report []machine.Cost) {
	for _, c := range r.book.m.Budget.Costs {
		if slices.Contains(costs, c.Name) && a.Spends(c.Name) {
			report = append(report, machine.Cost{Name: c.Name, Amount: machine.AddAmounts(ir.DecimalText(c.Amount), "1")})
		}
	}
	slices.SortFunc(report, func(a, b machine.Cost) int { return cmp.Compare(a.Name, b.Name) })
	return report
}

// overDue is the cost whose over_budget comes before all else; empty for none.
func (r *run) overDue() string {
	if len(r.s.OverDue) == 0 {
		return ""
	}
	return r.s.OverDue[0]
}

// spender is an attempt that runs of an activity that declares the cost, the one first that
// began first; nil where there is none.
func (r *run) spender(cost string) (first *machine.Task) {
	for i := range r.s.Tasks {
		t := &r.s.Tasks[i]
		if t.State == machine.TaskOpen && r.book.m.Dos[t.Do].Activity.Spends(cost) && (first == nil || r.started[t.Do] < r.started[first.Do]) {
			first = t
		}
	}
	return first
}

var errOverFirst = errors.New("over_budget comes first, or does not come")

// awaitOver lets the time pass until over_budget can come.
func (r *run) awaitOver(in *input) error {
	switch due := r.overDue(); {
	case due == in.Cost:
		return nil
	case due != "" || slices.Contains(r.s.OverDone, in.Cost):
		return errOverFirst
	case r.s.DoneDue:
		return errors.New("done comes first")
	}
	t := r.spender(in.Cost)
	if t == nil {
		return errors.New("no attempt spends it")
	}
	if r.now = max(r.now, r.at, r.started[t.Do]); r.due() != nil {
		return errors.New("a timer comes first")
	}
	if r.pending() != nil {
		return errors.New("a deferred event comes first")
	}
	return nil
}

// pass has an attempt report what makes over_budget due, unless it is.
func (r *run) pass(in *input) error {
	if r.overDue() == in.Cost {
		return nil
	}
	t := r.spender(in.Cost)
	if t == nil {
		return errOverFirst
	}
	costs := append([]string{in.Cost}, in.overs...)
	return r.step(machine.Input{
		Kind: machine.SpentInput, Do: t.Do, Index: t.Index, Key: t.Key, Attempt: t.Attempt, Cost: r.report(r.book.m.Dos[t.Do].Activity, costs),
	}, nil, nil)
}
