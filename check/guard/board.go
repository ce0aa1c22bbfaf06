package guard

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Board answers one question after another about which of some formulas can hold at once,
// as they are asked of a chain of arms: whether the input reaches the first, the second,
// and so on. It numbers the formulas and makes the state of the theories once, so that a question
// costs what its own formulas do. It gives no values.
//
// A Board belongs to one goroutine.
type Board struct {
	s     *search
	roots []int32 // by formula
	laws  []int32 // what holds of the variables whatever is asked
}

// NewBoard makes a Board of list. It is nil where all of list together are too large, or past what
// can be decided: then each question may still be small enough for Satisfy.
func NewBoard(list []Formula) *Board {
	p, roots, laws := numbered(list)
	if p == nil || p.opaque || len(p.asked) > 0 && slices.ContainsFunc(p.read(), isList) {
		return nil // of lists that host guards are asked about there may be too few: see renderer.list
	}
	s := newSearch(p)
	if s == nil {
		return nil
	}
	return &Board{s: s, roots: roots, laws: laws}
}

func isList(v *variable) bool { return v.typ.Kind == ir.List }

// Possible asks whether all of the formulas with the numbers given can hold at once. What is to
// be decided first stands first. Undecided says no more than that Satisfy has to be asked.
func (b *Board) Possible(numbers []int) Verdict {
	s := b.s
	s.spent, s.unsure = false, false
	s.nodes.work, s.matrix.work, s.texts.work = 0, 0, 0
	pending := make([]int32, len(numbers), len(numbers)+len(b.laws))
	for i, n := range numbers {
		pending[i] = b.roots[n]
	}
	switch found := s.decide(append(pending, b.laws...)); {
	case found:
		return Sat
	case !s.unsure:
		return Unsat
	}
	return Undecided
}
