package check

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// A question about all runs is asked of the product where that is small. Where it
// is not, the question is put to the control graph first, on which guards are free
// and every bound is both open and used up; what that leaves unproved is asked of
// the product up to the limit. What is open then is noted, and reported as
// `undecided`.

// SmallProduct is the number of configurations up to which the product is
// explored whether or not a question needs it: some hundredths of a second. It is another
// number in tests alone.
var SmallProduct = 50_000

// proof is what is known of a machine's runs.
type proof struct {
	product *explore.Product // nil where it was not asked for, or is past the limit
	limit   int              // up to which it was explored
	most    int              // the limit
	passed

	control  *control.Graph
	entered  []bool // surely, by state ID; see control.Graph.SurelyEntered
	turned   []bool // by state ID; see NeverEntered
	worst    *Worst
	reached  []reached // long runs of figures that were replayed
	counted  countedPath
	climbed  map[*ir.Arm]bool            // see climbsTo
	adding   map[*ir.Var]*explore.Adding // see loosely
	walked   int                         // edges gone through to count attempts
	open     []Question
	openedBy map[opening]bool
}

// passed is what is known of runs where the product is past a limit.
type passed struct {
	seen []*explore.Seen // before it was passed

	bare     *explore.Product // see OpenProduct
	bareTold bool             // it was asked for

	begun     *shared      // see early.go
	begunTold bool         // it was asked for
	shown     map[any]bool // by state and by arm: see showsEarly
}

// Question is one that is left open: past the limit, or since the run that would
// answer it does not replay.
type Question struct {
	Rule  string     // that asks; of those that a rule leaves open empty for its own
	State *ir.State  // that it is about; nil for the whole machine
	Span  token.Span // where it arises; the state, where none is given

	rule   *Rule     // that asks; nil for the framework
	Inputs []InputAt // that it comes down to; for Silence alone

	finding *Finding // that would have been made; nil where there is none
	past    bool     // the limit left it open
	Changes *ir.Var  // that is another one after each lap of the cycle that was found
	others  []*ir.State
}

// opening is what makes two questions one.
type opening struct {
	rule  string
	state *ir.State
	span  token.Span
}

// Product is everything that the machine can reach, with its data and
// counters; nil past the limit, and for a machine that is broken.
func (s *shared) Product() *explore.Product { return s.productUpTo(s.proof.most) }

// SmallProduct is Product where that is small, else nil.
func (s *shared) SmallProduct() *explore.Product {
	return s.productUpTo(min(SmallProduct, s.proof.most))
}

func (s *shared) productUpTo(limit int) *explore.Product {
	if limit > SmallProduct && s.SmallProduct() != nil {
		return s.proof.product
	}
	if s.proof.product == nil && s.proof.limit < limit {
		before := s.proof.limit
		s.proof.limit = limit
		var seen *explore.Seen
		if limit > SmallProduct {
			s.proof.product, seen = explore.TryLarge(s.Table(), before, limit)
		} else {
			s.proof.product, seen = explore.TryFurther(s.Table(), before, limit, s.proof.most)
		}
		if seen != nil {
			s.proof.seen = append(s.proof.seen, seen)
		}
	}
	return s.proof.product
}

// OpenProduct is what is left past the limit of a question that no counter
// decides: the product with every bound both open and used up. It is nil where
// that is past the limit, too, and where Product is not. What no path of it does,
// no run does; what one does is open.
func (s *shared) OpenProduct() *explore.Product {
	if s.Product() == nil && !s.proof.bareTold {
		s.proof.bareTold = true
		s.proof.bare = explore.TryOpen(s.Table(), s.proof.most)
	}
	return s.proof.bare
}

// SumsFit reports whether every effect surely stays in the range of its field, which is known
// without what guards read of sums.
func (s *shared) SumsFit() bool { return explore.SumsFit(s.Table(), s.loosest()) }

// looseEach is how many configurations each state may have, on average, while
// neither values nor counters are told apart.
const looseEach = 16

