package resolve

import (
	"cmp"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// node is a state while it is being resolved.
type node struct {
	ir       *ir.State
	parent   *node
	items    []ast.Item
	children *space[*node] // nil where there are none

	// detached is set for the second of two siblings with one name, and for all
	// in it: they are looked through for faults, but are no part of the machine.
	detached bool
	gaps     bool // a bad item stands directly inside, which may have been a state
	last     int  // the ID of the last state inside
}

// buildStates makes the tree of states, parents before children, and finds
// where each composite begins.
func (r *resolver) buildStates() {
	s := &ir.State{Name: r.m.Name, Kind: ir.Composite, Doc: r.m.Doc, Span: r.m.Span, Body: r.m.Body, Decl: r.m.Body}
	r.root = &node{ir: s, items: r.src.Items}
	r.m.Root = s
	r.register(r.root)
	r.buildInside(r.root)
	r.hoist()
	for _, n := range r.nodes {
		r.findInitial(n)
	}
}

// register makes n a state of the machine, unless it is detached.
func (r *resolver) register(n *node) {
	r.nodes = append(r.nodes, n)
	if !n.detached {
		n.ir.ID = len(r.m.States)
		r.m.States = append(r.m.States, n.ir)
	}
}

// buildInside makes the states that stand directly in n, and what is in them.
// It goes as deep as states are nested, which the parser bounds.
func (r *resolver) buildInside(n *node) {
	for _, item := range n.items {
		switch item := item.(type) {
		case *ast.Bad:
			n.gaps = true
			r.m.Incomplete = true
		case *ast.State:
			r.buildState(n, item)
		case *ast.Terminal:
			r.buildTerminal(n, item)
		}
	}
	n.last = len(r.m.States) - 1
}

func (r *resolver) buildState(parent *node, src *ast.State) {
	s := &ir.State{Name: nameless, Doc: src.Doc(), Span: src.Span(), Body: src.Span(), Decl: src.Whole()}
	if present(src.Name) {
		s.Name, s.Span = src.Name.Text, src.Name.Span()
	} else {
		r.m.Incomplete = true
	}
	if holdsStates(src.Items) {
		s.Kind = ir.Composite
	}
	n := &node{ir: s, items: src.Items}
	r.adopt(parent, n, src.Name)
	r.buildInside(n)
}

// nameless stands for the name of a state that has none. Such a state is
// detached: nothing can name it.
const nameless = "?"

// holdsStates reports whether items make the state in which they stand a
// composite one. A terminal does not: it does not belong there.
func holdsStates(items []ast.Item) bool {
	for range ast.Of[*ast.State](items) {
		return true
	}
	return false
}

// buildTerminal makes a terminal. One inside a state is reported, and taken to
// stand at the top level; from the state it can be named as if it were there.
func (r *resolver) buildTerminal(parent *node, src *ast.Terminal) {
	if !present(src.Name) {
		r.m.Incomplete = true
		return
	}
	s := &ir.State{
		Name: src.Name.Text, Kind: ir.Terminal, Outcome: cmp.Or(src.Outcome, "success"),
		Doc: src.Doc(), Span: src.Name.Span(), Body: src.Span(), Decl: src.Whole(), Returns: r.returns(src),
	}
	n := &node{ir: s}
	if src.Block != nil {
		n.items = []ast.Item{&ast.Entry{Node: src.Block.Node, Block: src.Block}}
	}
	if parent == r.root {
		r.adopt(parent, n, src.Name)
		return
	}
	r.report(nestedTerminal, src.Name.Span(), "terminal "+quote(s.Name)+" stands inside state "+quote(parent.ir.Path),
		"Move it to the top level of the machine; states inside can name it from where they are.")
	n.detached = parent.detached
	r.misplaced = append(r.misplaced, misplaced{n, parent, src.Name})
}

// returns resolves what a terminal returns: fields and parameters, each once, of records the leaves. Of one
// that is only misspelt it is what was most likely meant.
func (r *resolver) returns(src *ast.Terminal) []*ir.VarRef {
	var out []*ir.VarRef
	given := map[string]token.Span{}
	for _, name := range src.Returns {
		v, exact, ok := guess(r, r.vars, name)
		switch {
		case !ok:
			continue
		case exact:
			if first, taken := given[name.Text]; taken {
				r.second(name.Span(), "terminal "+quote(src.Name.Text)+" returns "+quote(name.Text)+" twice", "Remove one of the two.", first)
				continue
			}
			given[name.Text] = name.Span()
		}
		for _, leaf := range ir.Leaves(r.read(name.Span(), v, v.Type, v.Index, v.Name)) {
			if ref, ok := leaf.(*ir.VarRef); ok { // what may be absent in a record is returned so
				out = append(out, ref)
			}
		}
	}
	return out
}

// misplaced is a terminal that stands inside a state.
type misplaced struct {
	*node
	in   *node
	name *ast.Name
}

// hoist puts the misplaced terminals at the top level, unless one of that name
// stands there already.
func (r *resolver) hoist() {
	for _, m := range r.misplaced {
		n := r.root.child(m.name.Text)
		if n == nil {
			n = m.node
			r.adopt(r.root, n, m.name)
		}
		m.in.alias(m.name, n)
	}
}

// adopt puts n among the states of parent. Where its name is taken it is
// detached.
func (r *resolver) adopt(parent, n *node, name *ast.Name) {
	s := n.ir
	s.Parent, s.Depth, s.Path = parent.ir, parent.ir.Depth+1, ir.Joined(parent.ir.Path, s.Name)
	if s.Name == "run" || s.Name == "visit" {
		r.forbidden(name, "state", "behind `per` it means something else")
	}
	n.parent = parent
	if parent.children == nil {
		parent.children = newSpace[*node]("state")
	}
	fresh := !n.detached && claim(r, parent.children, name, n)
	n.detached = n.detached || parent.detached || !fresh
	if !n.detached {
		parent.ir.Children = append(parent.ir.Children, s)
	}
	r.register(n)
}

// child is the state called name directly in n, or nil.
func (n *node) child(name string) *node {
	if n.children == nil {
		return nil
	}
	return n.children.names[name]
}

// alias lets n be named as if other stood in it.
func (n *node) alias(name *ast.Name, other *node) {
	if n.children == nil {
		n.children = newSpace[*node]("state")
	}
	if _, taken := n.children.names[name.Text]; !taken {
		n.children.keep(name.Text, other)
	}
}

// findInitial resolves the `initial` of n.
func (r *resolver) findInitial(n *node) {
	var first *ast.Initial
	for initial := range ast.Of[*ast.Initial](n.items) {
		if first != nil {
			r.second(initial.Span(), r.says(n)+" has two `initial`s", "Remove one of the two.", first.Span())
			continue
		}
		first = initial
		r.resolveInitial(n, initial)
	}
	needed := n.ir.Kind == ir.Composite && (n.parent != nil || len(n.ir.Children) > 0)
	if first == nil && needed && !n.gaps && !n.detached {
		d := r.report(missingInitial, n.ir.Span, r.says(n)+" does not say in which of its states it begins",
			"Add `initial "+r.firstInside(n)+"`, or name another state directly inside.")
		d.Fixes = r.initials(n)
	}
}

func (r *resolver) resolveInitial(n *node, src *ast.Initial) {
	if !present(src.Target) {
		r.m.Incomplete = true
		return
	}
	if c := n.child(src.Target.Text); c != nil {
		r.referTo(src.Target, c)
		if c.ir.Parent == n.ir {
			n.ir.Initial = c.ir
		}
		return // else it is a terminal that does not belong there
	}
	var names map[string]*node
	if n.children != nil {
		names = n.children.names
	}
	nearest := near(r, src.Target.Text, names)
	if n.gaps && nearest == "" {
		return
	}
	help := "Name a state directly inside, or add this one."
	if len(names) == 0 {
		help = "Put the state inside, or remove the `initial`."
	}
	r.misspelt(missingInitial, src.Target.Span(), r.says(n)+" has no state "+quote(src.Target.Text)+" to begin in", help, nearest)
}

// firstInside names a state with which n might begin.
func (r *resolver) firstInside(n *node) string {
	for s := range ast.Of[*ast.State](n.items) {
		if s.Name != nil {
			return s.Name.Text
		}
	}
	return "NAME"
}

// says names n at the start of a message.
func (r *resolver) says(n *node) string {
	if n == r.root {
		return "machine " + quote(r.m.Name)
	}
	return "state " + quote(n.ir.Path)
}
