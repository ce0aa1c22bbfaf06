package graph

import "math"

// Infinite is a length without end.
const Infinite = math.MaxInt64

// Absent is the weight of an edge that no path has.
const Absent = -1

// Longest is the longest path from each vertex, by the sum of the weights of its
// edges, which are not negative or Absent. It is Infinite where a cycle with a weight over
// 0 can be reached. Components are worked on in the order in which Components
// numbers them, so that what an edge leads to is known; it is linear in vertices
// and edges. (Longest paths in a directed acyclic graph: Sedgewick and Wayne,
// Algorithms, 4th edition, section 4.4, here on the condensation.)
type Longest struct {
	g      *Graph
	of     []int32
	weight func(from, e int32) int64
	cost   func(from, e int32) int64 // that decides between paths of one length; nil where the first one met is as good
	parts  []part                    // by component
}

// part is how the longest path goes on from each vertex of a component.
type part struct {
	length, cost int64
	gate, exit   int32 // the vertex from which the path leaves the component, and the edge by which it does; -1 where it ends here
}

// NewLongest computes the longest paths of g, whose components along the edges that are not Absent are given.
func NewLongest(g *Graph, of []int32, n int, weight func(from, e int32) int64) *Longest {
	return NewCheapest(g, of, n, weight, nil)
}

// NewCheapest is NewLongest where of paths of one length the one is kept that costs
// least on the edges between components.
func NewCheapest(g *Graph, of []int32, n int, weight, cost func(from, e int32) int64) *Longest {
	l := &Longest{g: g, of: of, weight: weight, cost: cost, parts: make([]part, n)}
	first, members := Grouped(of, n)
	for c := range int32(n) {
		l.component(c, members[first[c]:first[c+1]])
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

// component computes how the longest path goes on from the members of component c.
func (l *Longest) component(c int32, members []int32) {
	best := part{gate: -1, exit: -1}
	for _, v := range members {
		l.g.Stop.Poll()
		for e := l.g.First[v]; e < l.g.First[v+1]; e++ {
			w, to := l.weight(v, e), l.of[l.g.To[e]]
			switch {
			case w == Absent:
			case to != c:
				after := part{length: Sum(w, l.parts[to].length), gate: v, exit: e}
				if l.cost != nil {
					after.cost = Sum(l.cost(v, e), l.parts[to].cost)
				}
				if best.gate < 0 || after.length > best.length || after.length == best.length && after.cost < best.cost {
					after.length = max(after.length, best.length)
					best = after
				}
			case w > 0:
				best.length = Infinite
			}
		}
	}
	l.parts[c] = best
}

// Length is that of the longest path from v.
func (l *Longest) Length(v int32) int64 { return l.parts[l.of[v]].length }

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
		part := l.parts[l.of[v]]
		if part.gate < 0 {
			return path
		}
		if part.gate != v {
			inside := func(e int32) bool { return l.of[l.g.To[e]] == l.of[v] && l.weight(l.g.From(e), e) != Absent }
			path = append(path, l.g.ShortestPath(v, inside, func(w int32) bool { return w == part.gate })...)
		}
		path = append(path, part.exit)
		v = l.g.To[part.exit]
	}
}
