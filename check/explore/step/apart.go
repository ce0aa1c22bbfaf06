package step

import (
	"math/bits"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// apart tells leaves apart by the value of one field, for the masks of live bits. A
// kind of the field is what its slot holds. Where the field itself is dropped its
// kind is lost, and may be: then no guard on the way to its next assignment reads
// it, so that the masks of all kinds are one.
type apart struct {
	n     *data.Node // nil where there is one kind
	kinds int
}

// after is the kind of the field behind some blocks.
type after int

const (
	same    after = -1 // as before
	anyKind after = -2
)

// mostKinds is the most values of a field by which leaves are told apart, and
// mostPlaces the most leaves then.
const (
	mostKinds  = 16
	mostPlaces = 1 << 12
)

// tellApart decides by which field leaves are told apart: the one with which the
// fewest bits are live, on average.
func (p *Program) tellApart() {
	p.apart = apart{kinds: 1}
	p.live = p.liveness(p.apart)
	least := bitsOf(p.live)
	for _, n := range p.Tracked.Nodes {
		if n.Slot == nil || !n.Valued() || n.Var.Param {
			continue
		}
		_, more := n.HeldCodes()
		by := apart{n: n, kinds: int(min(more, mostKinds)) + 1}
		if by.kinds < 2 || by.kinds > mostKinds || by.kinds*len(p.Machine.States) > mostPlaces || by.kinds*len(p.Machine.States)*p.Packing.Words > maxMasks {
			continue
		}
		live := p.liveness(by)
		if each := bitsOf(live) / float64(by.kinds); each < least {
			p.apart, p.live, least = by, live, each
		}
	}
}

// bitsOf counts the bits of masks.
func bitsOf(masks [][]uint64) float64 {
	n := 0
	for _, mask := range masks {
		for _, word := range mask {
			n += bits.OnesCount64(word)
		}
	}
	return float64(n)
}

// liveAt are the bits that matter in leaf, in the configuration given.
func (p *Program) liveAt(leaf *ir.State, words []uint64) []uint64 {
	if p.apart.n == nil {
		return p.live[leaf.ID]
	}
	return p.live[p.apart.mask(leaf, int(p.apart.n.Slot.Get(words)))]
}

// mask is where the mask of leaf with a kind of the field stands.
func (by apart) mask(leaf *ir.State, kind int) int { return leaf.ID*by.kinds + kind }

// masks are those to which w leads, where the field was of a kind.
func (by apart) masks(w way, kind int) []int {
	first, n := 0, by.kinds
	switch {
	case w.after == same:
		first, n = kind, 1
	case w.after != anyKind:
		first, n = int(w.after), 1
	}
	out := make([]int, n)
	for i := range out {
		out[i] = by.mask(w.to, first+i)
	}
	return out
}

// behind is the kind behind b, where it was before before it.
func (by apart) behind(b *ir.Block, before after) after {
	if b == nil || by.n == nil {
		return before
	}
	for _, a := range b.Assigns {
		if a.Var != by.n.Var {
			continue
		}
		if a.Value == nil {
			return 0 // unset
		}
		c := ir.Value(a.Value)
		if c == nil {
			return anyKind
		}
		kind := by.n.Code(c) - by.n.Slot.Base
		if by.n.Slot.Unset {
			kind++
		}
		if kind < 0 || kind >= int64(by.kinds) {
			return anyKind // out of its range: the step fails
		}
		return after(kind)
	}
	return before
}

// verdictOn is what e comes out at for a kind of the field, as far as that alone tells.
func (by apart) verdictOn(e ir.Expr, kind int) int8 {
	if by.n == nil {
		return unasked
	}
	code, set := int64(kind)+by.n.Slot.Base, true
	if by.n.Slot.Unset {
		code, set = code-1, kind > 0
	}
	switch e := e.(type) {
	case *ir.VarRef:
		if e.Var == by.n.Var && set && by.n.Type.Kind == ir.Bool {
			return verdict(code != 0)
		}
	case *ir.IsSet:
		if e.Var == by.n.Var {
			return verdict(set != e.Not)
		}
	case *ir.Unary:
		if v := by.verdictOn(e.X, kind); e.Op == ir.OpNot && v != unasked {
			return verdict(v == isFalse)
		}
	case *ir.Binary:
		if e.Op == ir.OpAnd || e.Op == ir.OpOr {
			return joint(by.verdictOn(e.X, kind), by.verdictOn(e.Y, kind), verdict(e.Op == ir.OpOr))
		}
		of, op, c := ir.ConstantSide(e)
		if ref, ok := of.(*ir.VarRef); ok && c != nil && ref.Var == by.n.Var && set {
			if by.n.Domain.Sort == data.ByRegion {
				return verdict(by.n.Domain.Holds(code, op, c))
			}
			return verdict(op.Holds(code, c.Int))
		}
	}
	return unasked
}

// joint is what two sides come out at, of which one that is decisive suffices.
func joint(x, y, decisive int8) int8 {
	switch {
	case x == decisive || y == decisive:
		return decisive
	case x == unasked || y == unasked:
		return unasked
	}
	return x
}

func verdict(holds bool) int8 {
	if holds {
		return isTrue
	}
	return isFalse
}
