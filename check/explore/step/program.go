package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Program is a machine made ready for the product: everything that a step needs
// to know is looked up here and nothing in the syntax.
type Program struct {
	table    *flat.Table
	Machine  *ir.Machine
	Tracked  *data.Tracked
	Packing  *Packing
	atoms    []atom
	uses     map[*ir.Arm][]use
	recalled []*Recalled
	onlyOne  map[string]int8 // see Step.onlyOne
	Kept     []Kept          // the events that some state defers
	kept     []keptFields    // by event index
	Enforced []string        // the costs that the machine holds to their budget, by name
	States   []StateCode     // by state ID
	arms     []armCode       // by arm ID
	apart    apart
	live     [][]uint64 // by place of a leaf: the bits that matter there; see liveAt
	Clocks   *Clocks    // nil where no time decides anything
	chained  int        // how many words the chains take
}

// StateCode is a state made ready.
type StateCode struct {
	Path        []*ir.State // from the root down to the state
	leaf        *ir.State   // the one entered when the state is
	entry, exit *block
	returns     func(*Step) // of a terminal: what reads the fields that it returns, where one may be unset
	require     test
	timerReads  []func(*Step) // what its timers read as it is entered, where that may be unset
	Args        []argument    // of a leaf: the same of its activities
	refills     []data.Bits   // counters set back to zero when the state is entered from outside
	choice      bool
	Inputs      []InputCode // of a leaf
	fans        []fanCode   // of a leaf
	last        []spot      // see lastInTurn
	Over        []int       // by place among the costs: the input that is its over_budget, or -1
	Takes       []int       // by place among Program.Kept: the input that takes it, or -1
	defersAgain []uint64    // the deferred events that the leaf plainly defers again
	Instant     []TimerRef  // timers around the leaf that fire at once
}

// argument is what an attempt of the do in place do reads as it starts.
type argument struct {
	Place int
	Read  func(*Step)
}

// armCode is an arm made ready.
type armCode struct {
	arm    *ir.Arm
	when   test
	head   head
	steady test        // see compiler.steady
	solved bool        // see compiler.isSolved
	by     func(*Step) // what `backoff by` reads; nil where all of it is set
	block  *block
}

// InputCode is an input of a leaf made ready.
type InputCode struct {
	flat.Input
	Choices []ChoiceCode
	Place   int        // place of Input.Do in the leaf; -1 without one
	Before  []TimerRef // timers that fire earlier wherever they run
	last    *lastUses  // nil until it is asked for
	AtOnce  bool       // a timer that may be due when its state is entered
	plain   *plain     // nil where it is not
	chain   *chain     // nil where it is none
	byArm   *byArm     // nil until it is asked for

	Payloads int // in how many ways its event may come, as far as that is held; 0 until it is asked for
}

// ChoiceCode is a choice of an input in one leaf.
type ChoiceCode struct {
	ir.Choice
	code    *armCode // nil for ignore and defer
	bounded bool
	Max     uint64
	Counter data.Bits
	retry   sharedRetry // of a fan-out; zero elsewhere
	Adds    bool        // it adds to a field that is not held; see data.Sum
	Label   int32       // of the edge without a redirection; None until it is needed
}

// TimerRef is a timer that can be told to have fired, or one that cannot.
type TimerRef struct{ bit uint64 }

// maxMasks is the most words that the masks of live bits may take together.
const maxMasks = 1 << 21