// MayReadUnset reports whether some run may read a field that it has not set,
// whatever the other data and the counters are, or that is past the limit.
func (s *shared) MayReadUnset() bool {
	p := explore.TryLoosest(s.Table(), s.loosest(), false)
	return p == nil || slices.ContainsFunc(p.Faults(), func(f explore.Fault) bool { return f.ReadsUnset() })
}

// loosest is how many configurations there may be while neither values nor counters are told apart.
func (s *shared) loosest() int { return max(SmallProduct, looseEach*len(s.Machine.States)) }

// Control is the control graph; see control.New.
func (s *shared) Control() *control.Graph {
	if s.proof.control == nil {
		s.proof.control = control.New(s.Table(), data.BetweenInEffects(s.Machine))
	}
	return s.proof.control
}

// Changed is the field that is another one after the lap that was looked at last; nil where that is
// not why it is not known to be a cycle.
func (s *shared) Changed() *ir.Var {
	if s.changes == nil {
		return nil
	}
	return s.changes.Var
}

// LeaveOpen notes that the limit left a question open.
func (s *shared) LeaveOpen(q Question) {
	if s.changes != nil {
		q.Changes, s.changes = s.changes.Var, nil
	}
	key := opening{q.Rule, q.State, token.Span{}}
	if q.State == nil {
		key.span = q.Span
	}
	if !s.proof.openedBy[key] {
		if s.proof.openedBy == nil {
			s.proof.openedBy = map[opening]bool{}
		}
		s.proof.openedBy[key] = true
		q.past = s.proof.product == nil && q.finding == nil
		s.proof.open = append(s.proof.open, q)
	}
}

// LeaveOpen notes that a question is left open: of the rule, unless it names another one.
func (p *Pass) LeaveOpen(q Question) {
	if q.Rule == "" {
		q.Rule, q.rule = p.rule.Name, p.rule
		if q.rule.Question == "" {
			panic("check: " + q.Rule + " leaves a question open, and its record has none")
		}
	}
	p.shared.LeaveOpen(q)
}

// ReportSure reports f where its witness surely is a run. Else it leaves the question open, about
// the state of f, or of the start, which is in no state, about its place.
func (p *Pass) ReportSure(f Finding, sure bool) {
	q := Question{State: f.State}
	if f.State == nil {
		q.Span = f.Span
	}
	if sure {
		p.Report(f)
	} else {
		p.LeaveOpen(q)
	}
}

// OpenQuestions are those that the rules before have left open.
func (s *shared) OpenQuestions() []Question { return s.proof.open }

// Unreachable reports whether it is proved that no run enters state. It is
// false where a target could not be resolved: that may lead there.
func (s *shared) Unreachable(state *ir.State) bool {
	if !s.Starts() {
		return false
	}
	if p := s.SmallProduct(); p != nil {
		_, entered := p.Entered(state)
		return !entered
	}
	c := s.Control()
	if _, entered := c.Entered(state); !entered {
		return !c.Open()
	}
	if s.Machine.Broken || s.Machine.Incomplete || s.surelyEntered(state) {
		return false
	}
	enters := func(seen *explore.Seen) bool { return seen.Entered(state) }
	if s.surelySeen(enters) || s.showsEarly(state, func(p *explore.Product) [][]int32 { return p.Into(state) }) || s.climbsInto(state) {
		return false
	}
	if p := s.Product(); p != nil {
		_, entered := p.Entered(state)
		return !entered
	}
	if p := s.OpenProduct(); p != nil {
		if _, entered := p.Entered(state); !entered {
			return true
		}
	}
	if !slices.ContainsFunc(s.proof.seen, enters) {
		s.LeaveOpen(Question{Rule: "unreachable-state", State: state})
	}
	return false
}

// SurelyTaken reports whether a run takes a that was gone through before the limit was passed.
func (s *shared) SurelyTaken(a *ir.Arm) bool {
	return s.surelySeen(func(seen *explore.Seen) bool { return seen.Taken(a) }) ||
		s.SmallProduct() == nil && (s.showsEarly(a, func(p *explore.Product) [][]int32 { return p.Along(a) }) || s.climbsTo(a))
}

