package drawing

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Plan decides what a diagram of m shows. A nil highlight marks nothing. Of a
// broken machine it shows what was understood.
func Plan(m *ir.Machine, h *Highlight) *Drawing { return plan(m, h, nil) }

// plan is Plan, or where left is not nil Expand: so many states may be drawn besides.
func plan(m *ir.Machine, h *Highlight, left *int) *Drawing {
	p := &planner{left: left, nodes: make(map[*ir.State]*Node, len(m.States)), edges: map[pair]*Edge{}}
	d := &Drawing{Title: title(m), Name: m.Name, Doc: m.Doc, States: len(m.States) - 1}
	d.Root = p.node(m.Root, nil)
	for _, s := range m.States {
		p.state(s)
	}
	p.name(m)
	d.Edges = append(p.order, p.inner...)
	d.markBack()
	h.mark(m, p)
	return d
}

// planner holds a drawing in the making.
type planner struct {
	nodes map[*ir.State]*Node
	edges map[pair]*Edge // those of one pair are merged
	order []*Edge
	inner []*Edge // of machines that are drawn inside
	left  *int    // see plan
}

// pair is what two arrows must share to become one.
type pair struct {
	from, to *Node
	retry    bool
}

func title(m *ir.Machine) string {
	if len(m.Params) == 0 {
		return m.Name
	}
	declared := ir.Declared(m.Params)
	params := make([]string, len(declared))
	for i, v := range declared {
		params[i] = v.Declared() + " " + v.DeclaredType().String()
		if v.Optional {
			params[i] += "?"
		}
	}
	return m.Name + "(" + strings.Join(params, ", ") + ")"
}

// node makes the nodes of s and of everything in it.
func (p *planner) node(s *ir.State, parent *Node) *Node {
	n := &Node{ID: s.Path, Title: s.Name, Doc: s.Doc, Outcome: s.Outcome, Parent: parent}
	p.nodes[s] = n
	switch {
	case s.Kind == ir.Composite:
		n.Kind = Composite
	case s.Kind == ir.Terminal:
		n.Kind = Terminal
	case s.IsChoice():
		n.Kind = Choice
	}
	p.expand(s, n)
	if s.Initial != nil {
		n.add(Start, "(start)", "")
	}
	if needsAny(s) {
		n.add(Any, "(any)", "any state")
	}
	for _, c := range s.Children {
		n.Children = append(n.Children, p.node(c, n))
	}
	return n
}

// add puts a node that is no state into n.
func (n *Node) add(kind NodeKind, name, title string) {
	n.Children = append(n.Children, &Node{ID: ir.Joined(n.ID, name), Kind: kind, Title: title, Parent: n})
}

// child is the node of the given kind that stands directly in n, or nil.
func (n *Node) child(kind NodeKind) *Node {
	for _, c := range n.Children {
		if c.Kind == kind {
			return c
		}
	}
	return nil
}

// needsAny reports whether arrows must lead from a node that stands for any
// state in the composite s: a frame cannot be left by an arrow that stays
// inside it, and the machine itself has no frame.
func needsAny(s *ir.State) bool {
	if s.Kind != ir.Composite {
		return false
	}
	if s.Parent == nil && len(rowsOf(s)) > 0 {
		return true
	}
	for _, a := range armsOf(s) {
		if a.Kind == ir.Goto && a.Target != nil && a.Target.Inside(s) {
			return true
		}
	}
	return false
}

// start draws the arrow to the initial state of the composite s.
func (p *planner) start(s *ir.State) {
	if s.Initial == nil {
		return
	}
	n := p.nodes[s]
	p.edge(n.child(Start), p.nodes[s.Initial], Label{Kind: Initial})
}

// state fills in the rows of s and draws the arrows that lead out of it.
func (p *planner) state(s *ir.State) {
	n := p.nodes[s]
	rows := rowsOf(s)
	if s.Parent == nil {
		if a := n.child(Any); a != nil {
			a.Rows = rows
		}
	} else {
		n.Rows = rows
	}
	p.start(s)
	for _, a := range armsOf(s) {
		p.arm(a)
	}
	if r := s.Require; r != nil && r.Target != nil {
		p.edge(n, p.head(n, r.Target), Label{Kind: Else, Trigger: "unless", Guard: ir.ExprText(r.Cond)})
	}
}
