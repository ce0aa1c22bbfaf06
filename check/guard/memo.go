package guard

// memo keeps what is known of nodes until the state changes, and what is assumed
// of disjunctions that are open.
type memo struct {
	epoch   int32
	at      []int32 // the epoch in which value holds
	value   []known
	given   []known // what is assumed
	assumed []int32 // of which nodes
	work    int
}

func (m *memo) forget() { m.epoch++ }

// grow makes room for n nodes: negations are added as the search goes on.
func (m *memo) grow(n int) {
	for len(m.at) < n {
		m.at, m.value, m.given = append(m.at, -1), append(m.value, open), append(m.given, open)
	}
}

// retract takes back all assumptions but the first n.
func (m *memo) retract(n int) {
	for _, i := range m.assumed[n:] {
		m.given[i] = open
	}
	m.assumed = m.assumed[:n]
	m.forget()
}

// assume takes n, a disjunction that is open, for true, and its negation for
// false.
func (s *search) assume(n int32) {
	s.nodes.grow(len(s.p.nodes))
	s.nodes.give(n, yes)
	if neg := s.p.nodes[n].neg; neg != none {
		s.nodes.give(neg, no)
	}
}

func (m *memo) give(n int32, k known) {
	if m.given[n] == open {
		m.given[n] = k
		m.assumed = append(m.assumed, n)
		m.forget()
	}
}

// computed is what follows of node n from its parts, whatever is assumed of it.
func (s *search) computed(n int32) known {
	s.nodes.work++
	return s.parts(n, s.value, s.node)
}

// node is what is known of node n.
func (s *search) node(n int32) known {
	return s.remember(n, func() known {
		if k := s.parts(n, s.value, s.node); k != open {
			return k
		}
		return s.nodes.given[n]
	})
}

// under is what node n is for v: yes or no.
func (s *search) under(n int32, v *values) known {
	return s.remember(n, func() known {
		return s.parts(n, v.value, func(k int32) known { return s.under(k, v) })
	})
}

// remember is what f says of node n, asked once in an epoch.
func (s *search) remember(n int32, f func() known) known {
	s.nodes.grow(len(s.p.nodes))
	if m := &s.nodes; m.at[n] != m.epoch {
		m.work++
		k := f()
		m.at[n], m.value[n] = m.epoch, k
	}
	return s.nodes.value[n]
}

// parts puts together what atom and node say of the parts of node n.
func (s *search) parts(n int32, atom func(atom) known, node func(int32) known) known {
	switch c := &s.p.nodes[n]; c.op {
	case opTrue:
		return yes
	case opLit:
		return atom(c.lit)
	case opAnd:
		return all(c.kids, node, yes)
	case opOr:
		return all(c.kids, node, no)
	}
	return no
}

// all is neutral where it is of all kids, its opposite where that is of one, and
// else open.
func all(kids []int32, node func(int32) known, neutral known) known {
	out := neutral
	for _, k := range kids {
		switch node(k) {
		case -neutral:
			return -neutral
		case open:
			out = open
		}
	}
	return out
}
