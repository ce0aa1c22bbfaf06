package explore

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// step takes one input in one configuration, by the rules of language.md,
// section 5, and in the order of package runtime: exit blocks from the leaf
// outwards, the arm's block, entry blocks inwards; a counter rises before
// anything is entered; a `require` is read before the leaf's own entry block.
// It works on the packed words themselves.
type step struct {
	p      *program
	oracle oracle
	here   []uint64 // the configuration before the step; never changed
	next   []uint64 // the one that is being made
	before []uint64 // scratch of apply: next as it was
	from   *ir.State
	input  *inputCode // nil for the start and for an end with nothing to say

	verdicts []int8    // by atom
	answers  []int8    // of host guards by atom: the first of the step, for a witness
	codes    []int64   // scratch of apply
	payloads []int64   // by node.index
	have     []bool    // by node.index: the payload has been chosen
	had      []int     // the indexes set in have
	params   []int64   // of a start: what was chosen for the parameters that are held
	begun    []started // the timers that the step has started, where their times matter
	spans    map[*ir.Timer]started
	longer   map[jittered]int64
	shorter  map[jittered]int64

	runs    int // how often any step was run; being turned away by a require counts, too
	fault   fault
	guessed bool        // something was chosen for want of knowing
	wishes  []wishAt    // what was chosen that the sender of the event chooses
	again   bool        // the input is an event that was deferred, so that it was sent before
	choice  int         // of the input, that is being decided
	key     []byte      // scratch of triedAlike
	passed  *choiceCode // the last choice whose bound was used up
	turn    turn        // whose `require` is asked
	shared  int         // the depth of the innermost state that is active before, during and behind it
	turned  bool        // a require sent the run elsewhere
	hosted  bool        // a host guard was asked since this was cleared

	foot footprint

	turnedByHost []*ir.State // the leaves whose requires did so after asking a host guard
}

const (
	unasked int8 = iota
	isTrue
	isFalse
)

// fault is why a step cannot be computed.
type fault struct {
	why    why
	assign *ir.Assign // of outOfRange and overflow
	leaf   *ir.State  // of circle: where it begins
	field  *ir.Var    // of unsetRead
	at     token.Span // of unsetRead: the read
}

type why uint8

const (
	noFault why = iota
	outOfRange
	overflow
	unsetRead
	circle // the requires lead round in a circle
)

func newStep(p *program) *step {
	return &step{
		p: p, here: make([]uint64, p.packing.words), next: make([]uint64, p.packing.words), before: make([]uint64, p.packing.words),
		verdicts: make([]int8, len(p.atoms)), answers: make([]int8, len(p.atoms)),
		payloads: make([]int64, len(p.tracked.chosen)), have: make([]bool, len(p.tracked.chosen)),
	}
}

// begin prepares the first or another run of the same step.
func (s *step) begin() {
	copy(s.next, s.here)
	clear(s.verdicts)
	clear(s.answers)
	for _, i := range s.had {
		s.have[i] = false
	}
	s.had = s.had[:0]
	s.fault, s.guessed, s.passed, s.turned, s.turnedByHost = fault{}, false, nil, false, s.turnedByHost[:0]
	s.begun, s.wishes = s.begun[:0], s.wishes[:0]
	if s.foot.noted {
		clear(s.foot.wrote)
	}
}

func (s *step) fail(f fault) {
	if s.fault.why == noFault {
		s.fault = f
	}
}

func (s *step) failed() bool { return s.fault.why != noFault }

// ask is the truth of atom id in this step.
func (s *step) ask(id int) bool {
	if s.verdicts[id] == unasked {
		s.verdicts[id] = isTrue + int8(s.oracle.choose(2))
		s.notes(id)
		if s.answers[id] == unasked {
			s.answers[id] = s.verdicts[id]
		}
	}
	s.hosted = s.hosted || s.p.atoms[id].host
	return s.verdicts[id] == isTrue
}

