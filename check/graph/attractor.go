package graph

// Attractor adds to sure, and gives, the vertices from which one that it holds is
// reached (McNaughton, Infinite games played on finite graphs, 1993): those with
// an edge into it of which leadsOn says that it is enough, together with those of
// which it was asked before. Each edge is asked about once at most, and none of a
// vertex that is in it already: it is linear in the edges.
func (g *Graph) Attractor(sure []bool, leadsOn func(e int32) bool) []bool {
	first, edges := Grouped(g.To, g.Len()) // by where they lead
	source := make([]int32, len(g.To))
	for v, e := range g.Edges() {
		source[e] = v
	}
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
		for _, e := range edges[first[v]:first[v+1]] {
			if from := source[e]; !sure[from] && leadsOn(e) {
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
