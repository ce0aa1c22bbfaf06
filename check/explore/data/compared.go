package data

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Numbers that are only compared and copied need not have each of their values: where no
// comparison changes between two of them, they do the same. So of many values one is chosen where
// a comparison changes, and one beside it, which stands for all up to the next change.

// ComparedFrom is from how many values on that is done: of fewer, few are not many fewer. Tests
// change it.
var ComparedFrom int64 = 16

// mostPoints is how many changes there may be: of what is compared with the last one of its own
// kind, there are as many as there are values.
const mostPoints = 256

// onlyCompared finds the points of each domain of numbers that are only compared and copied.
func (t *Tracked) onlyCompared() {
	some := false
	for _, n := range t.Nodes {
		d := n.Domain
		if lo, hi := d.ends(); n.find() == n && d.Sort == ByValue && (d.Kind == ir.Int || d.Kind == ir.Duration) && width(lo, hi) >= uint64(ComparedFrom) {
			for _, n := range d.nodes {
				lo, hi := n.Between()
				d.points = append(d.points, lo, hi)
				for _, c := range n.cuts {
					d.points = append(d.points, c.Int)
				}
			}
			slices.Sort(d.points)
			d.points = slices.Compact(d.points)
			some = true
		}
	}
	if !some {
		return
	}
	for _, s := range t.machine.States {
		if s.Require != nil {
			t.compares(s.Require.Cond, nil)
		}
	}
	for _, timer := range t.machine.Timers {
		if timer.Var != nil {
			t.Vars[timer.Var].Domain.points = nil
		}
	}
	for _, a := range t.machine.Arms {
		t.compares(a.When, a)
		if a.Backoff != nil {
			t.notCompared(a.Backoff.By, a)
		}
	}
	copies := func(a *ir.Assign, arm *ir.Arm) {
		if len(t.Refs(a.Value, arm)) == 0 {
			t.notCompared(a.Value, arm)
		}
	}
	t.assigns(copies)
	for b, arm := range t.machine.Blocks() {
		for _, a := range t.Checked[b] {
			copies(a, arm)
		}
	}
	for again := true; again; {
		again = false
		for _, n := range t.Chosen {
			again = n.changesPeers() || again
		}
	}
	for _, n := range t.Nodes {
		if n.Few() {
			n.few = n.around(n.Domain.points)
		}
	}
}

// changesPeers notes where the variable with which n, a field of an event, is compared leaves n other
// values between the points; of several variables, it matters how they lie to each other. It
// reports whether that is new.
func (n *Node) changesPeers() (more bool) {
	for _, p := range n.Peers {
		d := p.Domain
		switch {
		case d.points == nil:
		case n.Domain.points == nil, p != n.Peers[0]:
			d.points, n.Peers[0].Domain.points, more = nil, nil, true
		default:
			for _, v := range n.Domain.points {
				for _, k := range append(n.Offsets, 0) {
					more = d.changesAt(v-k-1) || more
					more = d.changesAt(v-k) || more
					more = d.changesAt(v-k+1) || more
				}
			}
		}
	}
	return more
}

// changesAt adds v to the points of d, and reports whether that is new.
func (d *Domain) changesAt(v int64) bool {
	if d.points == nil || v < d.points[0] || v > d.points[len(d.points)-1] {
		return false
	}
	at, known := slices.BinarySearch(d.points, v)
	if known {
		return false
	}
	if d.points = slices.Insert(d.points, at, v); len(d.points) > mostPoints {
		d.points = nil
	}
	return true
}

// notCompared notes that e does other things with what it reads than to compare and to copy it.
func (t *Tracked) notCompared(e ir.Expr, arm *ir.Arm) {
	t.refsIn(e, arm, func(n *Node) { n.Domain.points = nil })
}

// compares notes what e, a guard of arm, a `require` or a part of one, compares.
func (t *Tracked) compares(e ir.Expr, arm *ir.Arm) {
	switch e := e.(type) {
	case *ir.Unary:
		t.compares(e.X, arm)
	case *ir.Binary:
		if e.Op == ir.OpAnd || e.Op == ir.OpOr {
			t.compares(e.X, arm)
			t.compares(e.Y, arm)
			return
		}
		t.comparison(e, arm)
	case *ir.IsSet:
	case *ir.Call:
		if e.Guard == nil { // what a host guard is told decides nothing here
			t.notCompared(e, arm)
		}
	default:
		t.notCompared(e, arm)
	}
}

// comparison notes what e compares: it may be one field of an event with one variable and one
// constant, of which none is multiplied, or one of the first two with a constant, which is a cut.
func (t *Tracked) comparison(e *ir.Binary, arm *ir.Arm) {
	if ref, _, c := ir.ConstantSide(e); c != nil && len(t.Refs(ref, arm)) > 0 {
		return
	}
	var fields, peers []*Node
	var offsets []int64
	plain, refs := true, 0
	ir.Walk(e, func(part ir.Expr) bool {
		if k := ir.Value(part); k != nil {
			offsets = append(offsets, k.Int, -k.Int)
			return false
		}
		switch part := part.(type) {
		case *ir.FieldRef:
			refs++
			fields = append(fields, t.Refs(part, arm)...)
		case *ir.VarRef:
			peers = append(peers, t.Refs(part, arm)...)
		case *ir.Binary:
			plain = plain && (part == e || part.Op == ir.OpAdd || part.Op == ir.OpSub)
		default:
			plain = false
		}
		return true
	})
	if !plain || refs != 1 || len(peers) > 1 || len(offsets) > 2 {
		t.notCompared(e, arm)
		return
	}
	for _, n := range fields {
		for _, k := range offsets {
			n.Domain.changesAt(k)
		}
		n.Peers = append(n.Peers, peers...)
		n.Offsets = append(n.Offsets, offsets...)
	}
}

// Few reports whether few of the values of n stand for the others.
func (n *Node) Few() bool { return n.Domain.points != nil }

// mostFew is more than enough for how many they are.
func (n *Node) mostFew() int {
	return 2 * (len(n.Domain.points) + len(n.Peers)*(1+len(n.Offsets)))
}

// FewValues are those from which n is chosen where its peers have the values given.
func (n *Node) FewValues(peers []int64) []int64 {
	if len(peers) == 0 {
		return n.few
	}
	points := slices.Clone(n.Domain.points)
	for _, p := range peers {
		points = append(points, p)
		for _, k := range n.Offsets {
			points = append(points, p+k)
		}
	}
	return n.around(points)
}

// around are the values of n at points and behind each of them, ascending.
func (n *Node) around(points []int64) (out []int64) {
	lo, hi := n.Between()
	for _, v := range points {
		for _, v := range []int64{v, v + 1} {
			if lo <= v && v <= hi {
				out = append(out, v)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Standing is the value that stands for v.
func (n *Node) Standing(v int64) int64 {
	lo, _ := n.Alike(v)
	return lo
}

// Alike is between what the numbers lie for which code stands.
func (n *Node) Alike(code int64) (lo, hi int64) {
	if n.Domain.Sort == ByRegion {
		return n.Domain.between(code)
	}
	if !n.Few() {
		return code, code
	}
	return inRegion(n.Domain.points, regionOf(n.Domain.points, code))
}