// notes notes whether the verdict on atom id is a guess.
func (s *step) notes(id int) {
	switch a := &s.p.atoms[id]; {
	case a.host || s.guessed:
	case a.wish == nil || s.again:
		s.guessed = true
	default:
		s.wishes = append(s.wishes, wishAt{a.wish, s.verdicts[id] == isTrue})
		s.guessed = !s.granted()
	}
}

// load is the code of a variable that is read at the place given; where it is
// unset the step cannot be computed.
func (s *step) load(n *node, at token.Span) int64 {
	s.foot.reads(n)
	code, set := n.slot.load(s.next)
	if !set {
		s.fail(fault{why: unsetRead, field: n.v, at: at})
	}
	return code
}

func (s *step) isSet(n *node) bool {
	s.foot.reads(n)
	_, set := n.slot.load(s.next)
	return set
}

// of is the one of refs that belongs to the input at hand.
func (s *step) of(refs []*node) *node {
	for _, n := range refs {
		if n.event == s.input.Event {
			if n.event != nil || s.input.Kind == ir.CaseFailure {
				return n
			}
		}
	}
	return refs[0]
}

// payload is the code of a field of the event at hand, chosen when it is first
// asked for.
func (s *step) payload(n *node) int64 {
	if !s.have[n.index] {
		s.have[n.index] = true
		s.had = append(s.had, n.index)
		s.payloads[n.index] = s.choosePayload(n)
	}
	return s.payloads[n.index]
}

func (s *step) choosePayload(n *node) int64 {
	if n.event == nil && s.input.Kind == ir.CaseFailure {
		switch n.field.Name {
		case "category":
			return n.dom.code(&ir.Const{Kind: ir.String, Str: s.input.Category.Name})
		case "activity":
			return n.dom.code(&ir.Const{Kind: ir.String, Str: s.input.Do.Activity.Name})
		}
	}
	return s.chooseCode(n)
}

// chooseCode is a free choice among what n can be.
func (s *step) chooseCode(n *node) int64 {
	switch n.dom.sort {
	case byRegion:
		lo, hi := n.codes()
		return s.chooseRegion(n.dom, lo, hi)
	case byLength:
		return int64(s.oracle.choose(int(n.dom.most) + 1))
	case byValue:
		lo, hi := n.values()
		return lo + int64(s.oracle.choose(int(hi-lo)+1))
	}
	return 0
}

// values are the ends of what a free choice of n, held by its value, chooses from.
func (n *node) values() (lo, hi int64) {
	lo, hi, ranged := n.limits()
	if !ranged {
		return n.dom.hull()
	}
	return lo, hi
}

