package unreachablestate

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// cause is an unreachable state, and those that no run enters since none enters it.
type cause struct {
	state  *ir.State
	behind []*ir.State
}

// maxLooks is the most that is looked at to say what lies behind what; past it each state is a
// cause.
const maxLooks = 1 << 22

// causes divides the unreachable states by their cause. A state is one by itself if an arm of a
// state that runs enter leads to it, since that is never taken, if nothing leads to it at all, or
// if what it requires is never true. All others lie behind those that lead to them. Of states
// that only lead to each other the first is the cause.
func causes(p *check.Pass, list []*ir.State, ways map[*ir.State][]*ir.Arm) []cause {
	g := leading(p, list)
	entered := make([]bool, len(list)) // from an unreachable state
	for from := range list {
		for _, to := range g.Successors(int32(from)) {
			entered[to] = entered[to] || int(to) != from
		}
	}
	var own []int32
	for i, s := range list {
		if !entered[i] || s.Require != nil && flat.Guard(s.Require.Cond) == flat.False ||
			slices.ContainsFunc(ways[s], func(a *ir.Arm) bool { return !p.Unreachable(a.State) }) {
			own = append(own, int32(i))
		}
	}
	own = append(own, firstOfRings(g, own)...)
	slices.Sort(own)
	if len(own)*len(list) > maxLooks {
		out := make([]cause, len(list))
		for i, s := range list {
			out[i].state = s
		}
		return out
	}
	var out []cause
	for _, from := range own {
		c := cause{state: list[from]}
		for to, reached := range g.Reach(from) {
			if _, known := slices.BinarySearch(own, int32(to)); reached && !known {
				c.behind = append(c.behind, list[to])
			}
		}
		out = append(out, c)
	}
	return out
}

// firstOfRings are the first of those that lead to each other, where nothing in own leads.
func firstOfRings(g *graph.Graph, own []int32) []int32 {
	reached := g.Reach(own...)
	of, n := g.Components()
	within := make([]bool, n) // another component leads to it
	for from := range of {
		for _, to := range g.Successors(int32(from)) {
			within[of[to]] = within[of[to]] || of[to] != of[from]
		}
	}
	var out []int32
	for i, c := range of {
		if !reached[i] && !within[c] {
			within[c] = true
			out = append(out, int32(i))
		}
	}
	return out
}

// leading has an edge from each of list to the others to which it leads, whatever the guards say.
func leading(p *check.Pass, list []*ir.State) *graph.Graph {
	at := make([]int32, len(p.Machine.States)) // the place in list of what a state lies in
	for i := range at {
		at[i] = graph.None
	}
	for i, s := range list {
		at[s.ID] = int32(i)
	}
	for _, s := range p.Machine.States { // parents come first
		if s.Parent != nil && at[s.ID] == graph.None {
			at[s.ID] = at[s.Parent.ID]
		}
	}
	entered := enteredWithin(p, list, at)
	return graph.New(len(list), func(edge func(from, to int32)) {
		for _, e := range p.Control().Edges {
			if from, to := at[e.From], at[e.To]; from != graph.None && to != graph.None && entered[e.From] {
				edge(from, to)
			}
		}
	})
}

// enteredWithin tells the leaves of each of list that would be entered if it were: where arms of states that runs enter
// lead, or where it begins if nothing leads there, and from there on. Of one that only such as lie behind
// each other lead to, it is where they lead.
func enteredWithin(p *check.Pass, list []*ir.State, at []int32) []bool {
	c := p.Control()
	var sure, any []int32
	led, lies := make([]bool, len(list)), make([]bool, len(list))
	for _, e := range c.Edges {
		from, to := at[e.From], at[e.To]
		if to == graph.None || from == to {
			continue
		}
		if led[to] = true; from == graph.None {
			sure = append(sure, e.To)
		}
		any = append(any, e.To)
	}
	for i, s := range list {
		if leaf := s.Leaf(); leaf != nil && !led[i] {
			sure = append(sure, int32(leaf.ID))
		}
	}
	entered := c.Filter(func(from, e int32) bool { return at[from] != graph.None && at[c.To[e]] != graph.None }).Reach(sure...)
	for leaf, ok := range entered {
		if ok {
			lies[at[leaf]] = true
		}
	}
	within := c.Filter(func(from, e int32) bool { return at[from] == at[c.To[e]] }).Reach(any...)
	for leaf := range entered {
		entered[leaf] = entered[leaf] || at[leaf] != graph.None && !lies[at[leaf]] && within[leaf]
	}
	return entered
}
