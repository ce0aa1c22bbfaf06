// Package data says which data of a machine a configuration holds, and how its values
// are told apart. It looks at the text alone.
//
// In the order in which to read them: domain.go (the four ways to tell values apart),
// tracked.go (which data that is done for), reads.go and lengths.go (what the text
// reads, and by which constants), fans.go and elements.go (how many elements a list has, and which one it is), waits.go (how long data lets timers wait), ranges.go
// (what certainly fits), flow.go (between what numbers lie in a leaf), compared.go and named.go (which values stand for others), compare.go (what can be said of a code), slot.go (where a
// configuration holds it), facts.go (a code as a formula of package guard),
// dimensions.go (how many configurations there may be of it).
package data

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Tracked says which data a configuration holds, and how. Held is what a guard
// or a `require` reads, directly or through other data that is held, and every
// ranged field that an effect computes. Which values are told apart follows from
// how they are compared and copied; see Domain.
type Tracked struct {
	machine  *ir.Machine
	Vars     map[*ir.Var]*Node
	fields   map[*ir.EventField]*Node
	failure  [4]*Node // the fields of a failure, by index
	parts    map[part]*Node
	elements map[*ir.Handler][]*ir.Do // the fan-outs of whose elements it takes inputs
	Nodes    []*Node
	Chosen   []*Node // fields of events, and parts of elements
	Loose    bool    // counters are not held: every bound is both open and used up
	Retries  bool    // but those of retries are held all the same
	FewOpen  bool    // of no fan-out more open elements are told apart than where no number matters
	Stays    bool    // some steps of each arm that stays have an edge, though nothing changes
	OneByOne bool    // an event may bring flags one by one; see step.plain
	Wide     bool    // it may tell more values apart than New
	Recalls  bool    // verdicts on comparisons of data that is not held are; see step.Recalled

	flow *flow // nil until it is asked

	Checked map[*ir.Block][]*ir.Assign // what is published, or an item of a list, and may be out of range
}

// IsLoose reports whether the bound of a is both open and used up.
func (t *Tracked) IsLoose(a *ir.Arm) bool { return t.Loose && !(t.Retries && a.Kind == ir.Retry) }

// New reads all of m.
func New(m *ir.Machine) *Tracked { return NewWithout(m, nil, MostValues) }

// NewWithout is New where it need not be known whether the sums given stay in their ranges,
// and up to span values are told apart where one of them is chosen.
func NewWithout(m *ir.Machine, sums []*Sum, span int) *Tracked {
	t := &Tracked{machine: m, Wide: span > MostValues, Vars: map[*ir.Var]*Node{}, fields: map[*ir.EventField]*Node{}, parts: map[part]*Node{}, elements: map[*ir.Handler][]*ir.Do{}}
	for _, list := range [][]*ir.Var{m.Inputs(), m.Fields} {
		for _, v := range list {
			t.Vars[v] = t.add(&Node{Var: v, Type: v.Type})
		}
	}
	for _, e := range m.Events {
		sent := map[string]*Node{}
		for _, f := range e.Fields {
			n := t.addChosen(&Node{Event: e, Field: f, Type: f.Type})
			for _, name := range f.Within { // a record comes as a whole
				if sent[name] == nil {
					sent[name] = t.addChosen(&Node{Event: e, Field: f, Type: &ir.Type{Kind: ir.Bool}, Of: n, Name: name, Sent: n.Sent})
				}
				n.Sent = sent[name]
			}
			t.fields[f] = n
		}
	}
	for _, s := range sums {
		t.Vars[s.Var].Sum = s
	}
	for i, f := range ir.FailureFields {
		t.failure[i] = t.addChosen(&Node{Field: f, Type: f.Type})
	}
	t.addElements()
	t.readGuards()
	t.readEffects()
	t.readChecked()
	t.readEverywhere()
	t.readWaits()
	t.readFans()
	t.spread()
	t.group()
	t.onlyCompared()
	t.giveUp(int64(span))
	return t
}

func (t *Tracked) add(n *Node) *Node {
	n.parent = n
	t.Nodes = append(t.Nodes, n)
	return n
}

func (t *Tracked) addChosen(n *Node) *Node {
	n.Index = len(t.Chosen)
	t.Chosen = append(t.Chosen, n)
	return t.add(n)
}

// Wider reports whether more values are told apart than t does, which is made without the sums
// given, where up to span are.
func (t *Tracked) Wider(sums []*Sum, span int) bool {
	n := t.free()
	return n > 0 && NewWithout(t.machine, sums, span).free() < n
}

// free is of how much data not all values are told apart that may be.
func (t *Tracked) free() (n int) {
	for _, node := range t.Nodes {
		if node.Domain.Sort == Free || node.long {
			n++
		}
	}
	return n
}

