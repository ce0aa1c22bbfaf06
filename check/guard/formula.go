package guard

import "slices"

// Formula is a boolean combination of atoms over the data of a run, the fields
// of an input and the verdicts of host guards. The zero Formula is true.
// Formulas do not change, and may be used from several goroutines at once.
type Formula struct{ n *node }

// node is a formula in negation normal form. Nodes are shared: a formula is a
// directed graph, whose size is linear in the guard it comes from.
type node struct {
	op   op
	lit  *literal // of opLit
	kids []*node  // of opAnd and opOr: two or more
}

type op uint8

const (
	opTrue op = iota
	opFalse
	opLit
	opAnd
	opOr
)

// dual is the operator of the negation.
func (o op) dual() op {
	return [...]op{opTrue: opFalse, opFalse: opTrue, opLit: opLit, opAnd: opOr, opOr: opAnd}[o]
}

var always, never = &node{op: opTrue}, &node{op: opFalse}

func constant(b bool) *node {
	if b {
		return always
	}
	return never
}

func (f Formula) node() *node {
	if f.n == nil {
		return always
	}
	return f.n
}

// And holds where all of list hold; of none, always.
func And(list ...Formula) Formula { return Formula{and(nodes(list)...)} }

// Or holds where one of list holds; of none, never.
func Or(list ...Formula) Formula { return Formula{or(nodes(list)...)} }

// Not holds where f does not.
func Not(f Formula) Formula { return Formula{not(f.node())} }

func nodes(list []Formula) []*node {
	out := make([]*node, len(list))
	for i, f := range list {
		out[i] = f.node()
	}
	return out
}

func and(list ...*node) *node { return join(opAnd, always, never, list) }

func or(list ...*node) *node { return join(opOr, never, always, list) }

// join makes one node of list, in which neutral counts for nothing and one
// dominant decides.
func join(how op, neutral, dominant *node, list []*node) *node {
	var kids []*node
	for _, n := range list {
		switch {
		case n == dominant:
			return dominant
		case n == neutral:
		case n.op == how:
			kids = append(kids, n.kids...)
		default:
			kids = append(kids, n)
		}
	}
	switch len(kids) {
	case 0:
		return neutral
	case 1:
		return kids[0]
	}
	return &node{op: how, kids: kids}
}

// not is the negation of n, pushed down to the atoms. It is linear in the graph:
// what is shared in n is shared in the result.
func not(n *node) *node { return (negation{}).of(n) }

// negation remembers the negations of the nodes seen.
type negation map[*node]*node

func (m negation) of(n *node) *node {
	switch n.op {
	case opTrue:
		return never
	case opFalse:
		return always
	case opLit:
		return &node{op: opLit, lit: n.lit.negate()}
	}
	if done := m[n]; done != nil {
		return done
	}
	out := &node{op: n.op.dual(), kids: slices.Clone(n.kids)}
	for i, k := range out.kids {
		out.kids[i] = m.of(k)
	}
	m[n] = out
	return out
}

// same holds where a and b are both true or both false.
func same(a, b *node) *node {
	switch {
	case a == b:
		return always
	case a.op == opTrue:
		return b
	case b.op == opTrue:
		return a
	}
	return or(and(a, b), and(not(a), not(b)))
}
