package guard

import "github.com/fsmc-dev/fsmc/check/wide"

// known is what is known of an atom or a node.
type known int8

const (
	no   known = iota - 1
	open       // -open is open
	yes
)

func knownIf(b bool) known {
	if b {
		return yes
	}
	return no
}

// state is a consistent set of atoms, and what follows from it.
type state struct {
	p       *problem
	matrix  *matrix
	texts   *partition
	facts   []known
	decided []int32 // the facts that are not open
}

// mark is a point to which a state can be taken back.
type mark struct{ matrix, apart, merged, decided int }

// newState is the state of p without any atom; p must not be empty.
func newState(p *problem) *state {
	return &state{p: p, matrix: newMatrix(p.numbers), texts: newPartition(p.texts), facts: make([]known, len(p.facts))}
}

func (s *state) mark() mark {
	return mark{len(s.matrix.trail), len(s.texts.apart), len(s.texts.merged), len(s.decided)}
}

func (s *state) undo(m mark) {
	s.matrix.undo(m.matrix)
	s.texts.undo(m.apart, m.merged)
	for _, f := range s.decided[m.decided:] {
		s.facts[f] = open
	}
	s.decided = s.decided[:m.decided]
}

func (s *state) work() int { return s.matrix.work + s.texts.work }

// value is what is known of a.
func (s *state) value(a atom) known {
	v := open
	switch a.kind {
	case bound:
		switch {
		case !a.c.Less(s.matrix.at(a.x, a.y)):
			return yes
		case !s.matrix.allows(a.x, a.y, a.c):
			return no
		}
		return open
	case equality:
		v = s.texts.equal(a.x, a.y)
	case truth:
		v = s.facts[a.x]
	}
	if a.neg {
		return -v
	}
	return v
}

// add takes a, which is open, over. It reports whether that is consistent; where
// it is not, the state is to be taken back.
func (s *state) add(a atom) bool {
	switch {
	case a.kind == bound:
		return s.matrix.tighten(a.x, a.y, a.c)
	case a.kind == truth:
		s.facts[a.x] = knownIf(!a.neg)
		s.decided = append(s.decided, a.x)
	case a.neg:
		s.texts.separate(a.x, a.y)
	default:
		if !s.equateLengths(a.x, a.y) {
			return false
		}
		s.texts.merge(a.x, a.y)
	}
	return true
}

// equateLengths makes the lengths of the strings x and y, whose classes are to be
// merged, equal, where they are asked. Within a class they already are.
func (s *state) equateLengths(x, y int32) bool {
	a, b := s.length(x), s.length(y)
	if a.variable == 0 && !a.fixed || b.variable == 0 && !b.fixed {
		return true
	}
	difference := wide.Of(b.constant - a.constant)
	return s.matrix.tighten(a.variable, b.variable, difference) &&
		s.matrix.tighten(b.variable, a.variable, difference.Neg())
}

// textLength is a number, or where it is 0 a constant, or unknown.
type textLength struct {
	variable int32
	constant int64
	fixed    bool
}

// length is the length of the class of x.
func (s *state) length(x int32) textLength {
	class := s.texts.class[x]
	if s.texts.constant[class] {
		return textLength{constant: int64(len(s.p.texts[class].value)), fixed: true}
	}
	for i, c := range s.texts.class {
		if c == class && s.p.texts[i].length != 0 {
			return textLength{variable: s.p.texts[i].length}
		}
	}
	return textLength{}
}
