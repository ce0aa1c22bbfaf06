package data

import (
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// readLength notes a constant with which the length of a list is compared.
func (t *Tracked) readLength(e ir.Expr, arm *ir.Arm) bool {
	b, isBinary := e.(*ir.Binary)
	if !isBinary {
		return false
	}
	list, _, k, ok := ir.ListLength(b)
	if ok {
		for _, n := range t.Refs(list, arm) {
			n.Read = true
			n.cuts = append(n.cuts, &ir.Const{Kind: ir.List, Int: k})
		}
	}
	return ok
}

// Tells reports whether how the length of list compares with k can be computed.
func (t *Tracked) Tells(list ir.Expr, k int64, arm *ir.Arm) bool {
	return t.Known(list, arm) && !slices.ContainsFunc(t.Refs(GrownFrom(list), arm), func(n *Node) bool { return k >= n.Domain.Most })
}

// TellsLengths reports whether the code of n, a list, is its length.
func (n *Node) TellsLengths() bool {
	if n.Slot == nil || !n.Valued() || n.Domain.Sort != ByLength {
		return false
	}
	_, hi, limited := n.Limits()
	return limited && hi <= n.Domain.Most
}

// readLengths notes the lists whose lengths are told apart since sides, one or two that are compared, read
// them, where t is wide. It does nothing where something that they read has too many values for that.
func (t *Tracked) readLengths(arm *ir.Arm, sides ...ir.Expr) (lists []*Node) {
	type list struct {
		node *Node
		most int64 // up to which its lengths are told apart
	}
	var found []list
	most, ranged := int64(-1), true
	for i, side := range sides {
		ir.Walk(side, func(e ir.Expr) bool {
			length, isLength := e.(*ir.Len)
			if !isLength {
				for _, n := range t.Refs(e, arm) {
					_, _, limited := n.Limits()
					ranged = ranged && limited
				}
				return true
			}
			end := spanOf(length.X).hi
			if e == side && len(sides) == 2 { // all that are longer than the other can be compare alike
				end = min(end, spanOf(sides[1-i]).hi)
			}
			most, ranged = max(most, end), ranged && length.X.Type().Kind == ir.List
			for _, n := range t.Refs(GrownFrom(length.X), arm) {
				found = append(found, list{n, max(end, 0)})
			}
			return false
		})
	}
	if !ranged || most >= MostValues {
		return nil
	}
	for _, l := range found {
		l.node.long = !t.Wide
		if t.Wide {
			l.node.cuts = append(l.node.cuts, &ir.Const{Kind: ir.List, Int: l.most})
			lists = append(lists, l.node)
		}
	}
	return lists
}

// KnownBeside is Known of e, which is compared with other: the length of a list may be one of
// several that are all longer than that can be.
func (t *Tracked) KnownBeside(e, other ir.Expr, arm *ir.Arm) bool {
	length, isLength := e.(*ir.Len)
	return t.Known(e, arm) || isLength && length.X.Type().Kind == ir.List && t.Tells(length.X, spanOf(other).hi, arm)
}

// lengthOrFree finds the most of a domain of lists, and decides whether there is no
// choice among too many lengths.
func (d *Domain) lengthOrFree() sort {
	d.Most = 1
	for _, n := range d.nodes {
		for _, c := range n.cuts {
			if c.Int == math.MaxInt64 {
				return Free
			}
			d.Most = max(d.Most, c.Int+1)
		}
	}
	for _, n := range d.nodes {
		if lo, hi := n.Lengths(); hi-lo >= MostValues && (n.Var == nil || n.Var.Param || n.fitted) {
			return Free
		}
	}
	return ByLength
}

// Lengths is how n's own type limits the codes of its lengths, both included.
func (n *Node) Lengths() (lo, hi int64) {
	lo, hi, limited := n.Limits()
	if !limited {
		hi = n.Domain.Most
	}
	return min(lo, n.Domain.Most), min(hi, n.Domain.Most)
}

// MayLeaveLength reports whether the list e may have a length that lists of type to do
// not have; arm is that in whose block e stands, or nil.
func (t *Tracked) MayLeaveLength(to *ir.Type, e ir.Expr, arm *ir.Arm) bool {
	return to.Len != nil && !Within(e, to.Len.Lo, to.Len.Hi) && !t.FitsByGuard(to, e, arm)
}

// readFitting notes what must be known of the list that e has grown from to tell
// whether its length lies in r.
func (t *Tracked) readFitting(e ir.Expr, r *ir.Range, arm *ir.Arm) {
	end := r.Hi
	if spanOf(e).hi <= end {
		end = r.Lo - 1
	}
	for _, n := range t.Refs(GrownFrom(e), arm) {
		n.Read = true
		n.cuts = append(n.cuts, &ir.Const{Kind: ir.List, Int: end})
	}
}

// GrownFrom is what e, a list, is made of by putting items behind it; else it is e.
func GrownFrom(e ir.Expr) ir.Expr {
	e, _ = grown(e)
	return e
}

// grown is GrownFrom, and how many items are put behind that.
func grown(e ir.Expr) (from ir.Expr, items int64) {
	for e != nil && e.Type().Kind == ir.List {
		sum, ok := e.(*ir.Binary)
		if !ok {
			break
		}
		e = sum.X
		items++
	}
	return e, items
}
