package contracttest

import (
	"fmt"
	"slices"
	"strings"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
)

// Costs are the names of what attempts cost, in the order in which over_budget of them comes.
var Costs = []string{"tokens", "usd"}

// overTime is the cost of which over_budget is a timer.
const overTime = "time"

// costSet is a set of costs, by their places in Costs.
type costSet uint8

func (s costSet) has(k int) bool { return s&(1<<k) != 0 }

// Budget is what a run may cost; 0 is no budget of that. It holds at run time only in a machine
// that takes over_budget.
type Budget struct {
	Costs []int // one for each of Costs
	Time  int   // seconds
}

// takes reports whether an on of m speaks of over_budget of a cost that is given, or of any
// for "".
func (m *Machine) takes(cost string) bool {
	return m.Root.takes(func(t *Trigger) bool {
		return t.Kind == "over" && (cost == "" || t.Cats == nil || slices.Contains(t.Cats, cost))
	})
}

// takes reports whether s or a state in it has a trigger for which is holds.
func (s *State) takes(is func(*Trigger) bool) bool {
	return slices.ContainsFunc(s.Ons, func(o *On) bool { return slices.ContainsFunc(o.Triggers, is) }) ||
		slices.ContainsFunc(s.Children, func(c *State) bool { return c.takes(is) })
}

// Held reports whether runs of m are held to a budget of costs.
func (m *Machine) Held() bool {
	return m.held() != 0
}

func (m *Machine) held() (set costSet) {
	if m.Budget == nil || !slices.ContainsFunc(Costs, m.takes) { // one that speaks of the time alone is not
		return 0
	}
	for k, most := range m.Budget.Costs {
		if most > 0 {
			set |= 1 << k
		}
	}
	return set
}

// late is the timer that over_budget of time is; nil for none.
func (m *Machine) late() *After {
	if m.Budget == nil || m.Budget.Time == 0 || !m.takes(overTime) {
		return nil
	}
	return &After{Wait: m.Budget.Time, Over: true}
}

// afters are the timers of s; the machine has that of its budget, too.
func (m *Machine) afters(s *State) []*After {
	if s != m.Root || m.overtime == nil {
		return s.Afters
	}
	return append(slices.Clip(s.Afters), m.overtime)
}

// spends are the costs that an activity declares.
func (a *Activity) spends() (set costSet) {
	for k, c := range a.Costs {
		if c > 0 {
			set |= 1 << k
		}
	}
	return set
}

// spendsIn reports whether an activity of leaf declares a cost to which runs are held.
func (m *Machine) spendsIn(leaf *State) bool {
	return slices.ContainsFunc(leaf.Dos, func(d *Do) bool { return d.Act.spends()&m.held() != 0 })
}

// mayPass are the sets of costs that a report of an activity may be the first to pass.
func (s *Space) mayPass(c *config, a *Activity) (sets []costSet) {
	open := s.held & a.spends() &^ c.over &^ c.due
	for set := costSet(0); set <= open; set++ {
		if set&^open == 0 {
			sets = append(sets, set)
		}
	}
	return sets
}

// reports links c to what a step of an activity leads to, with every choice of the costs of
// which the activity reports too much. Once the run is over nobody hears it.
func (s *Space) reports(i int, n *config, d *Do, e edge) {
	switch {
	case n.status != live:
		n.due = 0
		fallthrough
	case d == nil:
		s.link(i, n, e)
		return
	}
	for _, set := range s.mayPass(n, d.Act) {
		k := n.clone()
		k.due |= set
		s.link(i, k, e)
	}
}

// overBudget gives the run the first over_budget that is due.
func (s *Space) overBudget(i int, c *config) {
	for k, cost := range Costs {
		if c.due.has(k) {
			n := c.clone()
			n.due &^= 1 << k
			n.over |= 1 << k
			s.input(i, n, &input{kind: "over", cat: cost}, edge{what: "over_budget"})
			return
		}
	}
}

// costText is what a declares to cost.
func (a *Activity) costText() string {
	var list []string
	for k, c := range a.Costs {
		if c > 0 {
			list = append(list, fmt.Sprintf("%s %d", Costs[k], c))
		}
	}
	if list == nil {
		return ""
	}
	return " cost " + strings.Join(list, ", ")
}

// text is b as source; empty where it has nothing.
func (b *Budget) text() string {
	var list []string
	for k, most := range b.Costs {
		if most > 0 {
			list = append(list, fmt.Sprintf("%s %d", Costs[k], most))
		}
	}
	if b.Time > 0 {
		list = append(list, fmt.Sprintf("time %ds", b.Time))
	}
	if list == nil {
		return ""
	}
	return "budget { " + strings.Join(list, ", ") + " }"
}
