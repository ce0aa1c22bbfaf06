package explore

import (
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// readLength notes a constant with which the length of a list is compared.
func (t *tracked) readLength(e ir.Expr, arm *ir.Arm) bool {
	b, isBinary := e.(*ir.Binary)
	if !isBinary {
		return false
	}
	list, _, k, ok := ir.ListLength(b)
	if ok {
		for _, n := range t.refs(list, arm) {
			n.read = true
			n.cuts = append(n.cuts, &ir.Const{Kind: ir.List, Int: k})
		}
	}
	return ok
}

// tells reports whether how the length of list compares with k can be computed.
func (t *tracked) tells(list ir.Expr, k int64, arm *ir.Arm) bool {
	return t.known(list, arm) && !slices.ContainsFunc(t.refs(grownFrom(list), arm), func(n *node) bool { return k >= n.dom.most })
}

// lengthOrFree finds the most of a domain of lists, and decides whether there is no
// choice among too many lengths.
func (d *domain) lengthOrFree() sort {
	d.most = 1
	chosen := false
	for _, n := range d.nodes {
		chosen = chosen || n.v == nil || n.v.Param
		for _, c := range n.cuts {
			if c.Int == math.MaxInt64 {
				return free
			}
			d.most = max(d.most, c.Int+1)
		}
	}
	if chosen && d.most >= maxSpan {
		return free
	}
	return byLength
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