// Refs are the nodes that e stands for: one for a variable, one for each
// trigger of the arm's handler for a field of the event, none for anything else.
func (t *Tracked) Refs(e ir.Expr, arm *ir.Arm) []*Node {
	switch e := e.(type) {
	case *ir.VarRef:
		if e.Var.Always() == nil {
			return []*Node{t.Vars[e.Var]}
		}
	case *ir.FieldRef:
		var out []*Node
		if arm == nil || arm.Handler == nil {
			return nil
		}
		for _, trigger := range arm.Handler.Triggers {
			f := trigger.Field(e.Name)
			switch {
			case f == nil:
			case t.ofElement(trigger, f):
				for _, n := range t.partsOf(e, arm) {
					if !slices.Contains(out, n) {
						out = append(out, n)
					}
				}
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

// Reads reports whether a path depends on f, directly or by way of other data.
func (t *Tracked) Reads(f *ir.EventField) bool { return t.fields[f].Read }

// spread marks as read whatever flows into data that is read.
func (t *Tracked) spread() {
	for changed := true; changed; {
		changed = false
		t.assigns(func(a *ir.Assign, arm *ir.Arm) {
			if !t.Vars[a.Var].Read {
				return
			}
			ir.Walk(GrownFrom(a.Value), func(e ir.Expr) bool {
				if l, ok := e.(*ir.Len); ok && l.X.Type().Kind == ir.List {
					return slices.ContainsFunc(t.Refs(GrownFrom(l.X), arm), func(n *Node) bool { return n.told }) // else it is a choice
				}
				if _, fits := e.(*ir.Fit); fits {
					return false // it is a choice, too
				}
				for _, source := range t.Refs(e, arm) {
					changed = changed || !source.Read
					source.Read = true
				}
				return true
			})
		})
	}
}

// group gives every node its domain.
func (t *Tracked) group() {
	groups := map[*Node][]*Node{}
	for _, n := range t.Nodes {
		groups[n.find()] = append(groups[n.find()], n)
	}
	for _, n := range t.Nodes {
		if n.find() == n {
			newDomain(groups[n])
		}
	}
}

// giveUp makes free what has too many values for a choice, and is chosen or given a value that
// nobody knows.
func (t *Tracked) giveUp(span int64) {
	for _, n := range t.Nodes {
		if n.find() == n && n.Domain.manyChoices(span) {
			n.Domain.Sort = Free
		}
	}
	for changed := true; changed; {
		changed = false
		t.assigns(func(a *ir.Assign, arm *ir.Arm) {
			n := t.Vars[a.Var]
			if !n.Read || n.Domain.Sort != ByValue || n.Few() || a.Value == nil || t.Known(a.Value, arm) {
				return
			}
			if lo, hi, _ := n.Limits(); width(lo, hi) >= uint64(span) {
				n.Domain.Sort = Free
				changed = true
			}
		})
	}
}

// Known reports whether the value of e can be computed from what is held.
func (t *Tracked) Known(e ir.Expr, arm *ir.Arm) bool { return t.known(e, arm, false) }

// Computed is Known of the right side of an assignment, where parts of an element may be any
// value of their types.
func (t *Tracked) Computed(e ir.Expr, arm *ir.Arm) bool { return t.known(e, arm, true) }

func (t *Tracked) known(e ir.Expr, arm *ir.Arm, parts bool) bool {
	if ir.Value(e) != nil {
		return true
	}
	switch e := e.(type) {
	case *ir.VarRef, *ir.FieldRef:
		refs := t.Refs(e, arm)
		if ref, ok := e.(*ir.FieldRef); ok && parts && len(refs) == 0 {
			_, _, few := t.PartSpan(ref, arm)
			return few
		}
		return len(refs) > 0 && !slices.ContainsFunc(refs, func(n *Node) bool { return !n.Domain.exact() || n.Var != nil && !n.Read })
	case *ir.Len:
		return e.X.Type().Kind == ir.List && t.Tells(e.X, spanOf(e.X).hi, arm)
	case *ir.Unary:
		return t.known(e.X, arm, parts)
	case *ir.Binary:
		switch {
		case e.T.Kind == ir.List:
			return t.known(e.X, arm, parts)
		case e.Op == ir.OpAdd, e.Op == ir.OpSub, e.Op == ir.OpMul:
			return t.known(e.X, arm, parts) && t.known(e.Y, arm, parts)
		}
		return e.T.Kind == ir.Bool // decided, or a choice of two
	case *ir.Call:
		return e.Guard != nil || t.known(e.Args[0], arm, parts) && t.known(e.Args[1], arm, parts)
	case *ir.IsSet:
		return true
	}
	return false
}

// Held are the variables that a configuration holds.
func (t *Tracked) Held() []*Node {
	var out []*Node
	for _, n := range t.Nodes {
		if n.IsHeld() {
			out = append(out, n)
		}
	}
	return out
}

// IsHeld reports whether a configuration holds n, or whether it is set.
func (n *Node) IsHeld() bool {
	return n.Var != nil && (n.Valued() || n.MayBeUnset() && (n.Read || n.needed))
}

// Valued reports whether the value of n is held, or chosen where it comes; else
// at most whether it is set is held.
func (n *Node) Valued() bool { return n.Read && n.Domain.Sort != Free }

// MayBeUnset reports whether n is a variable that may be unset.
func (n *Node) MayBeUnset() bool { return n.Var != nil && n.Var.MayBeUnset() }
