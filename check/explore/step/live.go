package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Data and counters that no run reads any more before they are set again only
// multiply configurations, so they are dropped: for each leaf a mask says which
// bits may still matter. It is the classic analysis of live variables (Kildall,
// A unified approach to global program optimization, POPL 1973), backwards over
// the leaves, on the bits of a configuration themselves:
//
//	live(L) = guards(L) ∪ ⋃ over ways out e of L: reads(e) ∪ (live(target(e)) − sets(e))
//
// to its least fixpoint, with a work list in which a leaf stands once. What is read
// often hangs on one field, as where a run goes on that got stuck does; so leaves
// are told apart by the value of one field, where that drops more. See apart.go.

// way is one way from a leaf to another.
type way struct {
	to    *ir.State
	after after
	sets  []uint64
	reads []uint64
}

// liveness are the masks of the leaves, by place; see apart.mask.
func (p *Program) liveness(by apart) [][]uint64 {
	words := p.Packing.Words
	live := make([][]uint64, by.kinds*len(p.Machine.States))
	always := p.fixedBits()
	ways := make([][]way, len(live))
	before := make([][]int, len(live))
	var work []int
	for _, s := range p.Machine.States {
		if s.Kind == ir.Composite {
			continue
		}
		for kind := range by.kinds {
			id := by.mask(s, kind)
			live[id] = make([]uint64, words)
			if s.Kind == ir.Terminal {
				p.Packing.Leaf.Set(live[id], ^uint64(0))
				continue
			}
			copy(live[id], always)
			if s.Require != nil {
				p.reads(s.Require.Cond, live[id]) // it is to hold while the run stays
			}
			ways[id] = p.waysOut(s, by, kind, live[id])
			for _, w := range ways[id] {
				for _, to := range by.masks(w, kind) {
					before[to] = append(before[to], id)
				}
			}
			work = append(work, id)
		}
	}
	slices.Reverse(work) // what a state leads to mostly stands behind it
	waiting := make([]bool, len(live))
	for _, id := range work {
		waiting[id] = true
	}
	for len(work) > 0 {
		id := work[0]
		work = work[1:]
		waiting[id] = false
		changed := false
		for _, w := range ways[id] {
			for _, to := range by.masks(w, id%by.kinds) {
				for i, bits := range live[to] {
					bits = bits&^w.sets[i] | w.reads[i]
					changed = changed || bits&^live[id][i] != 0
					live[id][i] |= bits
				}
			}
		}
		if !changed {
			continue
		}
		for _, from := range before[id] {
			if !waiting[from] {
				waiting[from] = true
				work = append(work, from)
			}
		}
	}
	return live
}

// fixedBits are the bits that are no data and no counters of the run.
func (p *Program) fixedBits() []uint64 {
	mask := p.dataBits()
	for i := range mask {
		mask[i] = ^mask[i]
	}
	for _, a := range p.Machine.Arms {
		if flat.CountsBeyondVisit(a) {
			p.Packing.counters[a.ID].Set(mask, 0)
		}
	}
	return mask
}

// waysOut lists the ways out of leaf, where the field of by is of a kind, and adds to
// read what its guards and the effects of its arms read. Guards count whether or not
// they are asked: others than the step ask them, too.
func (p *Program) waysOut(leaf *ir.State, by apart, kind int, read []uint64) []way {
	var out []way
	for _, d := range leaf.Dos {
		for _, arg := range d.Args {
			p.touches(arg, read)
		}
	}
	for i := range p.States[leaf.ID].Inputs {
		taken := false // by a choice before
		for _, c := range p.States[leaf.ID].Inputs[i].Choices {
			if c.Arm == nil {
				continue
			}
			p.reads(c.Arm.When, read)
			holds := isTrue
			if c.Arm.When != nil {
				holds = by.verdictOn(c.Arm.When, kind)
			}
			if taken || holds == isFalse {
				continue
			}
			taken = holds == isTrue && !c.bounded
			p.blockReads(c.Arm.Block, read)
			if c.Arm.Backoff != nil {
				p.touches(c.Arm.Backoff.By, read)
				if ref, ok := c.Arm.Backoff.By.(*ir.VarRef); ok {
					p.readsWait(ref.Var, read)
				}
			}
			if c.bounded {
				c.Counter.Set(read, ^uint64(0))
			}
			if c.Arm.Kind == ir.Goto {
				out = append(out, p.waysTo(leaf, by, c.Arm)...)
			} else if after := by.behind(c.Arm.Block, same); after != same {
				none := make([]uint64, p.Packing.Words)
				out = append(out, way{to: leaf, after: after, sets: none, reads: none})
			}
		}
	}
	return out
}

