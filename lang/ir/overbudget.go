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

// Spends reports whether an attempt of a has a declared cost of that name: of a machine that
// is called, whether something that it starts has.
func (a *Activity) Spends(cost string) bool {
	return slices.Contains(a.Below, cost) || slices.ContainsFunc(a.Costs, func(c Cost) bool { return c.Name == cost })
}
