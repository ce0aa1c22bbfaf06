package guard

import (
	"math"
	"slices"
)

// search looks for values that satisfy a problem.
type search struct {
	*state
	nodes  memo
	spent  bool // the limit was passed
	unsure bool // so it was, or no values could be chosen: that none were found is not certain
	found  *values
}

// newSearch is nil where there is nothing to search.
func newSearch(p *problem) *search {
	if p.empty {
		return nil
	}
	return &search{state: newState(p)}
}

// decide looks for values for which all of pending hold. It leaves the state as
// it was. Where it finds none, that is certain only if it is not unsure.
func (s *search) decide(pending []int32) bool {
	m, assumed := s.mark(), len(s.nodes.assumed)
	defer func() {
		s.undo(m)
		s.nodes.retract(assumed)
	}()
	rest, consistent := s.propagate(pending)
	if !consistent || s.spent {
		return false
	}
	v, ok := s.choose()
	if !ok && len(rest) == 0 {
		s.unsure = true // consistent, and yet no values could be chosen
		return false
	}
	unmet := rest
	if ok {
		if unmet = s.unmet(rest, v); len(unmet) == 0 {
			s.found = v
			return true
		}
	}
	return s.split(rest, unmet)
}

// propagate takes over what must hold where all of pending do, and gives the
// disjunctions that are still open; consistent is false where something cannot
// hold.
func (s *search) propagate(pending []int32) (rest []int32, consistent bool) {
	queue := slices.Clone(pending)
	for again := true; again; {
		again, rest = false, rest[:0]
		for i := 0; i < len(queue); i++ {
			n := queue[i]
			switch s.computed(n) {
			case yes:
				continue
			case no:
				return nil, false
			}
			if s.exhausted() {
				return nil, false
			}
			switch c := &s.p.nodes[n]; {
			case c.op == opLit:
				if !s.add(c.lit) {
					return nil, false
				}
				s.nodes.forget()
				again = true
			case c.op == opAnd:
				queue = append(queue, c.kids...)
			default:
				s.assume(n)
				if left, last := s.left(c); left == 1 {
					queue = append(queue, last)
				} else {
					rest = append(rest, n)
				}
			}
		}
		queue = append(queue[:0], rest...)
	}
	return rest, true
}

// left counts the disjuncts of c that may still hold; last is the last of them.
func (s *search) left(c *cell) (left int, last int32) {
	for _, k := range c.kids {
		if s.node(k) == open {
			left, last = left+1, k
		}
	}
	return left, last
}

// split tries the disjuncts of one of rest: of those in candidates the one that
// has the fewest left.
func (s *search) split(rest, candidates []int32) bool {
	chosen, fewest := candidates[0], math.MaxInt
	for _, n := range candidates {
		if left, _ := s.left(&s.p.nodes[n]); left < fewest {
			chosen, fewest = n, left
		}
	}
	others := slices.DeleteFunc(slices.Clone(rest), func(n int32) bool { return n == chosen })
	for _, k := range s.p.nodes[chosen].kids {
		if s.node(k) != open {
			continue
		}
		if s.decide(append(others[:len(others):len(others)], k)) {
			return true
		}
		if s.spent {
			return false
		}
		others = append(others, s.p.negation(k))
	}
	return false
}

// unmet are those of rest that do not hold for v.
func (s *search) unmet(rest []int32, v *values) []int32 {
	s.nodes.forget()
	defer s.nodes.forget()
	var out []int32
	for _, n := range rest {
		if s.under(n, v) != yes {
			out = append(out, n)
		}
	}
	return out
}

// exhausted reports whether the limit is passed.
func (s *search) exhausted() bool {
	if s.nodes.work+s.work() <= limit {
		return false
	}
	s.spent, s.unsure = true, true
	return true
}