// waysTo follows an arm through the redirections of `require`.
func (p *Program) waysTo(leaf *ir.State, by apart, a *ir.Arm) []way {
	words := p.Packing.Words
	reads, sets := make([]uint64, words), make([]uint64, words)
	depth := ir.Domain(leaf, a.Target).Depth
	from := p.States[leaf.ID].Path
	after := same
	for i := len(from) - 1; i > depth; i-- {
		p.passes(from[i].Exit, reads, sets)
		after = by.behind(from[i].Exit, after)
	}
	p.passes(a.Block, reads, sets)
	after = by.behind(a.Block, after)
	var out []way
	met := map[*ir.State]bool{}
	for target := a.Target; ; {
		to := target.Leaf()
		path := p.States[to.ID].Path
		for _, s := range path[depth+1:] {
			if s != to {
				p.refills(leaf, s, sets)
				p.passes(s.Entry, reads, sets)
				after = by.behind(s.Entry, after)
			}
		}
		arrive := way{to: to, after: by.behind(to.Entry, after), reads: append([]uint64(nil), reads...), sets: append([]uint64(nil), sets...)}
		p.refills(leaf, to, arrive.sets) // where its require turns the run away it is not entered
		if to.Require != nil {
			p.reads(to.Require.Cond, arrive.reads)
		}
		p.passes(to.Entry, arrive.reads, arrive.sets)
		for _, ref := range to.Returns {
			if n := p.Tracked.Vars[ref.Var]; n.Slot != nil && n.Slot.Get(arrive.sets) == 0 {
				p.readsSet(ref.Var, arrive.reads)
			}
		}
		for _, s := range path {
			for _, t := range s.Timers {
				if t.Var != nil {
					p.readsWait(t.Var, arrive.reads)
				}
			}
		}
		for _, f := range p.States[to.ID].fans {
			p.marks(f.do.Fan.List, arrive.reads)
		}
		out = append(out, arrive)
		if to.Require == nil || met[to] {
			return out
		}
		met[to] = true
		p.reads(to.Require.Cond, reads)
		target = to.Require.Target
		depth = ir.Domain(to, target).Depth
		for i := len(path) - 2; i > depth; i-- {
			p.passes(path[i].Exit, reads, sets)
			after = by.behind(path[i].Exit, after)
		}
	}
}

// refills adds the counters that are set back to zero when s is entered from leaf.
func (p *Program) refills(leaf, s *ir.State, sets []uint64) {
	if leaf.Inside(s) {
		return
	}
	for _, f := range p.States[s.ID].refills {
		f.Set(sets, ^uint64(0))
	}
}

func (p *Program) passes(b *ir.Block, reads, sets []uint64) {
	p.blockReads(b, reads)
	if b == nil {
		return
	}
	for _, a := range b.Assigns {
		p.marks(a.Var, sets)
		p.setsRecalled(a.Var, sets)
	}
}

func (p *Program) blockReads(b *ir.Block, mask []uint64) {
	if b != nil {
		for _, a := range b.Assigns {
			p.reads(a.Value, mask)
		}
		for _, e := range b.Publishes {
			for _, v := range e.Values {
				p.touches(v, mask)
			}
		}
		for _, a := range p.Tracked.Checked[b] {
			p.reads(a.Value, mask)
		}
	}
}

// touches adds what e reads, where nothing but whether it is set matters. What is left of
// `&&` or `||` is read itself: it may keep the right side from being read.
func (p *Program) touches(e ir.Expr, mask []uint64) {
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.VarRef:
			p.readsSet(e.Var, mask)
		case *ir.Binary:
			if (e.Op == ir.OpAnd || e.Op == ir.OpOr) && p.mayBeUnset(e.Y) {
				p.reads(e.X, mask)
			}
		}
		return true
	})
}

// mayBeUnset reports whether e reads what may be unset.
func (p *Program) mayBeUnset(e ir.Expr) bool {
	may := false
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.VarRef:
			may = may || e.Var.MayBeUnset()
		case *ir.FieldRef:
			may = may || e.Optional
		}
		return !may
	})
	return may
}

func (p *Program) readsSet(v *ir.Var, mask []uint64) {
	if n := p.Tracked.Vars[v]; n.Slot != nil && n.Slot.Unset {
		n.Slot.Set(mask, ^uint64(0))
	}
}

// readsWait adds v, which says how long something waits.
func (p *Program) readsWait(v *ir.Var, mask []uint64) {
	p.readsSet(v, mask)
	if p.Clocks != nil {
		p.marks(v, mask)
	}
}

// marks adds v.
func (p *Program) marks(v *ir.Var, mask []uint64) {
	if n := p.Tracked.Vars[v]; n.Slot != nil {
		n.Slot.Set(mask, ^uint64(0))
	}
}

func (p *Program) reads(e ir.Expr, mask []uint64) {
	p.readsRecalled(e, mask)
	for _, v := range ir.Vars(e) {
		p.marks(v, mask)
	}
}