// hull is the least range around all fields of d, and a value more on each side
// to stand for all that lies beyond.
func (d *domain) hull() (lo, hi int64) {
	first := true
	for _, n := range d.nodes {
		if l, h, ranged := n.limits(); ranged {
			if first {
				lo, hi, first = l, h, false
			}
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	return lo - 1, hi + 1
}

// decide is the first choice of in whose guard holds and whose bound is not used
// up; nil where there is none, or where a guard cannot be computed.
func (s *step) decide(in *inputCode) *choiceCode {
	for i := range in.choices {
		c := &in.choices[i]
		if s.choice = i; i > 0 && s.triedAlike(0) {
			return nil
		}
		if c.code != nil && c.code.when != nil {
			holds := c.code.when(s)
			if s.failed() || s.oracle.over {
				return nil
			}
			if !holds {
				continue
			}
		}
		if c.bounded && s.usedUp(c) {
			s.passed = c
			continue
		}
		return c
	}
	return nil
}

func (s *step) usedUp(c *choiceCode) bool {
	if s.p.tracked.loose && c.max > 0 {
		s.guessed = true
		return s.oracle.choose(2) == 1
	}
	return c.max == 0 || c.counter.get(s.next) >= c.max
}

// count notes one more use of c's bound.
func (s *step) count(c *choiceCode) {
	if c.bounded && !s.p.tracked.loose {
		c.counter.set(s.next, c.counter.get(s.next)+1)
	}
}

// move takes the arm of c, which leads elsewhere.
func (s *step) move(c *choiceCode) {
	s.count(c)
	from := s.p.states[s.from.ID].path
	target := c.Arm.Target
	domain := depthOfDomain(from, s.p.states[target.ID].path)
	s.leave(from[domain+1:])
	s.apply(c.code.block)
	s.enter(target, domain, domain)
}

// depthOfDomain is ir.Domain by paths.
func depthOfDomain(from, target []*ir.State) int {
	n := min(len(from), len(target)) - 1
	d := 0
	for d+1 < n && from[d+1] == target[d+1] {
		d++
	}
	return d
}

func (s *step) leave(path []*ir.State) {
	for i := len(path) - 1; i >= 0; i-- {
		s.apply(s.p.states[path[i].ID].exit)
	}
}

// enter enters target from below the state at depth domain; see runtime's step.
func (s *step) enter(target *ir.State, domain, shared int) {
	first := target
	for turns := 0; !s.failed(); turns++ {
		leaf := s.p.states[target.ID].leaf
		code := &s.p.states[leaf.ID]
		last := len(code.path) - 1
		for _, state := range code.path[domain+1 : last] {
			s.refill(state)
			s.apply(s.p.states[state.ID].entry)
		}
		if s.failed() {
			return
		}
		s.hosted = false
		holds := code.require == nil
		if !holds {
			s.turn = turn{leaf, turns, domain, shared}
			holds = !s.triedInTurn(0) && code.require(s)
		}
		if s.failed() || s.oracle.over {
			return
		}
		if holds {
			s.arrive(leaf, shared)
			return
		}
		if turns == len(s.p.m.States) {
			s.fail(fault{why: circle, leaf: s.p.states[first.ID].leaf})
			return
		}
		s.turned = true
		if s.hosted {
			s.turnedByHost = append(s.turnedByHost, leaf)
		}
		s.runs++
		target = leaf.Require.Target
		domain = depthOfDomain(code.path, s.p.states[target.ID].path)
		s.leave(code.path[domain+1 : last])
		shared = min(shared, domain)
	}
}

// startTimers reads the fields that say how long the timers of state run.
func (s *step) startTimers(state *ir.State) {
	for _, read := range s.p.states[state.ID].waits {
		read(s)
	}
	if s.p.clocks != nil && !s.failed() {
		for _, t := range state.Timers {
			s.noteStart(t)
		}
	}
}

// refill starts the counters anew that count from state's being entered.
func (s *step) refill(state *ir.State) {
	anew := s.p.states[state.ID].anew
	if len(anew) == 0 || s.from != nil && s.from.Inside(state) {
		return
	}
	for _, f := range anew {
		f.set(s.next, 0)
	}
}

// arrive enters leaf: the visit begins, timers down to depth shared run on.
func (s *step) arrive(leaf *ir.State, shared int) {
	k := s.p.packing
	code := &s.p.states[leaf.ID]
	s.refill(leaf)
	s.apply(code.entry)
	for _, state := range code.path[shared+1:] {
		s.startTimers(state)
	}
	if s.failed() {
		return
	}
	s.shared = shared
	k.leaf.set(s.next, uint64(leaf.ID))
	k.rested.set(s.next, 0)
	running := uint64(0)
	if shared >= 0 {
		running = 1<<k.slots[code.path[shared].ID] - 1
	}
	k.spent.set(s.next, k.spent.get(s.next)&running)
	for i := range k.deferred {
		pending := k.deferred[i].get(s.next)
		if code.defersAgain != nil {
			pending &^= code.defersAgain[i]
		}
		k.pending[i].set(s.next, pending)
	}
	for i, mask := range s.liveAt(leaf) {
		s.next[i] &= mask &^ k.visitBits[i]
	}
}

// liveAt are the bits that matter in leaf, in the configuration that is being made.
func (s *step) liveAt(leaf *ir.State) []uint64 {
	live := s.p.liveAt(leaf, s.next)
	if s.foot.noted {
		if by := s.p.by.n; by != nil {
			s.foot.reads(by)
		}
		s.foot.drops(live)
	}
	return live
}
