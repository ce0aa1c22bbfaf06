package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// What attempts report is not known before they run, so over_budget of a cost may come, once
// for each cost, while an activity that declares the cost is about to begin or runs, and
// after the step with which it ends: then it is due, and comes before all else. Costs that
// become due together come by name. A configuration has of each cost whether it is due, and
// whether it was taken.

// nextOver is the place among the costs of the one whose over_budget comes before all else;
// -1 where none is due.
func (x *search) nextOver() int {
	for at := range x.Program.Enforced {
		if x.Program.Packing.OverDue.Has(x.Here, at) {
			return at
		}
	}
	return -1
}

// overBudget calls f with over_budget where it is due, and reports whether it is.
func (x *search) overBudget(code *step.StateCode, f func(*step.InputCode)) bool {
	at := x.nextOver()
	if at < 0 {
		return false
	}
	if x.timed() {
		x.moment.Copy(x.since)
	}
	f(&code.Inputs[code.Over[at]])
	return true
}

// haltsNext reports whether the step at hand, with which input by is taken, leads to where
// over_budget is due and nothing speaks of it: the run halts there, and is not followed.
// Behind over_budget of another cost that became due with it, the run is followed as if this
// one had not: the way to here would else look like one that leads nowhere.
func (x *search) haltsNext(by int32) bool {
	k := x.Program.Packing
	leaf := x.Program.Machine.States[k.Leaf.Get(x.Next)]
	if leaf.Kind != ir.Leaf {
		return false
	}
	for at := range x.Program.Enforced {
		switch {
		case !k.OverDue.Has(x.Next, at):
			continue
		case x.Program.States[leaf.ID].Over[at] >= 0:
			return false
		}
		x.halt(leaf, at, by)
		if x.nextOver() < 0 {
			return true
		}
		k.OverDue.Put(x.Next, at, false)
	}
	return false
}

// Halt is where a run may be halted because nothing takes over_budget: in configuration
// Config, right behind the input By that something takes there; without one, on the way of an
// attempt that runs.
type Halt struct {
	Config int32
	By     *ir.Case
}

// halt notes that over_budget of the cost in place at halts runs in leaf, which input by, if
// there is one, has led to.
func (x *search) halt(leaf *ir.State, at int, by int32) {
	in := InputAt{leaf, x.Table.OverBudgetID(at)}
	if x.sought != nil {
		if h := x.sought.halt; h != nil && *h == in && x.sought.by == by {
			x.capture()
		}
		return
	}
	if _, known := x.halts[in]; known {
		return
	}
	h := Halt{Config: x.at}
	if by != graph.None {
		c := x.Table.Case(by)
		h.By = &c
	}
	x.halts[in] = h
}

// RunIntoHalt is Run for the path to where over_budget of cost halts the run in leaf. It is no
// proof where the halt is behind an input: what lets that one lead to leaf is left open.
func (p *Product) RunIntoHalt(h Halt, leaf *ir.State, cost string) (w *witness.Witness, sure bool) {
	over := p.overBudget(cost)
	if h.By == nil {
		return p.Run(p.PathTo(h.Config), -1, over)
	}
	r := p.recorder(false)
	r.take(p.PathTo(h.Config), -1)
	s := &sought{unmet: graph.None, label: graph.None, halt: &InputAt{leaf, p.Table.OverBudgetID(slices.Index(p.program.Enforced, cost))}}
	s.by = r.input(*h.By)
	r.inputRow(arriving(*h.By, false), nil, r.teller.seek(r.at, s))
	w, _ = r.finish()
	last := len(w.Path) - 1
	w.Path[last] = witness.Row{State: leaf, Input: arriving(over, false), At: w.Path[last-1].At}
	w.Path = append(w.Path, witness.Row{State: leaf})
	return w, false
}

// overBudget is the input that comes when cost, which may be ir.BudgetTime, passes its budget.
func (p *Product) overBudget(cost string) ir.Case {
	if cost == ir.BudgetTime {
		return ir.Case{Kind: ir.CaseTimer, Timer: p.Table.Budget()}
	}
	return ir.Case{Kind: ir.CaseOverBudget, Cost: cost}
}

