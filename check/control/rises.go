package control

import (
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A condition `v < c` of an arm becomes false for good where v is greater each time that the
// arm is taken, whichever way the run comes back to it, and by whatever fields: of
// `next = spent + event.cost` in one state and `when next <= most -> Work { spent = next }`
// in another one, next is. (Threads that descend: Lee, Jones and Ben-Amram, The size-change
// principle for program termination, POPL 2001.)

// above says of fields how much each is at least above what v was when the arm was taken, and not
// below it; of a field that is not there nothing is known. Where v has to fall it is below.
type above map[*ir.Var]int64

// meet keeps in a what holds in b as well, and reports whether that is less.
func (a above) meet(b above) bool {
	less := false
	for v, by := range a {
		switch other, known := b[v]; {
		case !known:
			delete(a, v)
			less = true
		case other < by:
			a[v], less = other, true
		}
	}
	return less
}

// after is a behind the effects of b. Sign is -1 where v has to fall. Short says of a clamp
// whether the arm is not taken with what it stops at.
func (a above) after(b *ir.Block, between flat.Between, sign int64, short func(clamp int64) bool) above {
	if b == nil {
		return a
	}
	out := maps.Clone(a)
	for _, x := range b.Assigns {
		delete(out, x.Var)
		from, adds, clamp := flat.SumOf(x, between)
		least := min(adds.Lo*sign, adds.Hi*sign)
		if by, known := a[from]; from != nil && known && least >= 0 && (clamp == nil || short(*clamp)) {
			out[x.Var] = graph.Sum(by, least)
		}
	}
	return out
}

// taken is a behind the block of arm, too, before whose exit blocks before held: of
// `when event.at > last -> Open { last = event.at }` the guard says that last rises.
func (p *part) taken(arm *ir.Arm, a, before above, sign int64, short func(clamp int64) bool) above {
	out := a.after(arm.Block, p.c.between, sign, short)
	if arm.Block == nil {
		return out
	}
	for _, x := range arm.Block.Assigns {
		if _, known := out[x.Var]; known || !p.keeps(x.Value) {
			continue
		}
		for v, by := range before {
			switch {
			case p.c.further(arm, x, v, sign, true):
				out[x.Var] = max(out[x.Var], graph.Sum(by, 1))
			case by >= out[x.Var] && p.c.further(arm, x, v, sign, false):
				out[x.Var] = by
			}
		}
	}
	return out
}

// maxLooks is how many leaves are looked at for all arms of a machine.
const maxLooks = 100_000

// rises is how much further v is at least, in the direction sign, each time that a is taken.
func (p *part) rises(a *ir.Arm, v *ir.Var, sign int64, short func(clamp int64) bool) int64 {
	at := map[int32]above{} // by leaf
	var work []int32
	reach := func(leaf int32, s above) {
		if known := at[leaf]; known == nil {
			at[leaf] = maps.Clone(s)
			work = append(work, leaf)
		} else if known.meet(s) {
			work = append(work, leaf)
		}
	}
	maybe := func(s above, b *ir.Block) above { // it is not looked at which states are left and entered
		if b != nil {
			both := maps.Clone(s)
			both.meet(s.after(b, p.c.between, sign, short))
			return both
		}
		return s
	}
	along := func(x Edge, s above) {
		before := s
		for _, from := range p.c.Leaf(x.From).Chain() {
			s = maybe(s, from.Exit)
		}
		s = p.taken(x.Arm, s, before, sign, short)
		for leaf := range x.Arm.Target.Redirects() {
			around := leaf.Chain()
			for _, entered := range slices.Backward(around) {
				s = maybe(s, entered.Entry)
			}
			if int32(leaf.ID) == x.To {
				break
			}
			for _, left := range around {
				s = maybe(s, left.Exit)
			}
		}
		reach(x.To, s)
	}
	for _, x := range p.takes[a] {
		along(x, above{v: 0})
	}
	for ; len(work) > 0; work = work[1:] {
		leaf := work[0]
		if p.c.looks++; len(at[leaf]) == 0 || p.c.looks > maxLooks { // from everywhere a way leads to a
			return 0
		}
		for in := range p.c.Table.Inputs(p.c.Leaf(leaf)) {
			for _, choice := range in.Choices { // what stays
				if choice.Arm != nil && choice.Arm.Kind != ir.Goto {
					reach(leaf, p.taken(choice.Arm, at[leaf], at[leaf], sign, short))
				}
			}
		}
		for _, x := range p.from[leaf] {
			if x.Arm != a {
				along(x, at[leaf])
			}
		}
	}
	least := int64(graph.Infinite)
	for _, x := range p.takes[a] {
		if s := at[x.From]; s != nil {
			least = min(least, s[v])
		}
	}
	return least
}

// compares reports whether `left op right`, without which a is not taken, becomes false for good when
// a has been taken often enough, and how often that is at most. The other side is a constant, or a
// field that nothing in the part assigns.
func (p *part) compares(a *ir.Arm, left ir.Expr, op ir.Op, right ir.Expr) (most int64, ok bool) {
	for _, x := range []struct {
		side, other ir.Expr
		op          ir.Op
	}{{left, right, op}, {right, left, op.Turned()}} {
		ref, isVar := x.side.(*ir.VarRef)
		end, known := p.fixed(x.other)
		if !isVar || !known || ir.Value(x.side) != nil {
			continue
		}
		sign, last := int64(1), end.Hi
		if x.op == ir.OpGt || x.op == ir.OpGe {
			sign, last = -1, end.Lo
		}
		r, strict := ref.Var.Type.Range, x.op == ir.OpLt || x.op == ir.OpGt
		if r != nil && x.op == ir.OpNe && end.Lo == end.Hi { // it is the end to which v goes, or none
			strict = last == r.Lo || last == r.Hi
			if last == r.Lo {
				sign = -1
			}
		}
		if !strict && x.op != ir.OpLe && x.op != ir.OpGe {
			continue
		}
		short := func(clamp int64) bool { return last*sign < clamp*sign || last == clamp && strict }
		by := p.movesOneWay(a, ref.Var, sign, short)
		if by == 0 {
			by = p.rises(a, ref.Var, sign, short)
		}
		if by > 0 {
			return laps(r, sign, last, by, strict), true
		}
	}
	return 0, false
}

// laps is how often a field can be in its range r, each time further by at least by in the direction sign,
// before it is at last, or where it is not strict beyond it.
func laps(r *ir.Range, sign, last, by int64, strict bool) int64 {
	if r == nil || r.Hi-r.Lo < 0 {
		return graph.Infinite
	}
	if last < r.Lo || last > r.Hi {
		strict = false
	}
	way := min(max(last, r.Lo), r.Hi) - r.Lo
	if sign < 0 {
		way = r.Hi - r.Lo - way
	}
	if strict {
		way--
	}
	return graph.Sum(way/by, 1)
}

// fixed is what e lies between, which no effect of the part changes.
func (p *part) fixed(e ir.Expr) (between ir.Range, ok bool) {
	if c := ir.Value(e); c != nil {
		return ir.Range{Lo: c.Int, Hi: c.Int}, true
	}
	ref, isVar := e.(*ir.VarRef)
	if !isVar || ref.Var.Type.Range == nil || len(p.effects[ref.Var]) > 0 {
		return between, false
	}
	return *ref.Var.Type.Range, true
}