// surelySeen reports whether an exploration that was given up had gone through a run of which does holds.
func (s *shared) surelySeen(does func(*explore.Seen) bool) bool {
	return slices.ContainsFunc(s.proof.seen, func(seen *explore.Seen) bool { return !seen.Guessed && does(seen) })
}

// surelyEntered reports whether the control graph proves that some run enters
// state.
func (s *shared) surelyEntered(state *ir.State) bool {
	if s.proof.entered == nil {
		s.proof.entered = s.Control().SurelyEntered()
	}
	return s.proof.entered[state.ID]
}

// Run writes out a path of the product from the start, then along the cycle with
// which it ends from edge loop on, where that is not -1, and then the inputs given,
// which nothing takes. Sure is false where a choice on the way stands for data that is not
// tracked: then it may be no run. It is nil where the witnesses of the machine would
// have too many rows.
func (s *shared) Run(path []int32, loop int, then ...ir.Case) (w *witness.Witness, sure bool) {
	ending := replay.Taken
	if len(then) > 0 {
		ending = replay.Refused
	}
	return s.run(path, loop, ending, then...)
}

// Replayed is Run for one that was replayed, so that another can be tried.
func (s *shared) Replayed(path []int32, loop int) (w *witness.Witness, sure bool) {
	if w, sure = s.Run(path, loop); sure && w != nil {
		w, sure = s.replays(w)
	}
	return w, sure
}

// RunAtOnce is Run for a cycle that waits for nothing.
func (s *shared) RunAtOnce(path []int32, loop int) (w *witness.Witness, sure bool) {
	return s.run(path, loop, replay.AtOnce)
}

func (s *shared) run(path []int32, loop int, ending replay.Ending, then ...ir.Case) (w *witness.Witness, sure bool) {
	if !s.mayShow(len(path) + len(then)) {
		return nil, s.Product().Sure(path)
	}
	w, sure = s.Product().Run(path, loop, then...)
	return s.written(s.ends(w, ending), sure)
}

// written is a run that was written out. Where it is not sure it is a guess, and replayed: with the
// right values it may be a run all the same.
func (s *shared) written(w *witness.Witness, sure bool) (*witness.Witness, bool) {
	if s.rows += len(w.Path); !sure {
		return s.replays(w)
	}
	return w, true
}

// Broken are what the steps that same accepts come down to: the inputs that
// cannot be computed, and the states that no run enters because of them.
func (s *shared) Broken(same func(explore.Broken) bool) (inputs []InputAt, behind []*ir.State) {
	steps := s.Product().Broken(same)
	for _, b := range steps {
		if b.At.Leaf != nil && b.At.ID != graph.None {
			inputs = append(inputs, b.At)
		}
	}
	return inputs, s.Product().Behind(steps, s.Control())
}

// Behind are the states that no run enters, though one might if arms of the inputs were taken
// that are not.
func (s *shared) Behind(inputs []InputAt) []*ir.State {
	var steps []explore.Broken
	for _, in := range inputs {
		steps = append(steps, explore.Broken{At: in})
	}
	return s.Product().Behind(steps, s.Control())
}

// RunIntoHalt is Run for a run that over_budget of cost halts in state.
func (s *shared) RunIntoHalt(h explore.Halt, state *ir.State, cost string) (w *witness.Witness, sure bool) {
	if path := s.Product().PathTo(h.Config); !s.mayShow(len(path) + 2) {
		return nil, h.By == nil && s.Product().Sure(path)
	}
	w, sure = s.Product().RunIntoHalt(h, state, cost)
	return s.written(s.ends(w, replay.Refused), sure)
}

// RunInto is Run for the shortest path to a fault, and the input that cannot be
// carried out.
func (s *shared) RunInto(f explore.Fault) (w *witness.Witness, sure bool) {
	if path := s.Product().WayTo(f); !s.mayShow(len(path)) {
		return nil, !f.Guessed && s.Product().Sure(path)
	}
	w, sure = s.Product().RunInto(f)
	if f.Starts != nil {
		s.ends(w, replay.Taken)
	} else {
		s.breaks(w, f)
	}
	return s.written(w, sure)
}