// Halts is where over_budget of cost, which may be ir.BudgetTime, first halts a run in leaf,
// and whether it does: where guards leave values out it does not count.
func (p *Product) Halts(leaf *ir.State, cost string) (Halt, bool) {
	if cost == ir.BudgetTime {
		u, ok := p.unmet[InputAt{leaf, p.Table.TimerID(p.Table.Budget())}]
		return Halt{Config: u.Config}, ok && len(p.Table.Machine.Choices(leaf, p.overBudget(cost))) == 0
	}
	h, ok := p.halts[InputAt{leaf, p.Table.OverBudgetID(slices.Index(p.program.Enforced, cost))}]
	return h, ok
}

// spending calls f with each place in leaf of an activity that is about to begin or runs, and
// declares the cost in place at, which has not passed its budget.
func (x *search) spending(leaf *ir.State, at int, f func(place int)) {
	if x.Program.Packing.OverDone.Has(x.Here, at) {
		return
	}
	v := &x.Program.Packing.Visits[leaf.ID]
	for i, d := range leaf.Dos {
		if d.Activity.Spends(x.Program.Enforced[at]) && !v.HasEnded(x.Here, i) && !v.IsWaiting(x.Here, i) {
			f(i)
		}
	}
}

// overspent calls f with the over_budget that may come of activities that run.
func (x *search) overspent(leaf *ir.State, f func(*step.InputCode)) {
	for at := range x.Program.Enforced {
		i := x.Program.States[leaf.ID].Over[at]
		met := false
		x.spending(leaf, at, func(place int) {
			switch {
			case met && !x.timed():
			case !x.beforeTimers(leaf) || !x.runsFor(leaf, place, 0):
			case i < 0:
				x.halt(leaf, at, graph.None)
			default:
				met = true
				f(&x.Program.States[leaf.ID].Inputs[i])
			}
		})
	}
}

// passesBudget notes in the step at hand, which is over_budget of a cost, that it was taken;
// costs behind it that some activity spends together with it may be due as well.
func (x *search) passesBudget(in *step.InputCode) {
	k := x.Program.Packing
	at := slices.Index(x.Program.Enforced, in.Cost)
	due := k.OverDue.Has(x.Here, at)
	k.OverDone.Put(x.Next, at, true)
	k.OverDue.Put(x.Next, at, false)
	if due {
		return
	}
	for other := at + 1; other < len(x.Program.Enforced); other++ {
		both := false
		x.spending(x.From, other, func(place int) {
			both = both || x.From.Dos[place].Activity.Spends(in.Cost)
		})
		if both && x.Oracle.Choose(2) == 1 {
			k.OverDue.Put(x.Next, other, true)
		}
	}
}

// mayPass makes due in the step at hand, with which d ends or is tried again, any of its
// costs that have not passed their budgets.
func (x *search) mayPass(d *ir.Do) {
	k := x.Program.Packing
	for at, cost := range x.Program.Enforced {
		if d.Activity.Spends(cost) && !k.OverDone.Has(x.Here, at) && x.Oracle.Choose(2) == 1 {
			k.OverDue.Put(x.Next, at, true)
		}
	}
}

// endQuietly adds the end of the activity in place i of leaf, which has nothing to say.
func (x *search) endQuietly(leaf *ir.State, i int) {
	d := leaf.Dos[i]
	x.EndOne(i)
	x.mayPass(d)
	x.emitStay(nil, Label{Kind: Ended, Input: graph.None, Arm: graph.None, Do: int32(d.ID)}, false)
}

// TakesOverBudget reports whether something takes over_budget of cost, which may be
// ir.BudgetTime, wherever it may come.
func (p *Product) TakesOverBudget(cost string) bool {
	if !slices.Contains(p.Table.Held(), cost) {
		return false
	}
	of := func(in InputAt) bool { return p.Table.Case(in.ID).OverBudget() == cost }
	for in := range p.halts {
		if of(in) {
			return false
		}
	}
	for in := range p.unmet {
		if of(in) {
			return false
		}
	}
	return true
}

// IsOverBudget reports whether edge e is over_budget of cost.
func (p *Product) IsOverBudget(e int32, cost string) bool {
	c, ok := p.Input(e)
	return ok && c.Kind == ir.CaseOverBudget && c.Cost == cost
}
