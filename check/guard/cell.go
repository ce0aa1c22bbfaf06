package guard

import (
	"encoding/binary"

	"github.com/fsmc-dev/fsmc/check/wide"
)

// cell is a node of the formula. Equal nodes are one cell, wherever they come
// from, and a cell knows its negation where that is a cell, too: so `when G` and
// `when !(G)` exclude each other at sight, however large G is.
type cell struct {
	op   op
	lit  atom
	kids []int32
	neg  int32 // the cell that is the negation; none until it is wanted
}

const none = int32(-1)

// atom is a literal by numbers.
type atom struct {
	kind literalKind
	neg  bool
	x, y int32 // numbers of a bound, texts of an equality; x is the fact of a truth
	c    wide.Int
}

func (a atom) negate() atom {
	if a.kind == bound {
		return atom{kind: bound, x: a.y, y: a.x, c: a.c.Neg().Add(wide.MinusOne)}
	}
	a.neg = !a.neg
	return a
}

// add numbers n and what is in it.
func (p *problem) add(n *node, seen map[*node]int32) int32 {
	if n.op == opLit {
		return p.single(p.atom(n.lit))
	}
	if i, done := seen[n]; done {
		return i
	}
	kids := make([]int32, len(n.kids))
	for i, k := range n.kids {
		kids[i] = p.add(k, seen)
	}
	i := p.group(n.op, kids)
	seen[n] = i
	return i
}

// single is the cell of a.
func (p *problem) single(a atom) int32 {
	if i, known := p.atomOf[a]; known {
		return i
	}
	i := p.cell(cell{op: opLit, lit: a})
	p.atomOf[a] = i
	if j, known := p.atomOf[a.negate()]; known {
		p.link(i, j)
	}
	return i
}

// group is the cell of op over kids; of a constant, without any.
func (p *problem) group(op op, kids []int32) int32 {
	if i, known := p.groupOf[string(p.groupKey(op, kids))]; known {
		return i
	}
	i := p.cell(cell{op: op, kids: kids})
	p.groupOf[string(p.key)] = i
	denied := make([]int32, len(kids))
	for k, kid := range kids {
		if denied[k] = p.nodes[kid].neg; denied[k] == none {
			return i
		}
	}
	if j, known := p.groupOf[string(p.groupKey(op.dual(), denied))]; known {
		p.link(i, j)
	}
	return i
}

// groupKey is op and kids as a key; it holds until the next call.
func (p *problem) groupKey(op op, kids []int32) []byte {
	p.key = append(p.key[:0], byte(op))
	for _, k := range kids {
		p.key = binary.NativeEndian.AppendUint32(p.key, uint32(k))
	}
	return p.key
}

func (p *problem) cell(c cell) int32 {
	c.neg = none
	p.nodes = append(p.nodes, c)
	return int32(len(p.nodes) - 1)
}

func (p *problem) link(i, j int32) { p.nodes[i].neg, p.nodes[j].neg = j, i }

// negation is the cell that denies i.
func (p *problem) negation(i int32) int32 {
	c := p.nodes[i]
	if c.neg != none {
		return c.neg
	}
	if c.op == opLit {
		return p.single(c.lit.negate())
	}
	kids := make([]int32, len(c.kids))
	for k, kid := range c.kids {
		kids[k] = p.negation(kid)
	}
	return p.group(c.op.dual(), kids)
}
