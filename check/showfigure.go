package check

import (
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/witness"
)

// longRun is from how many steps on a run that reaches one figure is looked at for
// others first: to write one out for each of a hundred activities would take minutes.
const longRun = 1000

// reached is a run that was replayed, or surely is one.
type reached struct {
	path []int32
	run  *witness.Witness // nil where it is too long to be shown
}

// Show writes out and replays the run that reaches f, a figure of the machine's
// worst case, and says with it whether f is exact and what it is made of. A figure
// whose run does not replay is an upper bound, and shows none. So is one past the budget that
// runs are held to.
func (s *shared) Show(f *Figure) {
	p := s.Product()
	if p == nil || f.shown {
		return
	}
	f.shown = true
	if f.Amount != nil && !f.past && !s.reachedBefore(f, longRun) {
		s.reach(p, f)
		if !f.Exact && !s.reachedBefore(f, 0) && f.Run == nil && s.mayShow(len(f.path)) {
			s.reachLess(p, f)
		}
	}
	switch {
	case f == &s.proof.worst.Steps:
		f.Factors = stepFactors(p, f.path)
	case f.Name == timeName:
	case f.in(s.proof.worst.Costs) >= 0:
		f.Shares, f.Factors = s.shares(f), s.costFactors(f)
	case f.measure.kind != ofItself && f.Amount == nil:
	case f.measure.kind != ofItself:
		f.Factors = s.treeFactors(f)
	default:
		if i := f.in(s.proof.worst.Activities); i >= 0 {
			f.Factors = s.attemptsOn(f.path)[i].String()
		}
	}
}

// in is the place of f in list, or -1.
func (f *Figure) in(list []Figure) int {
	for i := range list {
		if f == &list[i] {
			return i
		}
	}
	return -1
}

// reach replays the run of f, and where that is none another one: one that defers as
// little as can be, since a path knows neither what deferred events carry nor in which
// order they came.
func (s *shared) reach(p *explore.Product, f *Figure) {
	if s.reachBy(p, f); f.Exact || f.weight == nil || !s.mayShow(len(f.path)) {
		return
	}
	of, n := p.Components()
	first := f.path
	if f.path = graph.NewCheapest(&p.Graph, of, n, f.weight.Of, p.Detours).Path(0); s.mayShow(len(f.path)) {
		s.reachBy(p, f)
	}
	if !f.Exact {
		f.path = first
	}
}

// reachBy replays the path of f; one that is too long to be written out reaches f where
// no step of it is a guess.
func (s *shared) reachBy(p *explore.Product, f *Figure) {
	if !s.mayShow(len(f.path)) {
		f.Exact = f.Name != timeName && p.Sure(f.path) && !s.calls()
		s.alsoReaches(f, true)
		return
	}
	ending := replay.Taken
	if f.Name == timeName {
		ending = replay.Latest // at once it would show the way, and not the time
	}
	along := s.along(f.path, ending, nil)
	w, run, replays, retries, whole := along.w, along.copied(), along.replays, along.retries, along.whole
	if !replays && f.weight != nil && !f.soughtSure && !p.Sure(f.path) {
		f.soughtSure = true
		if path := p.SurePath(f.weight, f.length); path != nil && !slices.Equal(path, f.path) {
			f.path = path
			s.reach(p, f)
		}
		return
	}
	if !replays || !retries {
		return
	}
	f.Run, f.Exact = run, f.Name != timeName && retries && (whole || f == &s.proof.worst.Steps)
	if f.lasts = lastOf(run); f.Exact && s.calls() {
		f.Run, f.Exact = s.combined(f, w, run)
	}
	if f.Name == timeName {
		s.showLongest(f.Run)
	}
	s.alsoReaches(f, whole)
}

// reachLess replays the path of f, a figure that its whole run does not reach, without the
// retries of elements.
func (s *shared) reachLess(p *explore.Product, f *Figure) {
	if f.weight == nil {
		return
	}
	length, ok := f.weight.Bare(f.path)
	if !ok || f.length == 0 {
		return
	}
	w, _, whole := p.RunAll(f.path, true)
	s.rows += len(w.Path)
	run, replays := s.replays(s.ends(w, replay.Taken))
	delete(s.endings, w)
	if replays && whole {
		unit := new(big.Rat).Quo(f.Amount, new(big.Rat).SetInt64(f.length))
		f.Run, f.Least = run, unit.Mul(unit, new(big.Rat).SetInt64(length))
	}
}

// Short reports whether Run is not known to reach f, and how much of it, nil where nobody knows. That
// inputs come just before what would end a wait makes a run no shorter.
func (f *Figure) Short() (amount *big.Rat, short bool) {
	if f.Run == nil || f.Exact || f.Amount == nil {
		return nil, false
	}
	if f.Name != timeName {
		return f.Least, true
	}
	lasts := f.lasts.Nanoseconds()
	amount = new(big.Rat).SetInt64(lasts)
	within := new(big.Rat).SetInt64(lasts + int64(len(f.Run.Path))*replay.JustBefore)
	return amount, within.Cmp(f.Amount) < 0
}

// alsoReaches notes the run of f for figures that it reaches, too.
func (s *shared) alsoReaches(f *Figure, whole bool) {
	if f.Exact && whole {
		s.proof.reached = append(s.proof.reached, reached{f.path, f.Run})
	}
}

// reachedBefore looks whether a run that was replayed reaches f, too, if the path of f has
// so many steps.
func (s *shared) reachedBefore(f *Figure, steps int) bool {
	if f.weight == nil || f.Name == timeName || len(f.path) < steps || s.calls() {
		return false
	}
	for _, r := range s.proof.reached {
		length := int64(0)
		for _, e := range r.path {
			length += f.weight.Of(graph.None, e)
		}
		if length == f.length {
			f.path, f.Run, f.Exact = r.path, r.run, true
			return true
		}
	}
	return false
}
