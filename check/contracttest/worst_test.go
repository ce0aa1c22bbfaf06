package contracttest

// Worst is the worst case: -1 where there is none.
type Worst struct {
	Steps    int
	Costs    []int // one for each of Costs
	Attempts []int
}

// Worst counts the most steps, attempts and tokens that any run takes.
func (s *Space) Worst() Worst {
	w := Worst{
		Steps: s.longest(func(e *edge) int {
			if e.move || e.retry {
				return 1
			}
			return 0
		}),
	}
	for k := range Costs {
		w.Costs = append(w.Costs, s.longest(func(e *edge) int {
			sum := 0
			for _, d := range e.starts {
				if d.Act.Costs != nil {
					sum += d.Act.Costs[k]
				}
			}
			return sum
		}))
	}
	for _, a := range s.m.Acts {
		w.Attempts = append(w.Attempts, s.longest(func(e *edge) int {
			sum := 0
			for _, d := range e.starts {
				if d.Act == a {
					sum++
				}
			}
			return sum
		}))
	}
	return w
}

// longest is the greatest sum of weights on a path, or -1. Components are
// numbered so that those which others lead to come first.
func (s *Space) longest(weight func(e *edge) int) int {
	comp := s.components(func(*edge) bool { return true })
	count := 0
	for _, c := range comp {
		count = max(count, c+1)
	}
	members := make([][]int, count)
	for i, c := range comp {
		members[c] = append(members[c], i)
	}
	best := make([]int, count)
	most := 0
	for c, nodes := range members {
		for _, i := range nodes {
			for k := range s.edges[i] {
				e := &s.edges[i][k]
				v := weight(e)
				if comp[e.to] == c {
					if v > 0 {
						return -1
					}
					continue
				}
				best[c] = max(best[c], v+best[comp[e.to]])
			}
		}
		most = max(most, best[c])
	}
	// The attempts of the initial state belong to the start.
	for _, i := range s.first {
		most = max(most, weight(&i)+best[comp[i.to]])
	}
	return most
}

// Longest is the most ticks that any run takes, or -1.
func (s *Space) Longest() int { return s.longest(func(e *edge) int { return e.ticks }) }
