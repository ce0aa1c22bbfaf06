package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// tracked says which data a configuration holds, and how. Held is what a guard
// or a `require` reads, directly or through other data that is held, and every
// ranged field that an effect computes. Which values are told apart follows from
// how they are compared and copied; see domain.
type tracked struct {
	m       *ir.Machine
	vars    map[*ir.Var]*node
	fields  map[*ir.EventField]*node
	failure [4]*node // the fields of a failure, by index
	nodes   []*node
	chosen  []*node // fields of events
	loose   bool    // counters are not held: every bound is both open and used up

	published map[*ir.Publish][]*ir.Assign // what may be out of the range of its field
}

func newTracked(m *ir.Machine) *tracked {
	t := &tracked{m: m, vars: map[*ir.Var]*node{}, fields: map[*ir.EventField]*node{}}
	for _, list := range [][]*ir.Var{m.Params, m.Fields} {
		for _, v := range list {
			t.vars[v] = t.add(&node{v: v, typ: v.Type})
		}
	}
	for _, e := range m.Events {
		for _, f := range e.Fields {
			t.fields[f] = t.addChosen(&node{event: e, field: f, typ: f.Type})
		}
	}
	for i, f := range ir.FailureFields {
		t.failure[i] = t.addChosen(&node{field: f, typ: f.Type})
	}
	t.readGuards()
	t.readEffects()
	t.readPublished()
	t.readEverywhere()
	t.readWaits()
	t.spread()
	t.group()
	t.giveUp()
	return t
}

func (t *tracked) add(n *node) *node {
	n.parent = n
	t.nodes = append(t.nodes, n)
	return n
}

func (t *tracked) addChosen(n *node) *node {
	n.index = len(t.chosen)
	t.chosen = append(t.chosen, n)
	return t.add(n)
}

// refs are the nodes that e stands for: one for a variable, one for each
// trigger of the arm's handler for a field of the event, none for anything else.
func (t *tracked) refs(e ir.Expr, arm *ir.Arm) []*node {
	switch e := e.(type) {
	case *ir.VarRef:
		if e.Var.Always() == nil {
			return []*node{t.vars[e.Var]}
		}
	case *ir.FieldRef:
		var out []*node
		if arm == nil || arm.Handler == nil {
			return nil
		}
		for _, trigger := range arm.Handler.Triggers {
			f := trigger.Field(e.Name)
			switch {
			case f == nil:
			case trigger.Kind == ir.OnFailed:
				out = append(out, t.failure[f.Index])
			default:
				out = append(out, t.fields[f])
			}
		}
		return out
	}
	return nil
}

// readGuards notes what guards compare, and with what.
func (t *tracked) readGuards() {
	for _, a := range t.m.Arms {
		t.readTest(a.When, a)
	}
	for _, s := range t.m.States {
		if s.Require != nil {
			t.readTest(s.Require.Cond, nil)
		}
	}
}

func (t *tracked) readTest(e ir.Expr, arm *ir.Arm) {
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.IsSet:
			t.vars[e.Var].needed = true
		case *ir.VarRef, *ir.FieldRef:
			for _, n := range t.refs(e, arm) {
				n.read = true
			}
		case *ir.Call:
			return e.Guard == nil // what a host guard is told decides nothing here
		case *ir.Len:
			return false
		case *ir.Binary:
			t.readComparison(e, arm)
		}
		return true
	})
}

// readComparison notes a constant with which something alone is compared; all
// other comparisons need values.
func (t *tracked) readComparison(e *ir.Binary, arm *ir.Arm) {
	if e.Op == ir.OpAnd || e.Op == ir.OpOr {
		return
	}
	if t.readLength(e, arm) {
		return
	}
	if ref, _, c := ir.ConstantSide(e); c != nil {
		if refs := t.refs(ref, arm); len(refs) > 0 {
			for _, n := range refs {
				n.cuts = append(n.cuts, c)
			}
			return
		}
	}
	for _, side := range []ir.Expr{e.X, e.Y} {
		ir.Walk(side, func(e ir.Expr) bool {
			for _, n := range t.refs(e, arm) {
				n.compared = true
			}
			return true
		})
	}
}

// readEverywhere notes every read: of a field that is unset it cannot be done, so
// that the step goes nowhere.
func (t *tracked) readEverywhere() {
	note := func(v *ir.Var) { t.vars[v].needed = true }
	for whole := range t.m.Exprs() {
		ir.Walk(whole, func(e ir.Expr) bool {
			if ref, ok := e.(*ir.VarRef); ok {
				note(ref.Var)
			}
			return true
		})
	}
	for _, timer := range t.m.Timers {
		if timer.Var != nil {
			note(timer.Var)
		}
	}
}

