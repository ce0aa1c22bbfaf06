package explore

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Two questions can often be settled on the Graph, without data and counters.

// SurelyEntered marks by state ID what some run enters whatever its data: along
// arms that are the first choice for their input, without a guard, and with a
// bound that cannot be used up yet. A bounded arm counts where it stands in a
// leaf: a shortest path leaves each configuration once, and its leaf's
// configurations differ in nothing that an arm could be taken twice for.
func (g *Graph) SurelyEntered() []bool {
	seen := make([]bool, len(g.Table.Machine.States))
	reached := g.Filter(func(from, e int32) bool { return g.settledStart(from) && g.sureEdge(from, e) }).Reach(0)
	for c, ok := range reached {
		if !ok || !g.Settled(int32(c)) {
			continue
		}
		for s := g.Leaf(int32(c)); s != nil && !seen[s.ID]; s = s.Parent {
			seen[s.ID] = true
		}
	}
	return seen
}

// settledStart leaves out what follows from a `require`, which depends on data.
func (g *Graph) settledStart(c int32) bool { return g.Settled(c) }

func (g *Graph) sureEdge(from, e int32) bool {
	a, l := g.Arm(e), g.labels[e]
	if a == nil || l.input == None || a.Kind != ir.Goto || a.When != nil || g.phase[from] == rested {
		return false
	}
	leaf := g.Leaf(from)
	if a.Max != nil && (*a.Max <= 0 || a.State != leaf || g.ended[from] > 0) {
		return false
	}
	c := g.Table.Case(l.input)
	if c.Kind == ir.CaseDone && len(leaf.Dos) > 0 || c.Kind == ir.CaseCancel || ruled(leaf, c) {
		return false
	}
	for in := range g.Table.Inputs(leaf) {
		if in.ID == l.input {
			return in.Choices[0].Arm == a
		}
	}
	return false
}

// ruled reports whether a timer around leaf may always come before c, or any of
// its timers fires at once.
func ruled(leaf *ir.State, c ir.Case) bool {
	earliest, timed := earliestOf(c)
	for _, t := range timersAround(leaf) {
		if _, most := waitOf(t); most == 0 && t != c.Timer || timed && forestalls(t, c, earliest) {
			return true
		}
	}
	return false
}

// SureToFinish marks the configurations from which a terminal state can be
// reached whatever the data and the counters are. It is the attractor of the
// terminals (as in games on graphs: McNaughton, Infinite games played on finite
// graphs, 1993): a configuration belongs to it where some input can come of which
// every choice that may be taken leads into it, and one surely is. A bounded
// retry only puts that off. It is linear in the edges.
func (g *Graph) SureToFinish() []bool {
	var (
		sure  = make([]bool, g.Len())
		first = g.firstOfInput()
		left  = g.openChoices(first)
		back  = newBackward(&g.Graph)
		work  []int32
	)
	for c := range sure {
		if g.Leaf(int32(c)).Kind == ir.Terminal {
			sure[c] = true
			work = append(work, int32(c))
		}
	}
	for len(work) > 0 {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range back.edges[back.First[c]:back.First[c+1]] {
			from := back.from[e]
			if sure[from] {
				continue
			}
			n := left[first[e]]
			if n == 0 {
				continue
			}
			left[first[e]] = n - 1
			if n == 1 {
				sure[from] = true
				work = append(work, from)
			}
		}
	}
	return sure
}

type key struct{ config, input int32 }

// firstOfInput is for each edge the first one of its input in its configuration.
// Edges of one input stand side by side.
func (g *Graph) firstOfInput() []int32 {
	first := make([]int32, len(g.To))
	for c := range int32(g.Len()) {
		for e := g.First[c]; e < g.First[c+1]; e++ {
			first[e] = e
			if e > g.First[c] && g.labels[e].input == g.labels[e-1].input {
				first[e] = first[e-1]
			}
		}
	}
	return first
}

// openChoices counts for each input that surely can come the edges that must all
// lead on, at the first of them; what may stay behind or be refused counts 0.
func (g *Graph) openChoices(first []int32) []int32 {
	left := make([]int32, len(g.To))
	counts := map[int32]bool{}
	for c := range int32(g.Len()) {
		leaf := g.Leaf(c)
		if leaf.Kind != ir.Leaf {
			continue
		}
		for e := g.First[c]; e < g.First[c+1]; e++ {
			left[first[e]]++
		}
		if !g.Settled(c) {
			continue
		}
		clear(counts)
		for _, in := range g.Inputs(c) {
			counts[in.ID] = !ruled(leaf, in.Case) && leadsOn(in) && !waitsForOthers(leaf, in.Case)
		}
		for e := g.First[c]; e < g.First[c+1]; e++ {
			if !counts[g.labels[e].input] {
				left[e] = 0
			}
		}
	}
	return left
}

// waitsForOthers leaves out what a configuration of the Graph does not tell: the
// order in which activities end, and second cancels.
func waitsForOthers(leaf *ir.State, c ir.Case) bool {
	switch c.Kind {
	case ir.CaseCancel:
		return true
	case ir.CaseTimer:
		return outlivesFiring(c.Timer)
	case ir.CaseDone, ir.CaseResult, ir.CaseFailure:
		return len(leaf.Dos) > 1 || c.Kind == ir.CaseDone && len(leaf.Dos) > 0
	}
	return false
}

// leadsOn reports whether in is surely taken, by an arm that leads elsewhere in
// the end.
func leadsOn(in flat.Input) bool {
	for _, c := range in.Choices {
		switch {
		case c.Arm == nil:
			return false
		case c.Arm.Kind == ir.Retry && c.Arm.Max != nil && c.Arm.Scope.Kind != ir.PerState:
		case c.Arm.Kind != ir.Goto:
			return false
		case c.Arm.When == nil && c.Arm.Max == nil:
			return true
		}
	}
	return false
}
