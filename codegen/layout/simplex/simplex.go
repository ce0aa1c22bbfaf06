// Package simplex gives numbers to the nodes of a graph without cycles so that its edges
// are short: the network simplex of Gansner, Koutsofios, North and Vo, "A Technique for
// Drawing Directed Graphs" (1993), section 2.3. The same method chooses the rank of a box
// and its place in the rank.
//
// A spanning tree whose edges are as short as they may be fixes all numbers. The edge of
// the tree that would make the sum smaller if it were longer leaves, the shortest edge
// that holds its halves together from the other side enters, and so on until there is
// none. What an edge of the tree is worth (its cut value) is what the nodes on one side
// pull: the sum over them of the weights that lead out less those that lead in, as what
// stays among them cancels. Thus a sum for each subtree is all that has to be kept.
package simplex

// Edge says that To is at least Least more than From. Each unit between the two costs
// Weight.
type Edge struct {
	From, To      int
	Least, Weight int
}

// Solve gives each of the nodes 0..n-1 a number, the smallest of each connected part
// being 0, so that every edge is as long as it must be and the cost is small. The edges
// must form no cycle. It looks at about work nodes and edges, and then gives what it
// has: every state of the method keeps the edges' lengths, only the cost is not yet the
// least.
func Solve(n int, edges []Edge, work int) []int {
	s := &solver{edges: edges, at: make([]int, n), work: work, touching: touching(n, edges)}
	s.stretch()
	s.grow()
	s.number()
	s.improve()
	s.normalize()
	return s.at
}

// solver holds a solution in the making.
type solver struct {
	edges    []Edge
	touching [][]int // the edges of each node
	at       []int   // the number of each node
	work     int     // what may still be looked at

	tree  [][]int // the tree's edges of each node
	roots []int   // one node of each connected part

	// Of the tree, seen from its root: the edge that leads up, the sum of what the nodes of
	// a subtree pull, and the numbers of its nodes in postorder, from low to last.
	up        []int
	pull      []int
	low, last []int
	post      []int // the nodes in postorder
}

func touching(n int, edges []Edge) [][]int {
	degree := make([]int, n)
	for _, e := range edges {
		degree[e.From]++
		degree[e.To]++
	}
	all := make([]int, 2*len(edges))
	out := make([][]int, n)
	for v, d := range degree {
		out[v], all = all[:0:d], all[d:]
	}
	for i, e := range edges {
		out[e.From] = append(out[e.From], i)
		out[e.To] = append(out[e.To], i)
	}
	return out
}

// slack is how much longer an edge is than it must be.
func (s *solver) slack(edge int) int {
	e := &s.edges[edge]
	return s.at[e.To] - s.at[e.From] - e.Least
}

// other is the end of an edge that is not v.
func (s *solver) other(edge, v int) int {
	if e := &s.edges[edge]; e.From != v {
		return e.From
	}
	return s.edges[edge].To
}

// stretch gives each node the smallest number that its edges allow: the longest path to it.
func (s *solver) stretch() {
	before := make([]int, len(s.at))
	for _, e := range s.edges {
		before[e.To]++
	}
	var ready []int
	for v, n := range before {
		if n == 0 {
			ready = append(ready, v)
		}
	}
	for len(ready) > 0 {
		v := ready[0]
		ready = ready[1:]
		for _, i := range s.touching[v] {
			e := &s.edges[i]
			if e.From != v {
				continue
			}
			s.at[e.To] = max(s.at[e.To], s.at[v]+e.Least)
			if before[e.To]--; before[e.To] == 0 {
				ready = append(ready, e.To)
			}
		}
	}
}

// normalize lets each connected part begin at 0.
func (s *solver) normalize() {
	for _, root := range s.roots {
		nodes, least := s.post[s.low[root]:s.last[root]+1], s.at[root]
		for _, v := range nodes {
			least = min(least, s.at[v])
		}
		for _, v := range nodes {
			s.at[v] -= least
		}
	}
}