// Compile gives nil where the machine needs more room than a
// configuration may take.
func Compile(t *flat.Table, tracked *data.Tracked, clocks *Clocks) *Program {
	m := t.Machine
	p := &Program{table: t, Machine: m, Tracked: tracked, Clocks: clocks, Enforced: m.Enforced(), onlyOne: map[string]int8{}}
	if tracked.Recalls {
		p.recalled = findRecalled(m, tracked)
	}
	p.findKept()
	stays := t.EndsInPlace()
	p.Packing = newPacking(m, p.Tracked, len(p.Kept), clocks, func(d *ir.Do) bool { return p.endsPlainly(stays, d) }, newFans(t, tracked), p.recalled)
	if p.Packing == nil || p.Packing.Words*len(m.States) > maxMasks {
		return nil
	}
	c := &compiler{t: p.Tracked, known: map[string]int{}, uses: map[*ir.Arm][]use{}, recalled: p.recalled}
	p.arms = make([]armCode, len(m.Arms))
	for i, a := range m.Arms {
		p.arms[i] = armCode{arm: a, when: c.guard(a), head: c.head(a), steady: c.steady(a), block: c.block(a.Block, a)}
		p.arms[i].solved = c.isSolved(a.When, a)
		if a.Backoff != nil {
			p.arms[i].by = c.touch(a.Backoff.By, a)
		}
	}
	p.States = make([]StateCode, len(m.States))
	for _, s := range m.States {
		code := &p.States[s.ID]
		code.Path = s.Chain()
		slices.Reverse(code.Path)
		code.leaf = s.Leaf()
		code.entry, code.exit = c.block(s.Entry, nil), c.block(s.Exit, nil)
		for _, ref := range s.Returns {
			code.returns = inOrder(code.returns, c.touch(ref, nil))
		}
		if s.Require != nil {
			code.require = c.require(s)
		}
		code.choice = s.IsChoice()
		for _, t := range s.Timers {
			if t.Var != nil && p.Tracked.Vars[t.Var].MayBeUnset() {
				code.timerReads = append(code.timerReads, c.touchVar(t.Var, t.Span))
			}
		}
		for i, d := range s.Dos {
			if d.Fan != nil {
				code.fans = append(code.fans, fanCode{i, d, c.touchVar(d.Fan.List, d.Fan.ListSpan)})
			}
			for _, arg := range d.Args {
				if read := c.touch(arg, nil); read != nil {
					code.Args = append(code.Args, argument{i, read})
				}
			}
		}
	}
	p.atoms, p.uses = c.atoms, c.uses
	findPeers(p.atoms)
	p.noteForgotten()
	p.noteScopes()
	for _, s := range m.States {
		if s.Kind == ir.Leaf {
			p.compileLeaf(s)
		}
	}
	p.tellApart()
	return p
}

// endsPlainly reports whether nothing but `done` can tell that d has ended: it
// declares no cost that the machine is held to, no assert speaks of its success, and it
// has nothing to say, or what ends it in place has neither guards nor effects.
// Such ends commute with everything, so one order stands for all; see the
// package comment.
func (p *Program) endsPlainly(stays flat.InPlace, d *ir.Do) bool {
	if slices.ContainsFunc(p.Machine.Asserts, func(a *ir.Assert) bool { return slices.Contains(a.Done, d) }) {
		return false // its success is no matter of whether another one has ended
	}
	if !stays[d] || flat.MayBeEmpty(d) || slices.ContainsFunc(p.Enforced, d.Activity.Spends) {
		return false // one for an empty list may have ended before any other
	}
	plainly := d.Activity.Silent() // its failures may have effects all the same
	for in := range p.table.Inputs(d.State) {
		if in.Do != d || !flat.CanStay(in.Choices) {
			continue
		}
		for _, c := range in.Choices {
			if c.Arm != nil && (c.Arm.When != nil || c.Arm.Block != nil && len(c.Arm.Block.Assigns) > 0 && c.Arm.Kind == ir.Stay) {
				return false
			}
		}
		plainly = true
	}
	return plainly
}

// noteForgotten notes at every block which free verdicts its assignments make
// void.
func (p *Program) noteForgotten() {
	byVar := map[*ir.Var][]int{}
	for id, a := range p.atoms {
		for _, v := range a.vars {
			byVar[v] = append(byVar[v], id)
		}
	}
	note := func(code *block, b *ir.Block) {
		if b == nil {
			return
		}
		for _, a := range b.Assigns {
			code.forget = append(code.forget, byVar[a.Var]...)
		}
		for _, id := range code.forget {
			if r := p.atoms[id].recalled; r != nil {
				code.reopen = append(code.reopen, r)
			}
		}
	}
	for i := range p.arms {
		note(p.arms[i].block, p.arms[i].arm.Block)
	}
	for _, s := range p.Machine.States {
		note(p.States[s.ID].entry, s.Entry)
		note(p.States[s.ID].exit, s.Exit)
	}
}

// noteScopes notes at every state which counters are set back to zero with it.
func (p *Program) noteScopes() {
	for _, a := range p.Machine.Arms {
		if !flat.CountsBeyondVisit(a) {
			continue
		}
		if s := a.Restart(); s != nil {
			p.States[s.ID].refills = append(p.States[s.ID].refills, p.Packing.counters[a.ID])
		}
	}
}

// DoneDue reports whether `done` is the next input in a configuration in leaf.
func (p *Program) DoneDue(leaf *ir.State, words []uint64) bool {
	if p.Packing.Rested.Get(words) != 0 {
		return false
	}
	return p.States[leaf.ID].choice || p.Packing.Visits[leaf.ID].AllEnded(words)
}
