package data

import "github.com/fsmc-dev/fsmc/lang/ir"

// Most comparisons tell a cut from one of its sides alone: `n < 18` is the same for 18 and for
// all above. So of the regions between which nothing changes one is chosen, and stands for the others:
// of k constants that are compared by `<` these are k+1 instead of 2k+1. An event of eight such
// fields has a hundredth of the choices.

// test is a comparison with a constant.
type test struct {
	op ir.Op
	c  *ir.Const
}

// compareWith notes that n is compared with c.
func (n *Node) compareWith(op ir.Op, c *ir.Const) {
	n.cuts = append(n.cuts, c)
	n.tests = append(n.tests, test{op, c})
}

// border finds the borders of d. Durations have none: where a timer waits for one it matters
// how long it is.
func (d *Domain) border() {
	if d.Kind != ir.Int && d.Kind != ir.Float {
		return
	}
	borders := make([]bool, d.size()+1)
	note := func(op ir.Op, c *ir.Const) {
		at := d.Code(c)
		if op != ir.OpGt && op != ir.OpLe {
			borders[at] = true
		}
		if op != ir.OpLt && op != ir.OpGe {
			borders[at+1] = true
		}
	}
	for _, n := range d.nodes {
		if n.asked {
			return
		}
		for _, x := range n.tests {
			note(x.op, x.c)
		}
		if lo, hi, ranged := n.Limits(); ranged {
			note(ir.OpGe, &ir.Const{Kind: d.Kind, Int: lo})
			note(ir.OpLe, &ir.Const{Kind: d.Kind, Int: hi})
		}
	}
	d.borders = borders
}

// Filled are the regions from lo to hi in which some value lies, and of those between which
// nothing changes the first.
func (d *Domain) Filled(lo, hi int64) (list []int64) {
	last := lo
	for code := lo; code <= hi; code++ {
		switch {
		case d.Empty(code):
			continue
		case len(list) > 0 && d.alike(last, code):
			continue
		}
		list, last = append(list, code), code
	}
	return list
}

// alike reports whether nothing changes between the regions lo and hi.
func (d *Domain) alike(lo, hi int64) bool {
	if d.borders == nil {
		return false
	}
	for code := lo + 1; code <= hi; code++ {
		if d.borders[code] {
			return false
		}
	}
	return true
}