// assigns calls f with every assignment, and the arm in which it stands.
func (t *tracked) assigns(f func(*ir.Assign, *ir.Arm)) {
	for b, arm := range t.m.Blocks() {
		for _, a := range b.Assigns {
			f(a, arm)
		}
	}
}

// readEffects joins what copies connect, and notes what effects compute.
func (t *tracked) readEffects() {
	t.assigns(func(a *ir.Assign, arm *ir.Arm) {
		n := t.vars[a.Var]
		if a.Value == nil {
			return
		}
		if c := ir.Value(a.Value); c != nil {
			n.cuts = append(n.cuts, c)
			return
		}
		if sources := t.refs(grownFrom(a.Value), arm); len(sources) > 0 || n.typ.Kind == ir.List {
			for _, source := range sources {
				union(n, source)
				if narrows(source, n) {
					source.read = true // whether the copy fits depends on it
				}
			}
			return
		}
		n.computed = true
		if _, _, ranged := n.limits(); ranged && (n.typ.Kind == ir.Int || n.typ.Kind == ir.Duration) {
			n.read = true
		}
		ir.Walk(a.Value, func(e ir.Expr) bool {
			if t.readLength(e, arm) {
				return false
			}
			for _, source := range t.refs(e, arm) {
				source.compared = true
			}
			return true
		})
	})
	for _, n := range t.vars {
		if n.v.Default != nil {
			n.cuts = append(n.cuts, n.v.Default)
		}
	}
}

// narrows reports whether a value of source may lie outside the range of n.
func narrows(source, n *node) bool {
	lo, hi, ranged := n.limits()
	l, h, bounded := source.limits()
	return ranged && (!bounded || l < lo || h > hi)
}

// spread marks as read whatever flows into data that is read.
func (t *tracked) spread() {
	for changed := true; changed; {
		changed = false
		t.assigns(func(a *ir.Assign, arm *ir.Arm) {
			if !t.vars[a.Var].read {
				return
			}
			ir.Walk(grownFrom(a.Value), func(e ir.Expr) bool {
				if l, ok := e.(*ir.Len); ok && l.X.Type().Kind == ir.List {
					return false // it is a choice
				}
				for _, source := range t.refs(e, arm) {
					changed = changed || !source.read
					source.read = true
				}
				return true
			})
		})
	}
}

// group gives every node its domain.
func (t *tracked) group() {
	groups := map[*node][]*node{}
	for _, n := range t.nodes {
		groups[n.find()] = append(groups[n.find()], n)
	}
	for _, n := range t.nodes {
		if n.find() == n {
			newDomain(groups[n])
		}
	}
}

// giveUp makes free what is given a value that nobody knows and has too many
// values for a choice.
func (t *tracked) giveUp() {
	for changed := true; changed; {
		changed = false
		t.assigns(func(a *ir.Assign, arm *ir.Arm) {
			n := t.vars[a.Var]
			if !n.read || n.dom.sort != byValue || a.Value == nil || t.known(a.Value, arm) {
				return
			}
			if lo, hi, _ := n.limits(); hi-lo >= maxSpan {
				n.dom.sort = free
				changed = true
			}
		})
	}
}

// known reports whether the value of e can be computed from what is held.
func (t *tracked) known(e ir.Expr, arm *ir.Arm) bool {
	if ir.Value(e) != nil {
		return true
	}
	switch e := e.(type) {
	case *ir.VarRef, *ir.FieldRef:
		refs := t.refs(e, arm)
		return len(refs) > 0 && !slices.ContainsFunc(refs, func(n *node) bool { return !n.dom.exact() || n.v != nil && !n.read })
	case *ir.Unary:
		return t.known(e.X, arm)
	case *ir.Binary:
		switch {
		case e.T.Kind == ir.List:
			return t.known(e.X, arm)
		case e.Op == ir.OpAdd, e.Op == ir.OpSub, e.Op == ir.OpMul:
			return t.known(e.X, arm) && t.known(e.Y, arm)
		}
		return e.T.Kind == ir.Bool // decided, or a choice of two
	case *ir.Call:
		return e.Guard != nil || t.known(e.Args[0], arm) && t.known(e.Args[1], arm)
	case *ir.IsSet:
		return true
	}
	return false
}

// held are the variables that a configuration holds.
func (t *tracked) held() []*node {
	var out []*node
	for _, n := range t.nodes {
		if n.v != nil && (n.valued() || n.mayBeUnset() && (n.read || n.needed)) {
			out = append(out, n)
		}
	}
	return out
}

// valued reports whether the value of n is held, or chosen where it comes; else
// at most whether it is set is held.
func (n *node) valued() bool { return n.read && n.dom.sort != free }

// mayBeUnset reports whether n is a field that starts unset.
func (n *node) mayBeUnset() bool { return n.v != nil && !n.v.Param && n.v.Default == nil }
