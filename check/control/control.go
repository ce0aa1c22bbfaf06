// Package control has the control graph of a machine, an abstraction without data,
// counters and times. What it proves is true of all runs, and costs next to nothing;
// it is all there is past the limit of package explore.
//
// In the order in which to read them: control.go (the graph, and what cannot go on
// without end), edges.go (the moves, and where `require` sends them),
// reach.go (what some path enters), part.go (what bounds an arm within a component),
// timed.go (what bounds it by time), rises.go and further.go (by a field that rises), entries.go (how often each state is entered), sure.go (what surely can be done),
// drop.go (deferred events that may be lost), witness.go (a path as a run).
package control

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Graph is the control graph: leaves and terminals, and the moves between
// them, whatever the data and the counters: guards hold or do not, bounds are open
// and used up. It has every run of the machine, so what no path does no run does.
// It is what is left to work on past the limit (language.md, section 7, "Past the
// limit"), and in a machine that is broken, where a way may lead nobody knows
// where. Its vertices are the IDs of states; edge e is Edges[e]. It is linear in
// the table.
type Graph struct {
	graph.Graph

	Table *flat.Table
	Edges []Edge
	rest  []bool  // by edge: it may be taken without end, as far as is known
	level []int   // by edge that is not in Rest: in which round it was taken out, from 1
	most  []int64 // by such an edge: how often it is taken on its input while its component of that round is not left
	own   []int64 // the same, of its arm on all inputs; graph.Infinite where only time bounds it

	between  flat.Between // what an effect adds
	inPlace  flat.InPlace
	looks    int               // see rises
	compared map[question]bool // see further
	mayPass  []bool            // by state ID: see findBudgets
	total    int64             // see hasTime
	opens    []bool            // by state ID: a way out of the leaf leads nobody knows where
	circles  []bool            // by state ID: in a way out of the leaf the requires lead round
	lost     bool              // so does one of a leaf that some path enters
	came     []int32           // by state ID: the edge by which a path first reaches the leaf, or None
	first    []int32           // by state ID: the leaf in it that a path reaches first, or None
	taken    []bool            // by arm ID
}

// New makes the control graph of t, and takes out of it, round by round,
// what cannot be taken without end inside its strongly connected component: an
// arm with a `max` whose scope is not entered from outside there; one whose guard
// says `v < c` and whose block raises v where nothing in the component lowers or
// sets it, and the mirror image; one that is taken only while a flag has a value
// that it changes for good; one each time of which a field with a range is further on; one that takes time, where a timer around the component
// ends it. Each round is linear; a round follows only where the
// one before took something out of a cycle. What cancel leads along comes once,
// and is taken out before.
func New(t *flat.Table, between flat.Between) *Graph {
	c := &Graph{
		Table: t, between: between, inPlace: t.EndsInPlace(),
		opens: make([]bool, len(t.Machine.States)), circles: make([]bool, len(t.Machine.States)), taken: make([]bool, len(t.Machine.Arms)),
		compared: map[question]bool{},
	}
	c.findBudgets()
	c.connect()
	c.reach()
	c.rest, c.level, c.most = make([]bool, len(c.Edges)), make([]int, len(c.Edges)), make([]int64, len(c.Edges))
	c.own = make([]int64, len(c.Edges))
	for e, x := range c.Edges {
		c.rest[e] = !x.Once
	}
	for level := 1; c.takeOut(level); level++ {
	}
	return c
}

// components are those of the edges that are left and that keep lets pass.
func (c *Graph) components(keep func(e int) bool) []int32 {
	of, _ := c.ComponentsAlong(func(_, e int32) bool { return c.rest[e] && keep(int(e)) })
	return of
}

// takeOut is one round; it reports whether an edge within a component went. Fields that go on
// within their ranges bound edges where nothing else does: they say little of how often.
func (c *Graph) takeOut(level int) bool {
	of := c.components(func(int) bool { return true })
	inside := map[int32][]int{} // edges by component
	for e, x := range c.Edges {
		if c.rest[e] && of[x.From] == of[x.To] {
			inside[of[x.From]] = append(inside[of[x.From]], e)
		}
	}
	return c.takeOutOf(inside, level, (*part).bounded) || c.takeOutOf(inside, level, (*part).goesOn)
}

