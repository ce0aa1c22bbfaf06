package oracletest

// A cut is the graph of a space without some of its edges.
type cut struct {
	*Space
	keep func(from int, e *Edge) bool
}

// components numbers the strongly connected components, by Kosaraju's two
// passes: nodes of one component share a number, and an edge never leads to a
// higher one.
func (g cut) components() (of []int, n int) {
	order := g.postorder()
	back := make([][]int, len(g.Nodes))
	for from := range g.Nodes {
		for i := range g.Nodes[from].Edges {
			if e := &g.Nodes[from].Edges[i]; g.keep(from, e) {
				back[e.To] = append(back[e.To], from)
			}
		}
	}
	of = make([]int, len(g.Nodes))
	for i := range of {
		of[i] = -1
	}
	for k := len(order) - 1; k >= 0; k-- {
		if of[order[k]] >= 0 {
			continue
		}
		of[order[k]] = n
		for work := []int{order[k]}; len(work) > 0; {
			v := work[len(work)-1]
			work = work[:len(work)-1]
			for _, u := range back[v] {
				if of[u] < 0 {
					of[u] = n
					work = append(work, u)
				}
			}
		}
		n++
	}
	for i := range of {
		of[i] = n - 1 - of[i]
	}
	return of, n
}

func (g cut) postorder() []int {
	type frame struct{ node, next int }
	var order []int
	seen := make([]bool, len(g.Nodes))
	for root := range g.Nodes {
		if seen[root] {
			continue
		}
		seen[root] = true
		stack := []frame{{node: root}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(g.Nodes[top.node].Edges) {
				order = append(order, top.node)
				stack = stack[:len(stack)-1]
				continue
			}
			e := &g.Nodes[top.node].Edges[top.next]
			top.next++
			if g.keep(top.node, e) && !seen[e.To] {
				seen[e.To] = true
				stack = append(stack, frame{node: e.To})
			}
		}
	}
	return order
}

// parts are the components of all nodes and edges: that of each node, and the nodes of each.
func (s *Space) parts() (of []int, members [][]int) {
	of, n := cut{s, func(int, *Edge) bool { return true }}.components()
	members = make([][]int, n)
	for i, c := range of {
		members[c] = append(members[c], i)
	}
	return of, members
}
