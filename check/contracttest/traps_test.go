package contracttest

// components numbers the strongly connected components of the edges that keep
// allows, those that lead nowhere else first (Tarjan, without recursion).
func (s *Space) components(keep func(e *edge) bool) []int {
	n := len(s.nodes)
	comp, low, num := make([]int, n), make([]int, n), make([]int, n)
	next := make([]int, n)
	for i := range comp {
		comp[i] = -1
	}
	var stack, path []int
	count, comps := 0, 0
	for root := range n {
		if num[root] > 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if num[v] == 0 {
				count++
				num[v], low[v] = count, count
				stack = append(stack, v)
			}
			if next[v] < len(s.edges[v]) {
				e := &s.edges[v][next[v]]
				next[v]++
				switch w := e.to; {
				case !keep(e):
				case num[w] == 0:
					path = append(path, w)
				case comp[w] < 0:
					low[v] = min(low[v], num[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				p := path[len(path)-1]
				low[p] = min(low[p], low[v])
			}
			if low[v] == num[v] {
				for {
					w := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					comp[w] = comps
					if w == v {
						break
					}
				}
				comps++
			}
		}
	}
	return comp
}

// traps are the configurations in which a run stays that cannot end, cancel aside:
// components that nothing leaves. Where a step in them cannot be computed, or nothing
// takes an input, the run may stand still for that alone.
func (s *Space) traps(say func(Fault, bool)) {
	comp := s.components(func(e *edge) bool { return !e.cancel && s.nodes[e.to].status != halted })
	left := map[int]bool{}
	for i := range s.nodes {
		for k := range s.edges[i] {
			if e := &s.edges[i][k]; !e.cancel && s.nodes[e.to].status != halted && comp[e.to] != comp[i] {
				left[comp[i]] = true
			}
		}
	}
	orHalts, ends := s.finish(true), s.finish(false)
	round := map[int]bool{}
	for i := range s.nodes {
		for k := range s.edges[i] {
			e := &s.edges[i][k]
			round[comp[i]] = round[comp[i]] || e.move && !e.cancel && comp[e.to] == comp[i]
		}
	}
	for i, c := range s.nodes {
		// A circle from which a run can only end in a halt is a trap, too.
		if c.status == live && !ends[i] && (!left[comp[i]] || round[comp[i]]) {
			say(Fault{"no-way-to-finish", c.leaf.line, c.leaf.Name}, !left[comp[i]] && !orHalts[i])
			k := cycle{"no-way-to-finish", comp[i]}
			s.cycles[k] = append(s.cycles[k], c.leaf)
		}
	}
}

// finish says from which configurations an end is reached, cancel aside; halts
// count as ends if halts is set.
func (s *Space) finish(halts bool) []bool {
	return s.reaches(func(c *config) bool { return c.status == ended || halts && c.status == halted })
}

// leads looks for traps in which an assert still waits for what must follow.
func (s *Space) leads(say func(Fault, bool)) {
	ends := s.finish(false)
	for k, a := range s.m.Asserts {
		if a.Op != "leads" {
			continue
		}
		follows := s.reaches(func(c *config) bool { return c.status != live || c.memory[k] == 0 })
		for i, c := range s.nodes {
			if c.status == live && c.memory[k] == 1 && !ends[i] {
				say(Fault{"assertion-violated", a.line, a.Op}, !follows[i])
			}
		}
	}
}

// reaches says from which configurations one for which goal holds is reached,
// cancel aside.
func (s *Space) reaches(goal func(c *config) bool) []bool {
	back := make([][]int, len(s.nodes))
	ok := make([]bool, len(s.nodes))
	var open []int
	for i, c := range s.nodes {
		for k := range s.edges[i] {
			if e := &s.edges[i][k]; !e.cancel {
				back[e.to] = append(back[e.to], i)
			}
		}
		if goal(c) {
			ok[i] = true
			open = append(open, i)
		}
	}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		for _, w := range back[v] {
			if !ok[w] {
				ok[w] = true
				open = append(open, w)
			}
		}
	}
	return ok
}
