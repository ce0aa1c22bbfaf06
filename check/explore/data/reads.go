package data

import (
	"math"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// readChecked notes the values that may not fit and that no field holds: what is
// published, and the items that effects put into lists, as assignments to fields of their
// own, and what they read. They are checked as an assignment is: a step with a value out of
// the range of its place cannot be computed. Of a value that fits whatever the data is
// nothing need be known.
func (t *Tracked) readChecked() {
	t.Checked = map[*ir.Block][]*ir.Assign{}
	for b, arm := range t.machine.Blocks() {
		for _, a := range b.Assigns {
			if a.Value != nil {
				t.readItems(b, arm, a.Text(), a.Var, a.Value)
			}
		}
		for _, p := range b.Publishes {
			for i, value := range p.Values {
				if _, absent := value.(*ir.Absent); absent {
					continue
				}
				f := p.Event.Fields[i]
				v := &ir.Var{Slot: ir.Slot{Name: p.Event.Name + "." + f.Name, Type: f.Type, Span: f.Span}}
				written := v.Name + " = " + ir.ExprText(value)
				t.readChecks(b, arm, written, v, value)
				t.readItems(b, arm, written, v, value)
			}
		}
	}
}

// readChecks notes value, which b puts where v stands, unless it fits; written is as in
// readItems.
func (t *Tracked) readChecks(b *ir.Block, arm *ir.Arm, written string, v *ir.Var, value ir.Expr) {
	r := v.Type.Limits()
	if r == nil && MayOverflow(value) {
		r = &ir.Range{Lo: math.MinInt64, Hi: math.MaxInt64}
	}
	switch {
	case r == nil || Within(value, r.Lo, r.Hi):
		return
	case v.Type.Kind != ir.List:
		t.readValue(value, r, arm)
	case t.MayLeaveLength(v.Type, value, arm):
		t.readFitting(value, r, arm)
	default:
		return
	}
	t.Checked[b] = append(t.Checked[b], &ir.Assign{Var: v, Value: value, Span: value.Span(), Written: written})
}

// readItems notes the items of list, a value that b gives to v, unless they fit. Written is
// the effect as it is written.
func (t *Tracked) readItems(b *ir.Block, arm *ir.Arm, written string, v *ir.Var, list ir.Expr) {
	for v.Type.Kind == ir.List {
		sum, grows := list.(*ir.Binary)
		item := itemOf(v)
		if !grows {
			if small := narrower(list.Type().Elem, item); small != nil && ir.Value(list) == nil { // nobody knows which items a list has
				t.Checked[b] = append(t.Checked[b], &ir.Assign{Var: small, Value: list, Span: list.Span(), Written: written})
			}
			return
		}
		parts, values := []*ir.Var{item}, []ir.Expr{sum.Y}
		if record, is := sum.Y.(*ir.RecordLit); is {
			parts, values = nil, record.Leaves
			for _, leaf := range item.Type.Leaves() {
				parts = append(parts, &ir.Var{Slot: ir.Slot{Name: item.Name + "." + leaf.Path, Type: leaf.Type, Span: v.Span}})
			}
		}
		for i, part := range parts {
			t.readChecks(b, arm, written, part, values[i])
			t.readItems(b, arm, written, part, values[i])
		}
		list = sum.X
	}
}

// itemOf stands for the items of v, a list.
func itemOf(v *ir.Var) *ir.Var {
	return &ir.Var{Slot: ir.Slot{Name: "an item of " + v.Name, Type: v.Type.Elem, Span: v.Span}}
}

// narrower is to, or stands for items of it, where that has a smaller range than a value of type
// from, which differs in ranges alone; nil where none has.
func narrower(from *ir.Type, to *ir.Var) *ir.Var {
	if from == nil || to.Type.Kind == ir.RecordKind {
		return nil
	}
	if r, has := to.Type.Limits(), from.Limits(); r != nil && (has == nil || has.Lo < r.Lo || has.Hi > r.Hi) {
		return to
	}
	if to.Type.Kind == ir.List {
		return narrower(from.Elem, itemOf(to))
	}
	return nil
}

// readValue notes what must be known of the data in e to tell whether it lies in r:
// of a copy where the range begins and ends, else all.
func (t *Tracked) readValue(e ir.Expr, r *ir.Range, arm *ir.Arm) {
	refs := t.Refs(e, arm)
	for _, n := range refs {
		n.Read = true
		n.compareWith(ir.OpGe, &ir.Const{Kind: n.Type.Kind, Int: r.Lo})
		n.compareWith(ir.OpLe, &ir.Const{Kind: n.Type.Kind, Int: r.Hi})
	}
	if len(refs) == 0 {
		t.refsIn(e, arm, func(n *Node) { n.Read, n.compared = true, true })
	}
}

// refsIn calls f with what is read anywhere in e.
func (t *Tracked) refsIn(e ir.Expr, arm *ir.Arm, f func(*Node)) {
	for e := range ir.PartsOf(e) {
		for _, n := range t.Refs(e, arm) {
			f(n)
		}
	}
}

// readGuards notes what guards compare, and with what.
func (t *Tracked) readGuards() {
	for _, a := range t.machine.Arms {
		t.readTest(a.When, a)
	}
	for _, s := range t.machine.States {
		if s.Require != nil {
			t.readTest(s.Require.Cond, nil)
		}
	}
}

func (t *Tracked) readTest(e ir.Expr, arm *ir.Arm) {
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.IsSet:
			if e.Var != nil {
				t.need(e.Var)
			}
		case *ir.VarRef, *ir.FieldRef:
			for _, n := range t.Refs(e, arm) {
				n.Read = true
			}
		case *ir.Call:
			if e.Guard != nil { // what it is told decides nothing here, but its answers may differ for any two values
				t.refsIn(e, arm, func(n *Node) { n.asked = true })
			}
			return e.Guard == nil
		case *ir.Len:
			return false
		case *ir.Binary:
			t.readComparison(e, arm)
		}
		return true
	})
}

