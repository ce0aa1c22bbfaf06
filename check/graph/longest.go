package graph

import "math"

// Infinite is a length without end.
const Infinite = math.MaxInt64

// Longest is the longest path from each vertex, by the sum of the weights of its
// edges, which are not negative. It is Infinite where a cycle with a weight over
// 0 can be reached. Components are worked on in the order in which Components
// numbers them, so that what an edge leads to is known; it is linear in vertices
// and edges. (Longest paths in a directed acyclic graph: Sedgewick and Wayne,
// Algorithms, 4th edition, section 4.4, here on the condensation.)
type Longest struct {
	Length []int64 // by vertex

	g    *Graph
	of   []int32
	best []int32 // by vertex: the edge by which the longest path leaves its component, or -1
	gate []int32 // by component: the vertex from which it does, or -1

	cost func(from, e int32) int64 // that decides between paths of one length; nil where the first one met is as good
	dear []int64                   // by component: what the path costs from its gate on
}

// NewLongest computes the longest paths of g, whose components are given.
func NewLongest(g *Graph, of []int32, n int, weight func(from, e int32) int64) *Longest {
	return NewCheapest(g, of, n, weight, nil)
}

// NewCheapest is NewLongest where of paths of one length the one is kept that costs
// least on the edges between components.
func NewCheapest(g *Graph, of []int32, n int, weight, cost func(from, e int32) int64) *Longest {
	l := &Longest{
		Length: make([]int64, g.Len()), g: g, of: of,
		best: make([]int32, g.Len()), gate: make([]int32, n), cost: cost, dear: make([]int64, n),
	}
	first, members := Grouped(of, n)
	for c := range int32(n) {
		l.component(c, members[first[c]:first[c+1]], weight)
	}
	return l
}

// Grouped lists what has each number from 0 to n-1, such as the vertices of each component: of
// number c, members from first[c] up to first[c+1].
func Grouped(of []int32, n int) (first, members []int32) {
	first = make([]int32, n+1)
	for _, c := range of {
		first[c+1]++
	}
	for c := range n {
		first[c+1] += first[c]
	}
	next := append([]int32(nil), first[:n]...)
	members = make([]int32, len(of))
	for v, c := range of {
		members[next[c]] = int32(v)
		next[c]++
	}
	return first, members
}

// component computes the lengths of the members of one component.
func (l *Longest) component(c int32, members []int32, weight func(from, e int32) int64) {
	length := int64(0)
	l.gate[c] = -1
	for _, v := range members {
		l.g.Stop.Poll()
		l.best[v] = -1
		for e := l.g.First[v]; e < l.g.First[v+1]; e++ {
			w, to := weight(v, e), l.g.To[e]
			switch {
			case l.of[to] != c:
				total, dear := Sum(w, l.Length[to]), int64(0)
				if l.cost != nil {
					dear = Sum(l.cost(v, e), l.dear[l.of[to]])
				}
				if l.gate[c] < 0 || total > length || total == length && dear < l.dear[c] {
					length = max(length, total)
					l.gate[c], l.best[v], l.dear[c] = v, e, dear
				}
			case w > 0:
				length = Infinite
			}
		}
	}
	for _, v := range members {
		l.Length[v] = length
	}
}

// Sum is a + b, Infinite where it is too great.
func Sum(a, b int64) int64 {
	if a > Infinite-b {
		return Infinite
	}
	return a + b
}

// Times is a × b, Infinite where it is too great.
func Times(a, b int64) int64 {
	switch {
	case a == 0 || b == 0:
		return 0
	case a > Infinite/b:
		return Infinite
	}
	return a * b
}

// Path lists the edges of a longest path from v, where its length is finite.
func (l *Longest) Path(v int32) []int32 {
	var path []int32
	for {
		gate := l.gate[l.of[v]]
		if gate < 0 {
			return path
		}
		if gate != v {
			inside := func(e int32) bool { return l.of[l.g.To[e]] == l.of[v] }
			path = append(path, l.g.ShortestPath(v, inside, func(w int32) bool { return w == gate })...)
		}
		path = append(path, l.best[gate])
		v = l.g.To[l.best[gate]]
	}
}
