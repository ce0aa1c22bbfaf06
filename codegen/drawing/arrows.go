package drawing

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// armsOf are the arms that stand in s, handlers first.
func armsOf(s *ir.State) []*ir.Arm {
	var out []*ir.Arm
	for _, h := range s.Handlers {
		out = append(out, h.Arms...)
	}
	for _, t := range s.Timers {
		if !t.Budget { // whose arms are those of handlers
			out = append(out, t.Arms...)
		}
	}
	return out
}

// arm draws a if it is an arrow; the others are rows of their state. A retry
// declared for a whole composite is a row as well, as it leads nowhere.
func (p *planner) arm(a *ir.Arm) {
	n := p.nodes[a.State]
	switch {
	case a.Kind == ir.Retry && a.State.Kind != ir.Composite && n.Kind == Composite:
		n.Rows = append(n.Rows, Row{Text: labelOf(a).text()}) // a frame has no arrow to itself
	case a.Kind == ir.Retry && a.State.Kind != ir.Composite:
		p.edge(n, n, labelOf(a))
	case a.Kind == ir.Goto && a.Target != nil:
		key := p.pairOf(a)
		e := p.edge(key.from, key.to, labelOf(a))
		e.Doc = joinDocs(e.Doc, a)
	}
}

// pairOf is between which nodes the arrow of a leads, which moves.
func (p *planner) pairOf(a *ir.Arm) pair {
	n := p.nodes[a.State]
	from := n
	if any := n.child(Any); any != nil {
		from = any
	}
	return pair{from: from, to: p.head(n, a.Target)}
}

// name notes on the arrows of m which arms lead along them.
func (p *planner) name(m *ir.Machine) {
	for i, name := range ir.ArmNames(m, new(ir.StableNames)) {
		a := m.Arms[i]
		e, _ := p.ofArm(a)
		if n := p.nodes[a.State]; a.Kind == ir.Retry {
			e = p.edges[pair{n, n, true}]
		}
		if e != nil {
			e.Arms = append(e.Arms, name)
		}
	}
}

// head is where an arrow from n to target ends: at the target, or where the
// arrow would start inside the frame in which it ends, at the leaf entered.
func (p *planner) head(n *Node, target *ir.State) *Node {
	to := p.nodes[target]
	if to.Kind == Composite && n.Inside(to) && target.Leaf() != nil {
		return p.nodes[target.Leaf()]
	}
	return to
}

// edge adds a label to the arrow between from and to.
func (p *planner) edge(from, to *Node, l Label) *Edge {
	key := pair{from, to, l.Kind == Retry}
	e := p.edges[key]
	if e == nil {
		e = &Edge{From: from, To: to, Kind: l.Kind}
		p.edges[key] = e
		p.order = append(p.order, e)
	}
	e.Kind = min(e.Kind, l.Kind)
	if l.Kind != Initial {
		e.Labels = append(e.Labels, l)
	}
	return e
}

func labelOf(a *ir.Arm) Label {
	l := Label{Kind: kindOf(a), Trigger: triggerOf(a), Else: elseText(a), Bound: boundOf(a), Effects: effectsOf(a.Block)}
	if a.When != nil {
		l.Guard = ir.ExprText(a.When)
	}
	return l
}

// kindOf gives the kind of a by what it waits for, and by how its target ends.
func kindOf(a *ir.Arm) EdgeKind {
	switch {
	case a.Kind == ir.Retry:
		return Retry
	case a.Timer != nil:
		return Timer
	case waitsFor(a, ir.OnFailed):
		return Failure
	case waitsFor(a, ir.OnCancel):
		return Cancel
	case a.Target != nil && a.Target.Outcome == "failure":
		return Failure
	case a.Target != nil && a.Target.Outcome == "cancelled":
		return Cancel
	case a.Index > 0:
		return Else
	}
	return Normal
}

// waitsFor reports whether every trigger of a is of the kind.
func waitsFor(a *ir.Arm, kind ir.TriggerKind) bool {
	if a.Handler == nil {
		return false
	}
	return len(a.Handler.Triggers) > 0 && !slices.ContainsFunc(a.Handler.Triggers, func(t *ir.Trigger) bool { return t.Kind != kind })
}

// joinDocs adds to doc the documentation of the events that trigger a, each
// once.
func joinDocs(doc string, a *ir.Arm) string {
	if a.Handler == nil {
		return doc
	}
	for _, t := range a.Handler.Triggers {
		if t.Event == nil || t.Event.Doc == "" {
			continue
		}
		line := t.Event.Name + ": " + t.Event.Doc
		if !strings.Contains(doc, line) {
			doc = strings.TrimPrefix(doc+"\n"+line, "\n")
		}
	}
	return doc
}