// readComparison notes a constant with which something alone is compared, and strings that
// are compared with each other; all other comparisons need values.
func (t *Tracked) readComparison(e *ir.Binary, arm *ir.Arm) {
	if e.Op == ir.OpAnd || e.Op == ir.OpOr {
		return
	}
	if t.readLength(e, arm) {
		return
	}
	if ref, op, c := ir.ConstantSide(e); c != nil {
		if refs := t.Refs(ref, arm); len(refs) > 0 {
			for _, n := range refs {
				n.compareWith(op, c)
			}
			return
		}
	}
	if t.readNames(e, arm) {
		return
	}
	for _, list := range t.readLengths(arm, e.X, e.Y) {
		list.Read = true
	}
	t.refsIn(e, arm, func(n *Node) { n.compared = true })
}

// readEverywhere notes every read: of a field that is unset it cannot be done, so
// that the step goes nowhere.
func (t *Tracked) readEverywhere() {
	for e := range ir.Parts(t.machine.Exprs()) {
		if ref, ok := e.(*ir.VarRef); ok {
			t.need(ref.Var)
		}
	}
	for _, timer := range t.machine.Timers {
		if timer.Var != nil {
			t.need(timer.Var)
		}
	}
}

// need notes that a path depends on whether v is set, and on what tells that.
func (t *Tracked) need(v *ir.Var) {
	t.Vars[v].needed = true
	for _, head := range v.Heads() {
		t.Vars[head].needed = true
	}
}

// assigns calls f with every assignment, and the arm in which it stands.
func (t *Tracked) assigns(f func(*ir.Assign, *ir.Arm)) {
	for b, arm := range t.machine.Blocks() {
		for _, a := range b.Assigns {
			f(a, arm)
		}
	}
}

// readEffects joins what copies connect, and notes what effects compute.
func (t *Tracked) readEffects() {
	t.assigns(func(a *ir.Assign, arm *ir.Arm) {
		n := t.Vars[a.Var]
		if a.Value == nil {
			return
		}
		if c := ir.Value(a.Value); c != nil {
			n.cuts = append(n.cuts, c)
			return
		}
		if _, fits := a.Value.(*ir.Fit); fits {
			n.fitted = true
			return
		}
		if sources := t.Refs(GrownFrom(a.Value), arm); len(sources) > 0 || n.Type.Kind == ir.List {
			for _, source := range sources {
				union(n, source)
				if n.Type.Kind != ir.List && Narrows(source, n) {
					source.Read = true // whether the copy fits depends on it
				}
			}
			if n.Type.Kind == ir.List && n.Sum == nil && t.MayLeaveLength(n.Type, a.Value, arm) {
				t.readFitting(a.Value, n.Type.Len, arm)
			}
			return
		}
		n.computed = true
		if _, _, ranged := n.Limits(); ranged && n.Sum == nil && (n.Type.Kind == ir.Int || n.Type.Kind == ir.Duration) {
			n.Read = true
		}
		ir.Walk(a.Value, func(e ir.Expr) bool {
			if t.readLength(e, arm) {
				return false
			}
			if _, isLength := e.(*ir.Len); isLength {
				for _, list := range t.readLengths(arm, e) {
					list.told = true
				}
			}
			for _, source := range t.Refs(e, arm) {
				source.compared = true
			}
			return true
		})
	})
	for _, n := range t.Vars {
		if n.Var.Default != nil {
			n.cuts = append(n.cuts, n.Var.Default)
		}
	}
}

// Narrows reports whether a value of source may lie outside the range of n.
func Narrows(source, n *Node) bool {
	lo, hi, ranged := n.Limits()
	l, h, bounded := source.Limits()
	return ranged && (!bounded || l < lo || h > hi)
}

// readWaits notes as read the durations that say how long a timer or a retry waits,
// unless they are computed.
func (t *Tracked) readWaits() {
	note := func(v *ir.Var) {
		if v != nil && v.Type.Kind == ir.Duration && !t.Vars[v].computed {
			t.Vars[v].Read = true
		}
	}
	for _, timer := range t.machine.Timers {
		note(timer.Var)
	}
	for _, a := range t.machine.Arms {
		if a.Backoff != nil {
			if ref, ok := a.Backoff.By.(*ir.VarRef); ok {
				note(ref.Var)
			}
		}
	}
}
