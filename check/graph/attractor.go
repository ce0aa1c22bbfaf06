package graph

// backward holds the edges by where they lead: those into vertex v are
// edges[first[v]:first[v+1]].
type backward struct {
	first []int32
	edges []int32 // edge numbers
	from  []int32 // by edge number
}

func newBackward(g *Graph) *backward {
	b := &backward{first: make([]int32, g.Len()+1), edges: make([]int32, len(g.To)), from: make([]int32, len(g.To))}
	for _, to := range g.To {
		b.first[to+1]++
	}
	for v := range g.Len() {
		b.first[v+1] += b.first[v]
	}
	next := append([]int32(nil), b.first[:g.Len()]...)
	for v := range int32(g.Len()) {
		for e := g.First[v]; e < g.First[v+1]; e++ {
			b.from[e] = v
			b.edges[next[g.To[e]]] = e
			next[g.To[e]]++
		}
	}
	return b
}

// Attractor adds to sure, and gives, the vertices from which one that it holds is
// reached (McNaughton, Infinite games played on finite graphs, 1993): those with
// an edge into it of which leadsOn says that it is enough, together with those of
// which it was asked before. Each edge is asked about once at most, and none of a
// vertex that is in it already: it is linear in the edges.
func (g *Graph) Attractor(sure []bool, leadsOn func(e int32) bool) []bool {
	back := newBackward(g)
	var work []int32
	for v, in := range sure {
		if in {
			work = append(work, int32(v))
		}
	}
	for len(work) > 0 {
		g.Stop.Poll()
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range back.edges[back.first[v]:back.first[v+1]] {
			if from := back.from[e]; !sure[from] && leadsOn(e) {
				sure[from] = true
				work = append(work, from)
			}
		}
	}
	return sure
}

// FirstOfInput is for each edge of g the first one of its input in the vertex from
// which it leads. Edges of one input stand side by side.
func (g *Graph) FirstOfInput(input func(e int32) int32) []int32 {
	first := make([]int32, len(g.To))
	for v := range int32(g.Len()) {
		g.Stop.Poll()
		for e := g.First[v]; e < g.First[v+1]; e++ {
			first[e] = e
			if e > g.First[v] && input(e) == input(e-1) {
				first[e] = first[e-1]
			}
		}
	}
	return first
}
