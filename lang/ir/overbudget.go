package ir

import "slices"

// OverBudget is the word for the input that comes when a cost of a run passes its budget.
const OverBudget = "over_budget"

// Enforced are the costs of the budget that runs are held to, by name: all of them in a
// machine that has an `on over_budget` for one of them somewhere, and none in another.
func (m *Machine) Enforced() []string {
	if m.Budget == nil {
		return nil
	}
	var names []string
	for _, c := range m.Budget.Costs {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	of := func(cost string) bool { return slices.Contains(names, cost) }
	for _, s := range m.States {
		for _, h := range s.Handlers {
			for _, t := range h.Triggers {
				if t.Kind == OnOverBudget && (len(t.Costs) == 0 || slices.ContainsFunc(t.Costs, of)) {
					return names
				}
			}
		}
	}
	return nil
}

// BudgetTime stands for the time of a run where costs are named.
const BudgetTime = "time"

// AddBudgetTimer gives m the timer that is the time of its budget, where some handler takes
// that: it stands at the machine and runs from the start of the run. A machine none of whose
// handlers speaks of time is not held to it.
func (m *Machine) AddBudgetTimer() {
	if m.Budget == nil || m.Budget.Time == nil {
		return
	}
	t := &Timer{ID: len(m.Timers), State: m.Root, Budget: true, Delay: *m.Budget.Time, Span: m.Budget.TimeSpan}
	c := Case{Kind: CaseTimer, Timer: t}
	for _, s := range m.States {
		for _, h := range s.HandlersFor(c) {
			t.Arms = append(t.Arms, h.Arms...)
		}
	}
	if len(t.Arms) > 0 {
		m.Timers, m.Root.Timers = append(m.Timers, t), append(m.Root.Timers, t)
	}
}

// OverBudget is the cost that c says has passed its budget, or BudgetTime; empty for another
// input.
func (c Case) OverBudget() string {
	switch {
	case c.Kind == CaseTimer && c.Timer.Budget:
		return BudgetTime
	case c.Kind == CaseOverBudget:
		return c.Cost
	}
	return ""
}

// Spends reports whether an attempt of a has a declared cost of that name: of a machine that
// is called, whether something that it starts has.
func (a *Activity) Spends(cost string) bool {
	return slices.Contains(a.Below, cost) || slices.ContainsFunc(a.Costs, func(c Cost) bool { return c.Name == cost })
}
