// Package step takes one step of a machine in one configuration, on packed words. What
// the environment chooses is asked of an oracle, which enumerates all answers.
//
// In the order in which to read them: oracle.go (free choices), packing.go (where the
// words of a configuration have their parts), fans.go and groups.go (elements of lists), step.go (the step at hand, and which arm
// is taken), choose.go (payloads), enter.go (leaving and entering), effects.go
// (blocks); then how a machine is made ready for that: program.go and leaves.go,
// compile.go (guards, and in sums.go and touch.go what they read), wish.go (what the
// sender of an event can bring about), recall.go and judged.go (comparisons of what is not
// held), flags.go (events that set many flags), clocks.go (which times are held); then what
// leaves work out: live.go and apart.go (data that is read no more), alike.go and
// alikeinturn.go (choices that make no difference), footprint.go (what a step reads and
// writes); and said.go (what a witness says of it).
package step

import (
	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Step takes one input in one configuration, by the rules of language.md,
// section 5, and in the order of package runtime: exit blocks from the leaf
// outwards, the arm's block, entry blocks inwards; a counter rises before
// anything is entered; a `require` is read before the leaf's own entry block.
// It works on the packed words themselves.
type Step struct {
	Program *Program
	Oracle  Oracle
	Here    []uint64 // the configuration before the step; never changed
	Next    []uint64 // the one that is being made
	old     []uint64 // scratch of apply: next as it was
	From    *ir.State
	In      *InputCode // nil for the start and for an end with nothing to say

	verdicts []int8              // by atom
	answers  []int8              // of host guards by atom: the first of the step, for a witness
	codes    []int64             // scratch of apply
	asked    []int               // scratch of apply
	payloads []int64             // by data.Node.Index
	have     []bool              // by data.Node.Index: the payload has been chosen
	pinned   []int64             // by data.Node.Index: what fields come with; nil where that is chosen. See Pins
	had      []int               // the indexes set in have
	few      []few               // by data.Node.Index; see fewOf
	peers    []int64             // scratch of that
	Params   []int64             // of a start: what was chosen for the parameters that are held
	params   map[*ir.Var]bool    // of a start: by the first leaf of what may be absent, whether it is there
	regions  map[regions][]int64 // see filled
	indexes  map[*data.Node][]int64
	quiet    quiet
	nulls    map[nullPart]bool // by what may be null of a json that becomes a record, whether it is
	Timers   []StartedTimer    // the timers that the step has started, where their times matter

	Tries   int // how often any step was run; being turned away by a require counts, too, and some guards that do not hold
	looks   int // guards that have been asked since the last try
	Fault   Fault
	Guess   bool          // something was chosen for want of knowing
	Wishes  []wishAt      // what was chosen that the sender of the event chooses
	Again   bool          // the input is an event that was deferred, so that it was sent before
	choice  int           // of the input, that is being decided
	key     []byte        // scratch of triedAlike
	made    []made        // the choices of the run at hand, as far as isAlone knows them
	weighed int           // how many of those readTo takes in
	readTo  spot          // up to where each of them may be read
	Passed  *ChoiceCode   // the last choice whose bound was used up
	turn    turn          // whose `require` is asked
	Shared  int           // the depth of the innermost state that is active before, during and behind it
	Turned  int16         // how many requires sent the run elsewhere
	Begun   []Elements    // of the fan-outs of the leaf that was entered, in the order of its dos
	OneLess bool          // an element has ended of those that are not told apart
	group   *group        // of the element at hand; nil until it is chosen
	UsedUp  []*ChoiceCode // the retries of a fan-out that an element has used up

	hosted    bool   // a host guard was asked since this was cleared
	recallKey []byte // scratch of onlyOne

	brought    brought // see bringsFlag
	flagsAsked int

	Foot Footprint

	TurnedByHost []*ir.State // the leaves whose requires did so after asking a host guard
}

const (
	unasked int8 = iota
	isTrue
	isFalse
)

// Fault is why a step cannot be computed.
type Fault struct {
	is       bool       // it is not computed
	overflow bool       // a value does not fit into 64 bits
	Assign   *ir.Assign // of that, and of a value out of its range
	Leaf     *ir.State  // of requires that lead round in a circle: where it begins
	Field    *ir.Var    // that is unset and read, or
	Absent   *ir.EventField
	At       token.Span // where that is
}

// New makes a Step of p, to be used for one configuration after another.
func New(p *Program) *Step {
	return &Step{
		Program: p, Here: make([]uint64, p.Packing.Words), Next: make([]uint64, p.Packing.Words), old: make([]uint64, p.Packing.Words),
		verdicts: make([]int8, len(p.atoms)), answers: make([]int8, len(p.atoms)),
		payloads: make([]int64, len(p.Tracked.Chosen)), have: make([]bool, len(p.Tracked.Chosen)), few: make([]few, len(p.Tracked.Chosen)),
		params: map[*ir.Var]bool{}, regions: map[regions][]int64{}, indexes: map[*data.Node][]int64{}, nulls: map[nullPart]bool{},
	}
}

// Begin prepares the first or another run of the same step.
func (s *Step) Begin() {
	copy(s.Next, s.Here)
	clear(s.verdicts)
	clear(s.answers)
	for _, i := range s.had {
		s.have[i] = false
	}
	s.had = s.had[:0]
	s.Fault, s.Guess, s.Passed, s.Turned, s.TurnedByHost = Fault{}, false, nil, 0, s.TurnedByHost[:0]
	s.OneLess, s.group = false, nil
	s.made, s.weighed = s.made[:0], 0
	s.brought, s.flagsAsked = noneYet, 0
	clear(s.nulls)
	s.Timers, s.Wishes, s.Begun, s.UsedUp = s.Timers[:0], s.Wishes[:0], s.Begun[:0], s.UsedUp[:0]
	if s.Foot.Noted {
		clear(s.Foot.Wrote)
	}
}

func (s *Step) fail(f Fault) {
	if !s.Fault.is {
		s.Fault = f
		s.Fault.is = true
	}
}

// Failed reports whether the step cannot be computed.
func (s *Step) Failed() bool { return s.Fault.is }

// ask is the truth of atom id in this step.
func (s *Step) ask(id int) bool {
	s.quiet.looked++
	if s.verdicts[id] == unasked {
		if j := s.Program.atoms[id].judged; j != nil {
			if s.verdicts[id] = j.only(s); s.verdicts[id] != unasked {
				return s.verdicts[id] == isTrue
			}
		}
		if r := s.Program.atoms[id].recalled; r != nil {
			s.verdicts[id] = s.chooseRecalled(r)
			return s.verdicts[id] == isTrue
		}
		if s.verdicts[id] = s.alreadyAsked(id); s.verdicts[id] == unasked {
			s.verdicts[id] = isTrue + int8(s.Oracle.Choose(2))
			s.made = append(s.made, made{id, true})
			s.notes(id)
		}
		if s.answers[id] == unasked {
			s.answers[id] = s.verdicts[id]
		}
	}
	s.hosted = s.hosted || s.Program.atoms[id].host
	return s.verdicts[id] == isTrue
}

// notes notes whether the verdict on atom id is a guess.
func (s *Step) notes(id int) {
	switch a := &s.Program.atoms[id]; {
	case a.host || s.Guess:
	case a.wish == nil || s.Again:
		s.Guess = true
	default:
		s.Wishes = append(s.Wishes, wishAt{a.wish, s.verdicts[id] == isTrue})
		s.Guess = !s.granted()
	}
}

// load is the code of a variable that is read at the place given; where it is
// unset the step cannot be computed.
func (s *Step) load(n *data.Node, at token.Span) int64 {
	s.Foot.reads(n)
	code, set := n.Slot.Load(s.Next)
	if !set {
		s.fail(Fault{Field: n.Var, At: at})
	}
	return code
}

func (s *Step) isSet(n *data.Node) bool {
	s.Foot.reads(n)
	_, set := n.Slot.Load(s.Next)
	return set
}

// looksEach is how many guards take as long to ask as the rest of a step: a chain may have thousands.
const looksEach = 2

// Decide is the first choice of in whose guard holds and whose bound is not used
// up; nil where there is none, or where a guard cannot be computed.
func (s *Step) Decide(in *InputCode) *ChoiceCode {
	s.quiet.begin(in, &s.Oracle)
	for i := s.nextOpen(in, 0); i < len(in.Choices); i = s.nextOpen(in, i+1) {
		c := &in.Choices[i]
		if s.choice = i; i > 0 && s.triedAlike(0) {
			return nil
		}
		if c.code != nil && c.code.when != nil {
			looked := s.quiet.looked
			if s.looks++; s.looks == looksEach {
				s.looks = 0
				s.Tries++
			}
			holds := (c.code.steady == nil || c.code.steady(s)) && c.code.when(s)
			if s.Failed() || s.Oracle.Over {
				return nil
			}
			if !holds {
				if s.quiet.in == in && s.quiet.looked == looked {
					s.quiet.arms.set(i)
				}
				continue
			}
		}
		if c.bounded && s.usedUp(c) {
			s.Passed = c
			continue
		}
		return c
	}
	return nil
}

// guessesBound reports whether it takes a guess to say if the bound of c is used up.
func (s *Step) guessesBound(c *ChoiceCode) bool {
	return c.retry.most > 0 && !c.retry.timed || c.Max > 0 && s.Program.Tracked.IsLoose(c.Arm)
}

func (s *Step) usedUp(c *ChoiceCode) bool {
	if c.Max > 0 && s.Program.Tracked.IsLoose(c.Arm) {
		s.Guess = true
		return s.Oracle.Choose(2) == 1
	}
	if c.retry.most > 0 && !c.retry.timed {
		return s.usedUpByElement(c)
	}
	return c.spent(s.Next)
}

// spent reports whether the bound of c is used up in a configuration.
func (c *ChoiceCode) spent(at []uint64) bool { return c.Max == 0 || c.Counter.Get(at) >= c.Max }

// count notes one more use of c's bound.
func (s *Step) count(c *ChoiceCode) {
	if c.bounded && !s.Program.Tracked.IsLoose(c.Arm) && !c.retry.open {
		c.Counter.Set(s.Next, c.Counter.Get(s.Next)+1)
	}
}

// Retry takes the arm of c, which runs an activity again.
func (s *Step) Retry(c *ChoiceCode) {
	s.count(c)
	if c.code.by != nil {
		c.code.by(s)
	}
	s.apply(c.code.block)
}

// Stay takes the arm of c, which leads nowhere.
func (s *Step) Stay(c *ChoiceCode) { s.apply(c.code.block) }

// Begins is the step that starts a run.
func (s *Step) Begins() {
	s.Params = s.Params[:0]
	clear(s.params)
	for _, n := range s.Program.Tracked.Nodes {
		if n.Slot == nil {
			continue
		}
		switch {
		case n.Var.Param:
			s.Params = append(s.Params, s.chooseParam(n))
		case n.Var.Default == nil:
		case !n.Valued():
			n.Slot.Store(s.Next, n.Slot.Base)
		default:
			n.Slot.Store(s.Next, n.Code(n.Var.Default))
		}
	}
	for _, r := range s.Program.recalled {
		r.node.Slot.Set(s.Next, uint64(r.first))
	}
	root := s.Program.Machine.Root
	s.refill(root)
	s.apply(s.Program.States[root.ID].entry)
	s.enter(root, 0, -1)
}
