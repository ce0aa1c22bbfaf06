package simplex

import "container/heap"

// grow builds a spanning tree of edges without slack for each connected part. Where none
// leads on, the tree as a whole moves by the least slack of an edge at its border, towards
// that edge: the lengths of all others stay enough. What lies in the tree is kept relative to how
// far the tree has moved, so that a move costs nothing; the two heaps hold the edges that
// lead out of it and into it, whose slacks a move changes in opposite ways.
func (s *solver) grow() {
	s.tree = make([][]int, len(s.at))
	joined := make([]bool, len(s.at))
	for root := range s.at {
		if joined[root] {
			continue
		}
		s.roots = append(s.roots, root)
		g := growth{solver: s, joined: joined}
		g.join(root)
		for g.next() {
		}
		for _, v := range g.nodes {
			s.at[v] += g.moved
		}
	}
}

// growth is the tree of one connected part in the making.
type growth struct {
	*solver
	joined    []bool
	nodes     []int
	moved     int
	out, into border
}

// join puts v into the tree, and its edges on the border.
func (g *growth) join(v int) {
	g.joined[v] = true
	g.at[v] -= g.moved
	g.nodes = append(g.nodes, v)
	for _, i := range g.touching[v] {
		if e := &g.edges[i]; g.joined[g.other(i, v)] {
			continue
		} else if e.From == v {
			heap.Push(&g.out, crossing{i, g.at[e.To] - g.at[v] - e.Least})
		} else {
			heap.Push(&g.into, crossing{i, g.at[v] - g.at[e.From] - e.Least})
		}
	}
}

// next adds the edge at the border with the least slack; it reports whether there was one.
func (g *growth) next() bool {
	g.out.drop(g)
	g.into.drop(g)
	var edge int
	switch {
	case len(g.out) == 0 && len(g.into) == 0:
		return false
	case len(g.into) == 0 || len(g.out) > 0 && g.out[0].key-g.moved <= g.into[0].key+g.moved:
		edge = g.out[0].edge
		g.moved = g.out[0].key
	default:
		edge = g.into[0].edge
		g.moved = -g.into[0].key
	}
	e := &g.edges[edge]
	g.tree[e.From] = append(g.tree[e.From], edge)
	g.tree[e.To] = append(g.tree[e.To], edge)
	if g.joined[e.From] {
		g.join(e.To)
	} else {
		g.join(e.From)
	}
	return true
}

// crossing is an edge with one end in the tree, and its slack if the tree had not moved.
type crossing struct{ edge, key int }

// border is a heap of crossings, the least slack first, and of equal ones the first edge.
type border []crossing

func (b border) Len() int      { return len(b) }
func (b border) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b border) Less(i, j int) bool {
	return b[i].key < b[j].key || b[i].key == b[j].key && b[i].edge < b[j].edge
}
func (b *border) Push(x any) { *b = append(*b, x.(crossing)) }
func (b *border) Pop() any {
	last := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return last
}

// drop takes away the first edges whose ends are both in the tree by now.
func (b *border) drop(g *growth) {
	for len(*b) > 0 && g.joined[g.edges[(*b)[0].edge].From] && g.joined[g.edges[(*b)[0].edge].To] {
		heap.Pop(b)
	}
}
