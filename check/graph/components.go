package graph

// Components finds the strongly connected components: of[v] is the component
// of vertex v, from 0 to n-1. An edge between two components leads from the
// higher number to the lower, so a component that none leaves comes before
// those that lead into it.
//
// The algorithm is Tarjan's (Depth-first search and linear graph algorithms,
// SIAM J. Comput. 1, 1972) with the call stack written out: a frame is a vertex
// and the next of its edges to look at. It is linear in vertices and edges.
func (g *Graph) Components() (of []int32, n int) { return g.ComponentsAlong(nil) }

// ComponentsAlong is Components over those edges for which keep, called with the
// edge's source and number, returns true; a nil keep keeps all. It is asked once
// for each edge.
func (g *Graph) ComponentsAlong(keep func(from, edge int32) bool) (of []int32, n int) {
	type frame struct{ v, edge int32 }
	var (
		size   = g.Len()
		number = make([]int32, size) // order of discovery from 1; 0 is undiscovered
		low    = make([]int32, size) // least number known to be reachable in the component
		open   []int32               // discovered, component not yet known
		calls  []frame
		next   = int32(1)
	)
	of = make([]int32, size)
	for v := range of {
		of[v] = -1
	}
	discover := func(v int32) {
		number[v], low[v] = next, next
		next++
		open = append(open, v)
		calls = append(calls, frame{v: v, edge: g.First[v]})
	}
	for root := range int32(size) {
		if number[root] != 0 {
			continue
		}
		discover(root)
		for len(calls) > 0 {
			g.Stop.Poll()
			top := &calls[len(calls)-1]
			v := top.v
			if top.edge < g.First[v+1] {
				w, e := g.To[top.edge], top.edge
				top.edge++
				switch {
				case keep != nil && !keep(v, e):
				case number[w] == 0:
					discover(w)
				case of[w] < 0:
					low[v] = min(low[v], number[w])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				caller := calls[len(calls)-1].v
				low[caller] = min(low[caller], low[v])
			}
			if low[v] == number[v] {
				open = closeComponent(open, v, of, int32(n))
				n++
			}
		}
	}
	return of, n
}

// closeComponent gives number n to the vertices of open from root upwards, and
// takes them off.
func closeComponent(open []int32, root int32, of []int32, n int32) []int32 {
	for {
		w := open[len(open)-1]
		open = open[:len(open)-1]
		of[w] = n
		if w == root {
			return open
		}
	}
}
