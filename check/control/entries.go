package control

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Entries is an upper bound of how often each leaf or terminal is entered, by
// state ID, from the control graph alone; graph.Infinite where there is none.
//
// A run that falls into S stretches passes each component of a round at most S
// times, for there is no way back into one. While a component is not left, each
// edge that was taken out of it in that round is taken at most N times, so what
// happens inside falls into at most S × (1 + ΣN) stretches over the edges of the
// next round. A component of one leaf without an edge to itself is entered as
// often as it is passed; one out of which nothing could be taken has no bound.
// Cancel comes once: what follows it is a run of its own from where it may lead.
func (c *Graph) Entries() []int64 {
	out := make([]int64, len(c.Table.Machine.States))
	var edges []int
	starts, cancelled := map[int32]bool{}, map[int32]bool{}
	for e, x := range c.Edges {
		switch {
		case !x.Once:
			edges = append(edges, e)
		case c.first[x.From] != graph.None:
			cancelled[x.To] = true
		}
	}
	for _, leaf := range c.Starts() {
		starts[int32(leaf.ID)] = true
	}
	work := []stretch{{round: 1, edges: edges, starts: starts, times: 1}}
	if len(cancelled) > 0 {
		work = append(work, stretch{round: 1, edges: edges, starts: cancelled, times: 1})
	}
	for len(work) > 0 {
		next := work[len(work)-1]
		work = append(work[:len(work)-1], c.pass(next, out)...)
	}
	return out
}

// stretch is a part of the control graph that is run through at most times
// times, each time from one of starts.
type stretch struct {
	round  int
	edges  []int
	starts map[int32]bool
	times  int64
}

// pass bounds the entries of the leaves that lie in components of their own, and
// gives the stretches inside the others.
func (c *Graph) pass(s stretch, out []int64) []stretch {
	local := newRenumbering(c, s)
	of, n := local.graph.Components()
	reached := local.graph.Reach(local.starts...)
	inner := make([][]int, n)
	entry := make([]map[int32]bool, n)
	enter := func(v int32) {
		if entry[of[v]] == nil {
			entry[of[v]] = map[int32]bool{}
		}
		entry[of[v]][local.states[v]] = true
	}
	for _, v := range local.starts {
		enter(v)
	}
	for _, e := range s.edges {
		from, to := local.number[c.Edges[e].From], local.number[c.Edges[e].To]
		switch {
		case !reached[from]:
		case of[from] == of[to]:
			inner[of[from]] = append(inner[of[from]], e)
		default:
			enter(to)
		}
	}
	var inside []stretch
	for v, state := range local.states {
		if reached[v] && len(inner[of[v]]) == 0 {
			out[state] = graph.Sum(out[state], s.times)
		}
	}
	for k, edges := range inner {
		if len(edges) > 0 {
			inside = append(inside, c.unfold(s, edges, entry[k], out)...)
		}
	}
	return inside
}

// unfold takes the edges of the round out of a component.
func (c *Graph) unfold(s stretch, edges []int, starts map[int32]bool, out []int64) []stretch {
	type landing struct {
		arm *ir.Arm
		to  int32
	}
	type coming struct { // what time says is of one input
		landing
		input int32
	}
	var rest []int
	counted := map[coming]bool{}
	taken := map[landing]int64{}
	for _, e := range edges {
		x := c.Edges[e]
		at := landing{x.Arm, x.To}
		switch in := (coming{at, x.Input}); {
		case c.rest[e] || c.level[e] != s.round:
			rest = append(rest, e)
		case !counted[in]:
			counted[in], starts[x.To] = true, true
			taken[at] = min(graph.Sum(taken[at], c.most[e]), c.own[e])
		}
	}
	more := int64(1)
	for _, times := range taken {
		more = graph.Sum(more, times)
	}
	if len(taken) == 0 {
		for _, e := range edges {
			out[c.Edges[e].To] = graph.Infinite
		}
		return nil
	}
	return []stretch{{round: s.round + 1, edges: rest, starts: starts, times: graph.Times(s.times, more)}}
}

// renumbering is the graph of a stretch on vertices of its own, so that a small
// part of a large machine costs little.
type renumbering struct {
	graph  *graph.Graph
	number map[int32]int32 // by state ID
	states []int32         // by vertex
	starts []int32
}

func newRenumbering(c *Graph, s stretch) *renumbering {
	r := &renumbering{number: map[int32]int32{}}
	vertex := func(state int32) int32 {
		v, known := r.number[state]
		if !known {
			v = int32(len(r.states))
			r.number[state] = v
			r.states = append(r.states, state)
		}
		return v
	}
	for state := range s.starts {
		r.starts = append(r.starts, vertex(state))
	}
	for _, e := range s.edges {
		vertex(c.Edges[e].From)
		vertex(c.Edges[e].To)
	}
	r.graph = graph.New(len(r.states), func(edge func(from, to int32)) {
		for _, e := range s.edges {
			edge(r.number[c.Edges[e].From], r.number[c.Edges[e].To])
		}
	})
	return r
}
