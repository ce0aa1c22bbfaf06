package guard

import "github.com/fsmc-dev/fsmc/lang/ir"

// Bounds is the range of the values that v, an int, duration, time (microseconds)
// or enum (index), has where f holds, so that f implies v < c just if the upper
// end is below c. It is exact up to the lengths of strings: where these are
// compared it may be too wide, never too narrow. With Unsat f never holds, with
// Undecided nothing is known; the range counts with Sat alone. Where f says
// nothing of v the range is that of its type.
//
// Either end is found by branch and bound: the matrix of what follows so far has
// a bound for v, and a branch that can bring nothing further is left.
func Bounds(f Formula, v *ir.Var) (ir.Range, Verdict) {
	p, why := newProblem(f)
	if why != "" {
		return ir.Range{}, Undecided
	}
	at := p.number(newVariable(Term{Var: v}, v.Type))
	hi, verdict := p.greatest(at, 0)
	if verdict != Sat {
		return ir.Range{}, verdict
	}
	negatedLo, verdict := p.greatest(0, at)
	return ir.Range{Lo: negatedLo.neg().narrow(), Hi: hi.narrow()}, verdict
}

// greatest is the largest x - y where p holds.
func (p *problem) greatest(x, y int32) (wide, Verdict) {
	s := newSearch(p)
	s.goal = &goal{x: x, y: y}
	if s.possible() {
		s.decide([]int32{p.root})
	}
	switch {
	case s.why != "":
		return wide{}, Undecided
	case !s.goal.known:
		return wide{}, Unsat
	}
	return s.goal.best, Sat
}
