package explore

import "github.com/fsmc-dev/fsmc/check/graph"

// backward holds the edges by where they lead.
type backward struct {
	graph.Graph
	edges []int32 // edge numbers, in the order of the reversed graph
	from  []int32 // by edge
}

func newBackward(g *graph.Graph) *backward {
	b := &backward{edges: make([]int32, len(g.To)), from: make([]int32, len(g.To))}
	b.First = make([]int32, g.Len()+1)
	for _, to := range g.To {
		b.First[to+1]++
	}
	for v := range g.Len() {
		b.First[v+1] += b.First[v]
	}
	next := append([]int32(nil), b.First[:g.Len()]...)
	for v := range int32(g.Len()) {
		for e := g.First[v]; e < g.First[v+1]; e++ {
			b.from[e] = v
			b.edges[next[g.To[e]]] = e
			next[g.To[e]]++
		}
	}
	return b
}
