package explore

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// explorer is the state of one walk.
type explorer struct {
	*Graph
	layout *layout
	store  *store

	at   int32    // the configuration that is being expanded
	here []uint64 // a copy of it
	next []uint64 // the configuration that is being made
}

// edgesEach is the most edges for each configuration of the limit, on average:
// the limit is there to bound memory.
const edgesEach = 8

// walk explores breadth first: the store is the queue. It reports false where
// the limit was passed; a coarse walk has none.
func walk(t *flat.Table, limit int, coarse bool) (*Graph, bool) {
	m := t.Machine
	x := &explorer{
		Graph: &Graph{
			Table: t, Coarse: coarse, plans: newPlans(t),
			first: make([]int32, len(m.States)), taken: make([]bool, len(m.Arms)),
		},
		layout: newLayout(m),
	}
	x.store = newStore(x.layout.words)
	x.here, x.next = make([]uint64, x.layout.words), make([]uint64, x.layout.words)
	for s := range x.first {
		x.first[s] = None
	}
	x.enter(m.Root.Leaf())
	x.arrive(None, None)
	for c := int32(0); int(c) < x.store.count; c++ {
		if !coarse && (x.store.count > limit || len(x.To) > edgesEach*limit) {
			return nil, false
		}
		x.First = append(x.First, int32(len(x.To)))
		x.at = c
		copy(x.here, x.store.at(c))
		x.expand(m.States[x.leaf[c]])
	}
	x.First = append(x.First, int32(len(x.To)))
	return x.Graph, true
}

// enter makes next the configuration of a run that has just come to leaf; who
// calls it sets what else is to be kept.
func (x *explorer) enter(leaf *ir.State) {
	clear(x.next)
	x.layout.leaf.set(x.next, uint64(leaf.ID))
	if leaf.Require != nil {
		x.layout.phase.set(x.next, uint64(entering))
	}
}

// arrive numbers next, reached by the edge with the number given.
func (x *explorer) arrive(from, edge int32) int32 {
	c, fresh := x.store.add(x.next)
	if !fresh {
		return c
	}
	p := phase(x.layout.phase.get(x.next))
	x.leaf = append(x.leaf, int32(x.layout.leaf.get(x.next)))
	x.phase = append(x.phase, p)
	x.ended = append(x.ended, uint32(x.layout.ended.get(x.next)))
	x.came = append(x.came, edge)
	x.from = append(x.from, from)
	x.opens = append(x.opens, false)
	if p != entering {
		for s := x.Leaf(c); s != nil && x.first[s.ID] == None; s = s.Parent {
			x.first[s.ID] = c
		}
	}
	return c
}

// link adds an edge from the configuration at hand to next. An edge back to
// itself is kept only where it is a move.
func (x *explorer) link(l label, move bool) {
	edge := int32(len(x.To))
	to := x.arrive(x.at, edge)
	if to == x.at && !move {
		return
	}
	x.To = append(x.To, to)
	x.labels = append(x.labels, l)
}

// unknown notes that a way out of the configuration at hand leads nobody knows
// where.
func (x *explorer) unknown() {
	x.opens[x.at], x.open = true, true
}

// expand adds all edges of the configuration at hand, which stands in leaf.
func (x *explorer) expand(leaf *ir.State) {
	p := &x.plans[leaf.ID]
	at := x.place(x.at)
	if at.phase == entering {
		x.judge(leaf)
		return
	}
	for _, a := range x.Table.Lost(leaf) {
		if leaf.Kind == ir.Leaf && a.Kind == ir.Goto {
			x.taken[a.ID] = true
			x.move(leaf, a.Target, 0, label{input: None, arm: int32(a.ID)})
		}
	}
	if p.nextEndIsSilent(at) {
		x.stay(label{None, None}, func() { x.endNext(at) })
	}
	p.inputs(x.Table, leaf, at, func(in flat.Input) {
		if in.Kind == ir.CaseCancel && x.layout.cancelled.get(x.here) != 0 ||
			in.Kind == ir.CaseTimer && x.layout.spent.get(x.here)&x.layout.spentBit[in.Timer.ID] != 0 {
			return
		}
		for c := range flat.Takeable(in.Choices) {
			x.take(leaf, at, in, c)
		}
	})
}

// judge adds the two ways on from where leaf's `require` is read. The way to
// its else counts as open always, the way in unless the condition is plainly
// false.
func (x *explorer) judge(leaf *ir.State) {
	if flat.Guard(leaf.Require.Cond) != flat.False {
		copy(x.next, x.here)
		x.layout.phase.set(x.next, uint64(running))
		x.link(label{None, None}, true)
	}
	x.move(leaf, leaf.Require.Target, 0, label{None, None})
}

// take adds the edge of choice c for input in.
func (x *explorer) take(leaf *ir.State, at place, in flat.Input, c ir.Choice) {
	l := label{input: in.ID, arm: None}
	if c.Arm != nil {
		l.arm = int32(c.Arm.ID)
		x.taken[c.Arm.ID] = true
		switch c.Arm.Kind {
		case ir.Goto:
			x.move(leaf, c.Arm.Target, x.spentBy(in), l)
			return
		case ir.Retry, ir.Reject:
			return // the configuration stays what it is
		}
	}
	x.stay(l, func() {
		switch in.Kind {
		case ir.CaseDone:
			x.layout.phase.set(x.next, uint64(rested))
		case ir.CaseResult, ir.CaseFailure:
			if p := &x.plans[leaf.ID]; at.ended < len(p.ends) && p.ends[at.ended].do == in.Do {
				x.endNext(at)
			}
		case ir.CaseTimer:
			x.layout.spent.set(x.next, x.layout.spent.get(x.here)|x.spentBy(in))
		case ir.CaseCancel:
			x.layout.cancelled.set(x.next, 1)
		}
	})
}

func (p *plan) nextEndIsSilent(at place) bool {
	return !at.coarse && at.ended < len(p.ends) && p.ends[at.ended].silent
}

// endNext notes in next that one more activity has ended.
func (x *explorer) endNext(at place) { x.layout.ended.set(x.next, uint64(at.ended+1)) }

// stay adds an edge that does not leave the leaf; change says what it changes.
func (x *explorer) stay(l label, change func()) {
	if x.Coarse {
		return
	}
	copy(x.next, x.here)
	change()
	x.link(l, false)
}

// move adds the edge that leads from leaf to target. The timers of the states
// that are not left stay as they are; spent are those that fire with it.
func (x *explorer) move(leaf, target *ir.State, spent uint64, l label) {
	to := target.Leaf()
	if to == nil {
		x.unknown()
		return
	}
	x.enter(to)
	if to.Kind != ir.Terminal && !x.Coarse {
		kept := uint64(1)<<x.layout.slots[ir.Domain(leaf, target).ID] - 1
		x.layout.spent.set(x.next, (x.layout.spent.get(x.here)|spent)&kept)
		cancelled := x.layout.cancelled.get(x.here)
		if l.input != None && x.Table.Case(l.input).Kind == ir.CaseCancel {
			cancelled = 1
		}
		x.layout.cancelled.set(x.next, cancelled)
	}
	x.link(l, true)
}

// spentBy is the bit that remembers the firing of in, where it is a timer.
func (x *explorer) spentBy(in flat.Input) uint64 {
	if in.Kind != ir.CaseTimer {
		return 0
	}
	return x.layout.spentBit[in.Timer.ID]
}
