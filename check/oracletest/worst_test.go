package oracletest

// Endless is the length of a longest path that has no end.
const Endless = int64(-1)

// Steps is the most moves and retries that a run can take.
func (s *Space) Steps() int64 {
	return s.longest(func(e *Edge) int64 {
		if e.Counts() {
			return 1
		}
		return 0
	})
}

// Attempts is the most that a run can pay where each attempt of an activity has
// a price, by the index of the activity.
func (s *Space) Attempts(price []int64) int64 {
	return s.longest(func(e *Edge) int64 {
		sum := int64(0)
		for _, a := range e.Started {
			sum += price[a]
		}
		return sum
	})
}

// longest is the length of the longest path from the start. A cycle of positive
// length makes it Endless; one of length 0 may be left out.
func (s *Space) longest(weight func(*Edge) int64) int64 {
	of, members := s.parts()
	best := make([]int64, len(members))
	for c := range members { // edges lead to lower numbers
		for _, i := range members[c] {
			if best[c] != Endless {
				best[c] = max(best[c], weight(&Edge{Started: s.Nodes[i].Waiting}))
			}
			for k := range s.Nodes[i].Edges {
				e := &s.Nodes[i].Edges[k]
				w := weight(e)
				switch {
				case of[e.To] == c && w > 0, best[of[e.To]] == Endless:
					best[c] = Endless
				case of[e.To] != c && best[c] != Endless:
					best[c] = max(best[c], w+best[of[e.To]])
				}
			}
		}
	}
	return best[of[0]]
}
