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
	return t.Known(list, arm) && !slices.ContainsFunc(t.Refs(grownFrom(list), arm), func(n *Node) bool { return k >= n.Domain.Most })
}

// lengthOrFree finds the most of a domain of lists, and decides whether there is no
// choice among too many lengths.
func (d *Domain) lengthOrFree() sort {
	d.Most = 1
	chosen := false
	for _, n := range d.nodes {
		chosen = chosen || n.Var == nil || n.Var.Param || n.fitted
		for _, c := range n.cuts {
			if c.Int == math.MaxInt64 {
				return Free
			}
			d.Most = max(d.Most, c.Int+1)
		}
	}
	if chosen && d.Most >= maxSpan {
		return Free
	}
	return ByLength
}

// grownFrom is what e, a list, is made of by putting items behind it; else it is e.
func grownFrom(e ir.Expr) ir.Expr {
	for e != nil && e.Type().Kind == ir.List {
		sum, ok := e.(*ir.Binary)
		if !ok {
			break
		}
		e = sum.X
	}
	return e
}
