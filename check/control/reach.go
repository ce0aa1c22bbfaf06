package control

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// reach walks the moves from the start, breadth first.
func (c *Graph) reach() {
	c.came = make([]int32, len(c.Table.Machine.States))
	c.first = make([]int32, len(c.Table.Machine.States))
	for i := range c.came {
		c.came[i], c.first[i] = graph.None, graph.None
	}
	var queue []int32
	arrive := func(leaf, edge int32) {
		if c.first[leaf] != graph.None {
			return
		}
		c.came[leaf] = edge
		queue = append(queue, leaf)
		for s := c.Leaf(leaf); s != nil && c.first[s.ID] == graph.None; s = s.Parent {
			c.first[s.ID] = leaf
		}
	}
	starts := Landings(c.Table.Machine.Root)
	for _, leaf := range starts {
		arrive(int32(leaf.ID), graph.None)
	}
	c.lost = len(starts) == 0 && unresolved(c.Table.Machine.Root)
	for ; len(queue) > 0; queue = queue[1:] {
		leaf := queue[0]
		c.lost = c.lost || c.opens[leaf]
		for e := c.First[leaf]; e < c.First[leaf+1]; e++ {
			c.taken[c.Edges[e].Arm.ID] = true
			arrive(c.To[e], e)
		}
	}
}

// Starts are the leaves in which a run may start.
func (c *Graph) Starts() []*ir.State { return Landings(c.Table.Machine.Root) }

// Leaf is the state of vertex v.
func (c *Graph) Leaf(v int32) *ir.State { return c.Table.Machine.States[v] }

// Entered is the first leaf in s, or s itself, to which some path leads, and
// whether there is one.
func (c *Graph) Entered(s *ir.State) (leaf int32, ok bool) {
	leaf = c.first[s.ID]
	return leaf, leaf != graph.None
}

// Taken reports whether some path takes a, which leads to another state.
func (c *Graph) Taken(a *ir.Arm) bool { return c.taken[a.ID] }

// Open reports whether some run reaches a place from where nobody knows where
// it goes, since a target could not be resolved. Then what no path reaches may be
// reached all the same.
func (c *Graph) Open() bool { return c.lost }

// OpenAt reports whether that place is leaf v.
func (c *Graph) OpenAt(v int32) bool { return c.opens[v] }

// Left reports whether anything leads out of leaf to another one, or would but for requires
// that lead round: cancel aside, and over_budget of a cost that no activity of leaf spends.
func (c *Graph) Left(leaf *ir.State) bool {
	v := int32(leaf.ID)
	for e := c.First[v]; e < c.First[v+1]; e++ {
		if !c.Edges[e].Once && c.To[e] != v && !c.foreignCost(leaf, c.Edges[e].Input) {
			return true
		}
	}
	return c.opens[v] || c.circles[v]
}

// foreignCost reports whether the input is over_budget of a cost that no activity of leaf
// spends: it comes there for what was spent before, if at all.
func (c *Graph) foreignCost(leaf *ir.State, input int32) bool {
	if input == graph.None {
		return false
	}
	in := c.Table.Case(input)
	return in.Kind == ir.CaseOverBudget && !slices.ContainsFunc(leaf.Dos, func(d *ir.Do) bool { return d.Activity.Spends(in.Cost) })
}

// pathTo lists the edges of a shortest path from the start to leaf v.
func (c *Graph) pathTo(v int32) []int32 {
	var path []int32
	for ; c.came[v] != graph.None; v = c.Edges[c.came[v]].From {
		path = append(path, c.came[v])
	}
	slices.Reverse(path)
	return path
}
