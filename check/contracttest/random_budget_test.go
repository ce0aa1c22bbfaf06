package contracttest

import "slices"

// budget gives the machine a budget, and what takes over_budget of it.
func (g *maker) budget() {
	m := g.m
	m.Budget = &Budget{Costs: make([]int, len(Costs))}
	for _, a := range m.Acts {
		a.Costs = []int{g.n(2) * (1 + g.n(9)), g.n(2) * (1 + g.n(9))}
	}
	for k := range Costs {
		if g.chance(70) && slices.ContainsFunc(m.Acts, func(a *Activity) bool { return a.Costs[k] > 0 }) {
			m.Budget.Costs[k] = 1 + g.n(30)
		}
	}
	if g.opt.Timers && g.chance(50) {
		m.Budget.Time = 1 + g.n(4)
	}
	for _, s := range g.homes {
		likely := 20
		if s == m.Root {
			likely = 60
		}
		if g.chance(likely) {
			g.over(s)
		}
	}
}

// over adds handlers of over_budget: of one cost of the budget, of all, or both.
func (g *maker) over(s *State) {
	var named []string
	for k, most := range g.m.Budget.Costs {
		if most > 0 {
			named = append(named, Costs[k])
		}
	}
	if g.m.Budget.Time > 0 {
		named = append(named, overTime)
	}
	add := func(costs []string) {
		t := &Trigger{Kind: "over", Cats: costs}
		s.Ons = append(s.Ons, &On{Triggers: []*Trigger{t}, Arms: g.chain(nil, false, false)})
	}
	if len(named) == 0 {
		return
	}
	one := g.chance(40)
	if one {
		add([]string{pick(g, named)})
	}
	if !one || g.chance(40) {
		add(nil)
	}
}
