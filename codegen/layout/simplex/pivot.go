package simplex

import "slices"

// none is the edge that leads up from a root.
const none = -1

// number walks the trees: which edge leads up from each node, the postorder, and what each
// subtree pulls.
func (s *solver) number() {
	n := len(s.at)
	s.up, s.pull = make([]int, n), make([]int, n)
	s.low, s.last, s.post = make([]int, n), make([]int, n), make([]int, n)
	from := 0
	for _, root := range s.roots {
		from = s.renumber(root, none, from)
	}
}

// renumber walks the subtree of v, to which the edge up leads, giving out numbers in
// postorder from the given one on; it returns the next.
func (s *solver) renumber(v, up, from int) int {
	s.work--
	s.up[v], s.low[v] = up, from
	pull := 0
	for _, i := range s.touching[v] {
		if e := &s.edges[i]; e.From == v {
			pull += e.Weight
		} else {
			pull -= e.Weight
		}
	}
	for _, i := range s.tree[v] {
		if i != up {
			w := s.other(i, v)
			from = s.renumber(w, i, from)
			pull += s.pull[w]
		}
	}
	s.pull[v], s.last[v], s.post[from] = pull, from, v
	return from + 1
}

// below reports whether v is in the subtree of top.
func (s *solver) below(v, top int) bool { return s.low[top] <= s.last[v] && s.last[v] <= s.last[top] }

// improve exchanges edges until no exchange makes the cost less.
func (s *solver) improve() {
	for at, kept := 0, 0; kept < len(s.post) && s.work > 0; at = (at + 1) % len(s.post) {
		v := s.post[at]
		if s.up[v] == none || s.worth(v) >= 0 {
			kept++
			s.work--
			continue
		}
		if enter := s.entering(v); enter != none {
			s.exchange(v, enter)
			kept = 0
		} else {
			kept++
		}
	}
}

// worth is the cut value of the edge that leads up from v: by how much a longer one would
// cost more.
func (s *solver) worth(v int) int {
	if s.edges[s.up[v]].From == v {
		return s.pull[v]
	}
	return -s.pull[v]
}

// entering is the edge with the least slack between the subtree of v and the rest that
// leads the other way than the edge up from v.
func (s *solver) entering(v int) int {
	out := s.edges[s.up[v]].From != v // which way the one that enters leads
	best, least := none, 0
	for _, w := range s.post[s.low[v] : s.last[v]+1] {
		s.work -= 1 + len(s.touching[w])
		for _, i := range s.touching[w] {
			e := &s.edges[i]
			if (e.From == w) != out || s.below(s.other(i, w), v) {
				continue
			}
			if slack := s.slack(i); best == none || slack < least || slack == least && i < best {
				best, least = i, slack
			}
		}
	}
	return best
}

// exchange takes the edge up from v out of the tree and puts enter into it. The subtree of
// v moves, so that enter has no slack.
func (s *solver) exchange(v, enter int) {
	leave := s.up[v]
	move := s.slack(enter)
	if s.edges[leave].From == v {
		move = -move // what enters leads into the subtree, which moves towards it
	}
	for _, w := range s.post[s.low[v] : s.last[v]+1] {
		s.at[w] += move
	}
	top := s.above(s.edges[enter].From, s.edges[enter].To)
	s.cut(leave)
	e := &s.edges[enter]
	s.tree[e.From] = append(s.tree[e.From], enter)
	s.tree[e.To] = append(s.tree[e.To], enter)
	s.renumber(top, s.up[top], s.low[top])
}

// above is the lowest node that has both v and w in its subtree.
func (s *solver) above(v, w int) int {
	for !s.below(w, v) {
		v = s.other(s.up[v], v)
	}
	return v
}

// cut takes an edge out of the lists of the tree.
func (s *solver) cut(edge int) {
	for _, v := range [2]int{s.edges[edge].From, s.edges[edge].To} {
		s.tree[v] = slices.DeleteFunc(s.tree[v], func(other int) bool { return other == edge })
	}
}