// takeOutOf takes out of the components that are inside what bounded bounds, or time.
func (c *Graph) takeOutOf(inside map[int32][]int, level int, bounded func(*part, *ir.Arm) (int64, bool)) bool {
	went := false
	for _, edges := range inside {
		part := newPart(c, edges)
		for _, e := range edges {
			most, ok := bounded(part, c.Edges[e].Arm)
			own := int64(graph.Infinite)
			if ok {
				own = most
			}
			if in := c.Edges[e].Input; in != graph.None {
				if times, limited := part.comes(c.Table.Case(in), len(edges)); limited {
					most, ok = min(times, most), true
				}
			}
			if ok {
				c.rest[e], c.level[e], c.most[e], c.own[e], went = false, level, most, own, true
			}
		}
	}
	return went
}

// Ends reports whether the move from one leaf to another by arm, on the input with the ID
// given, cannot be taken without end.
func (c *Graph) Ends(from, to, input int32, arm *ir.Arm) bool {
	for e := c.First[from]; e < c.First[from+1]; e++ {
		if x := c.Edges[e]; x.Input == input && x.Arm == arm && x.To == to {
			return !c.rest[e]
		}
	}
	return false
}

// Loops lists the leaves of each component of what is left that has a cycle over
// edges that do not say `unbounded`.
func (c *Graph) Loops() [][]*ir.State {
	return c.loops(func(e int) bool { return !c.Edges[e].Arm.Unbounded })
}

// SpinningLoops is Loops over edges that wait for nothing.
func (c *Graph) SpinningLoops() [][]*ir.State { return c.loops(c.atOnce) }

// atOnce reports whether edge e may wait for nothing.
func (c *Graph) atOnce(e int) bool {
	if c.Edges[e].Input == graph.None {
		return false
	}
	in := c.Table.Case(c.Edges[e].Input)
	switch in.Kind {
	case ir.CaseDone:
		return flat.DoneAtOnce(c.Table.Machine.States[c.Edges[e].From])
	case ir.CaseTimer:
		least, _ := timing.WaitOf(in.Timer)
		return least == 0
	}
	return false
}

// MaySpin is a leaf from which a run may go without end, or longer than the runtime
// lets it, and wait for nothing, though no cycle can be taken without end: its
// `require` and those to which it turns a run away may lead round, or more than
// MostAtOnce steps may follow at once. It is nil where there is none.
func (c *Graph) MaySpin() *ir.State {
	for _, s := range c.Table.Machine.States {
		if s.Require != nil && s.Kind == ir.Leaf && leadsRound(s) {
			return s
		}
	}
	steps := c.Filter(func(from, e int32) bool { return c.first[from] != graph.None && c.atOnce(int(e)) })
	of, n := steps.Components()
	ordered, length := make([]int32, n), make([]int, n) // an edge leads to a lower number
	for v := range int32(c.Len()) {
		ordered[of[v]] = v
		if slices.ContainsFunc(steps.Successors(v), func(to int32) bool { return of[to] == of[v] }) {
			return c.Leaf(v)
		}
	}
	for _, v := range ordered {
		for _, to := range steps.Successors(v) {
			length[of[v]] = max(length[of[v]], length[of[to]]+1)
		}
		if length[of[v]] > MostAtOnce {
			return c.Leaf(v)
		}
	}
	return nil
}

// leadsRound reports whether the requires from leaf on may turn a run away without
// end: none of them is plainly true, and they lead round.
func leadsRound(leaf *ir.State) bool {
	for s := range leaf.Redirects() {
		if s == nil || s.Require == nil || flat.Guard(s.Require.Cond) == flat.True {
			return false
		}
	}
	return true
}

func (c *Graph) loops(keep func(e int) bool) [][]*ir.State {
	of := c.components(keep)
	cyclic := map[int32]bool{}
	for e, x := range c.Edges {
		if c.rest[e] && keep(e) && of[x.From] == of[x.To] {
			cyclic[of[x.From]] = true
		}
	}
	byComponent := map[int32]int{}
	var out [][]*ir.State
	for _, s := range c.Table.Machine.States {
		n := of[s.ID]
		if !cyclic[n] {
			continue
		}
		i, known := byComponent[n]
		if !known {
			i = len(out)
			byComponent[n] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}

// MostAtOnce is how many steps may follow at once from one input: the runtime
// halts a run that takes more.
const MostAtOnce = 1000
