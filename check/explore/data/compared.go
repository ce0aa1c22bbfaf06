package data

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A field of an event that is only compared need not be any of its values: it is less than
// what it is compared with, or the same, or more. So of many values those are chosen that lie
// where some comparison changes, and beside them.

// Ends are where comparisons of a field of an event may change: at Consts, and at each of Peers,
// more or less one of Consts or not.
type Ends struct {
	Peers  []*Node
	Consts []int64
}

// onlyCompared finds the Ends of fields of events that have more than MostValues values.
func (t *Tracked) onlyCompared() {
	for _, n := range t.Chosen {
		if lo, hi, ranged := n.Limits(); n.Event != nil && ranged && n.Read && n.Domain.Sort == ByValue && hi-lo >= MostValues {
			n.Ends = &Ends{Consts: []int64{lo, hi}}
		}
	}
	for _, a := range t.machine.Arms {
		for whole := range a.Exprs() {
			if whole == a.When {
				t.compares(whole, a)
				continue
			}
			t.notCompared(whole, a)
		}
	}
}

// notCompared notes that e does other things with fields of events than to compare them.
func (t *Tracked) notCompared(e ir.Expr, arm *ir.Arm) {
	ir.Walk(e, func(e ir.Expr) bool {
		if ref, is := e.(*ir.FieldRef); is {
			for _, n := range t.Refs(ref, arm) {
				n.Ends = nil
			}
		}
		return true
	})
}

// compares notes what e, a part of the guard of arm, compares with fields of events.
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
	default:
		t.notCompared(e, arm)
	}
}

// comparison notes the ends of e: it may be of one field of an event, one variable and one
// constant, of which none is multiplied.
func (t *Tracked) comparison(e *ir.Binary, arm *ir.Arm) {
	var fields, peers []*Node
	var consts []int64
	plain, refs := true, 0
	ir.Walk(e, func(part ir.Expr) bool {
		if k := ir.Value(part); k != nil {
			consts = append(consts, k.Int)
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
	if !plain || refs > 1 || len(peers) > 1 || len(consts) > 1 {
		t.notCompared(e, arm)
		return
	}
	for _, n := range fields {
		if ends := n.Ends; ends != nil {
			ends.Peers = append(ends.Peers, peers...)
			for _, k := range consts {
				ends.Consts = append(ends.Consts, k, -k)
			}
		}
	}
}

// most is more than enough for how many values there are.
func (x *Ends) most() int { return 3 * len(x.Consts) * (1 + len(x.Peers)) }

// Values are those from which n is chosen, which has the ends x, where its peers have the values
// given.
func (x *Ends) Values(n *Node, peers []int64) []int64 {
	lo, hi, _ := n.Limits()
	var out []int64
	add := func(v int64) {
		for _, v := range []int64{v - 1, v, v + 1} {
			if lo <= v && v <= hi {
				out = append(out, v)
			}
		}
	}
	for _, k := range x.Consts {
		add(k)
	}
	for _, p := range peers {
		add(p)
		for _, k := range x.Consts[2:] {
			add(p + k)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
