package graph

import "slices"

// Reach marks the vertices that can be reached from those given, which are
// among them. Backward reachability is Reach on the Reverse.
func (g *Graph) Reach(from ...int32) []bool {
	seen := make([]bool, g.Len())
	var stack []int32
	for _, v := range from {
		if !seen[v] {
			seen[v] = true
			stack = append(stack, v)
		}
	}
	for len(stack) > 0 {
		g.Stop.Poll()
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, w := range g.Successors(v) {
			if !seen[w] {
				seen[w] = true
				stack = append(stack, w)
			}
		}
	}
	return seen
}

// ShortestPath lists the numbers of the edges of a shortest path of at least
// one edge from a vertex to one that is a goal, over edges whose numbers allow
// lets pass; a nil allow lets all pass. It is nil where there is none. Of paths
// of one length it is the one whose edges were added first. An edge to a vertex within
// a step adds nothing to the length.
func (g *Graph) ShortestPath(from int32, allow, goal func(int32) bool) []int32 {
	type arrival struct{ from, edge int32 }
	came := map[int32]arrival{} // by which edge a vertex was first entered
	queue := []int32{from}
	var path []int32
	var visit func(v int32) (found bool)
	visit = func(v int32) bool {
		for e := g.First[v]; e < g.First[v+1]; e++ {
			w := g.To[e]
			if _, seen := came[w]; seen || allow != nil && !allow(e) {
				continue
			}
			came[w] = arrival{from: v, edge: e}
			switch {
			case goal(w):
				path = []int32{e}
				for at := v; at != from; at = came[at].from {
					path = append(path, came[at].edge)
				}
				slices.Reverse(path)
				return true
			case g.Within > 0 && w >= g.Within:
				if visit(w) {
					return true
				}
			default:
				queue = append(queue, w)
			}
		}
		return false
	}
	for len(queue) > 0 {
		g.Stop.Poll()
		v := queue[0]
		if queue = queue[1:]; visit(v) {
			return path
		}
	}
	return nil
}

// Round is a shortest way from c back to it over the edges that inside lets pass, of
// which step is the first.
func (g *Graph) Round(c int32, step []int32, inside func(e int32) bool) []int32 {
	at := g.To[step[len(step)-1]]
	if at == c {
		return step
	}
	return append(step, g.ShortestPath(at, inside, func(v int32) bool { return v == c })...)
}
