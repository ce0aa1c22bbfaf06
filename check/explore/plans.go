package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// program is a machine made ready for the product: everything that a step needs
// to know is looked up here and nothing in the syntax.
type program struct {
	table      *flat.Table
	m          *ir.Machine
	tracked    *tracked
	packing    *packing
	atoms      []atom
	uses       map[*ir.Arm][]use
	deferrable []*ir.Event // the events that some state defers
	place      []int       // by event index: its place in deferred, or -1
	states     []stateCode // by state ID
	arms       []armCode   // by arm ID
	by         apart
	live       [][]uint64 // by place of a leaf: the bits that matter there; see liveAt
	clocks     *clocks    // nil where no time decides anything
}

// stateCode is a state made ready.
type stateCode struct {
	path        []*ir.State // from the root down to the state
	leaf        *ir.State   // the one entered when the state is
	entry, exit *block
	require     test
	waits       []func(*step) // what its timers read as it is entered, where that may be unset
	args        []argument    // of a leaf: the same of its activities
	anew        []field       // counters that start anew when the state is entered from outside
	choice      bool
	inputs      []inputCode // of a leaf
	dos         map[*ir.Do]int
	last        []place    // see lastInTurn
	takes       []int      // by place in program.deferrable: the input that takes it, or -1
	defersAgain []uint64   // the deferred events that the leaf plainly defers again
	instant     []timerRef // timers around the leaf that fire at once
}

// argument is what an attempt of the do in place do reads as it starts.
type argument struct {
	do   int
	read func(*step)
}

// armCode is an arm made ready.
type armCode struct {
	arm   *ir.Arm
	when  test
	by    func(*step) // what `backoff by` reads; nil where all of it is set
	block *block
}

// inputCode is an input of a leaf made ready.
type inputCode struct {
	flat.Input
	choices []choiceCode
	do      int        // place of Input.Do in the leaf
	before  []timerRef // timers that fire earlier wherever they run
	last    *lastUses  // nil until it is asked for
	atOnce  bool       // a timer that may be due when its state is entered

	payloads int // in how many ways its event may come, as far as that is held; 0 until it is asked for
}

// choiceCode is a choice of an input in one leaf.
type choiceCode struct {
	ir.Choice
	code    *armCode // nil for ignore and defer
	bounded bool
	max     uint64
	counter field
	label   int32 // of the edge without a redirection; None until it is needed
}

// timerRef is a timer that can be told to have fired, or one that cannot.
type timerRef struct{ bit uint64 }

// maxMasks is the most words that the masks of live bits may take together.
const maxMasks = 1 << 21

// compileProgram gives nil where the machine needs more room than a
// configuration may take.
func compileProgram(t *flat.Table, tracked *tracked, clocks *clocks) *program {
	m := t.Machine
	p := &program{table: t, m: m, tracked: tracked, clocks: clocks}
	p.findDeferred()
	stays := t.EndsInPlace()
	p.packing = newPacking(m, p.tracked, len(p.deferrable), clocks, func(d *ir.Do) bool { return p.endsPlainly(stays, d) })
	if p.packing == nil || p.packing.words*len(m.States) > maxMasks {
		return nil
	}
	c := &compiler{t: p.tracked, known: map[string]int{}, uses: map[*ir.Arm][]use{}}
	p.arms = make([]armCode, len(m.Arms))
	for i, a := range m.Arms {
		p.arms[i] = armCode{arm: a, when: c.guard(a), block: c.block(a.Block, a)}
		if a.Backoff != nil {
			p.arms[i].by = c.touch(a.Backoff.By, a)
		}
	}
	p.states = make([]stateCode, len(m.States))
	for _, s := range m.States {
		code := &p.states[s.ID]
		code.path = s.Chain()
		slices.Reverse(code.path)
		code.leaf = s.Leaf()
		code.entry, code.exit = c.block(s.Entry, nil), c.block(s.Exit, nil)
		if s.Require != nil {
			code.require = c.require(s)
		}
		code.choice = s.IsChoice()
		for _, t := range s.Timers {
			if t.Var != nil && p.tracked.vars[t.Var].mayBeUnset() {
				code.waits = append(code.waits, c.touchVar(t.Var, t.Span))
			}
		}
		for i, d := range s.Dos {
			for _, arg := range d.Args {
				if read := c.touch(arg, nil); read != nil {
					code.args = append(code.args, argument{i, read})
				}
			}
		}
	}
	p.atoms, p.uses = c.atoms, c.uses
	p.noteForgotten()
	p.noteScopes()
	for _, s := range m.States {
		if s.Kind == ir.Leaf {
			p.compileLeaf(s)
		}
	}
	p.tellApart()
	if clocks != nil {
		clocks.refer(p)
	}
	return p
}

func (p *program) findDeferred() {
	p.place = make([]int, len(p.m.Events))
	for i := range p.place {
		p.place[i] = -1
	}
	for _, s := range p.m.States {
		for _, use := range s.Defer {
			if p.place[use.Event.Index] < 0 {
				p.place[use.Event.Index] = len(p.deferrable)
				p.deferrable = append(p.deferrable, use.Event)
			}
		}
	}
}

// endsPlainly reports whether nothing but `done` can tell that d has ended: it
// has nothing to say, or what ends it in place has neither guards nor effects.
// Such ends commute with everything, so one order stands for all; see the
// package comment.
func (p *program) endsPlainly(stays flat.InPlace, d *ir.Do) bool {
	if !stays[d] {
		return false
	}
	plainly := len(d.Activity.Results) == 0 // its failures may have effects all the same
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
func (p *program) noteForgotten() {
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
	}
	for i := range p.arms {
		note(p.arms[i].block, p.arms[i].arm.Block)
	}
	for _, s := range p.m.States {
		note(p.states[s.ID].entry, s.Entry)
		note(p.states[s.ID].exit, s.Exit)
	}
}

// noteScopes notes at every state which counters start anew with it.
func (p *program) noteScopes() {
	for _, a := range p.m.Arms {
		if !countsBeyondVisit(a) {
			continue
		}
		if s := flat.RefilledBy(a); s != nil {
			p.states[s.ID].anew = append(p.states[s.ID].anew, p.packing.counters[a.ID])
		}
	}
}
