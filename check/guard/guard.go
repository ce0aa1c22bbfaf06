// Package guard decides questions about guards: can two hold at once, is there
// data for which none of a chain holds, can an arm ever be reached, how far can
// a field go where a guard holds. The answer is yes with values that show it,
// no, or undecided, where the work would pass a limit. It is never a guess.
//
// # The map
//
// In the order in which to read it:
//
//   - What is asked: guard.go, judge.go (a formula that is asked about for many values), board.go
//     (many formulas of which some are asked about together).
//   - From a guard to a formula: read.go, with compare.go (comparisons) and host.go (host guards);
//     term.go (what is compared), literal.go (atoms), formula.go (and, or, not), facts.go (formulas
//     that no guard is read for), float.go.
//   - From a formula to a problem with numbered variables: problem.go, cell.go and holes.go (a long chain as
//     intervals).
//   - The search: search.go, state.go, memo.go; its theories are matrix.go and partition.go.
//   - From a state to values: values.go; render.go and model.go, which show them.
//
// # From a guard to a formula
//
// Read turns a `when` or a `require` into two formulas: Holds, where it computes
// to true, and Fails, where it computes to false. They are not each other's
// negation: a guard that reads a field that is not set cannot be
// computed, and is neither (Stuck). `&&` and `||` stop early, so that
// `x is set && x > 3` is never stuck and `x > 3 && x is set` can be.
//
// The atoms of a formula are
//
//   - x - y <= c over the integers: int, duration (nanoseconds), time
//     (microseconds since 1970), len (at least 0), and enum values by their
//     index. Finite floats are integers here, too: comparing them needs their
//     order alone, and their ordinals have the same (see ordinal);
//   - s == t and s == "text" over strings, of which there is no end;
//   - a boolean, `x is set`, or the verdict of a host guard. Calls with equal
//     arguments in one step have one verdict (see congruence).
//
// Every other comparison is made of these: x - y == c is two bounds, x - y != c
// is one of two.
//
// # How a formula is decided
//
// The search is that of DPLL modulo theories (Nieuwenhuis, Oliveras and Tinelli,
// "Solving SAT and SAT Modulo Theories", JACM 53, 2006) over a formula in
// negation normal form, without learning. What must hold is kept as a list of
// atoms, taken over into the state of the theories, and of disjunctions that are
// still open. The state decides atoms that follow from it: a disjunct that
// cannot hold any more is dropped, the last one is taken over. If nothing more
// follows, values are chosen for all variables. If they happen to satisfy what
// is open, that is the answer; else the search splits the disjunction with the
// fewest disjuncts left, each of them with the ones before it denied.
//
// The state of the integers is a difference-bound matrix, kept closed under
// shortest paths (see matrix). That of the strings is a partition with
// disequalities (see partition). Both undo what was added since a mark.
//
// # Cost
//
// A bound is added in O(n²) for n variables, and in O(n) where it concerns one
// variable that nothing is compared with; an atom is decided by looking at one
// entry. A guard as people write them takes some microseconds. The worst case is
// exponential (graph colouring can be written with `!=`), so that the work is
// counted, in entries and nodes looked at, and ends at limit with Undecided.
package guard

// limit is how much work one question may take: entries of a matrix and nodes
// of a formula looked at. It is some tens of milliseconds.
const limit = 1 << 22

// maxVariables is how many integer variables one question may have: its matrix
// has their number squared of entries, 16 bytes each.
const maxVariables = 1000

// maxPairs is how many pairs of different calls of one host guard one question may
// have: where their arguments are equal, so are their verdicts.
const maxPairs = 45_000

// Verdict is the answer to "can this be?".
type Verdict int

const (
	Undecided Verdict = iota // the work limit was passed, or a part of a guard is not understood
	Sat                      // it can, and there is a model
	Unsat                    // it cannot
)

// String is the verdict in one word.
func (v Verdict) String() string { return [...]string{"undecided", "sat", "unsat"}[v] }

// Answer is a verdict, and of Sat what shows it.
type Answer struct {
	Verdict Verdict
	Model   *Model // nil but with Sat
}

// Satisfy asks whether all of list can hold at once.
func Satisfy(list ...Formula) Answer {
	all := And(list...)
	switch all.node() { // most choices have no guard
	case always:
		return Answer{Verdict: Sat, Model: anyData}
	case never:
		return Answer{Verdict: Unsat}
	}
	p := newProblem(all)
	if p == nil {
		return Answer{Verdict: Undecided}
	}
	s := newSearch(p)
	found := s != nil && s.decide([]int32{p.root})
	switch {
	case found && !p.opaque:
		return p.answer(s.found)
	case found || s != nil && s.unsure:
		return Answer{Verdict: Undecided}
	}
	return Answer{Verdict: Unsat}
}
