package guard

import "github.com/fsmc-dev/fsmc/check/wide"

// literal is an atom or its negation.
type literal struct {
	kind literalKind
	neg  bool // of equality and truth; the negation of a bound is a bound

	// bound: x - y <= c, where a nil variable is 0.
	// equality: x == y, or where y is nil x == text.
	x, y *variable
	c    wide.Int
	text string

	// truth: what is asked.
	fact fact
	call *call // of a verdict
}

type literalKind uint8

const (
	bound literalKind = iota
	equality
	truth
)

// fact names something that is true or false.
type fact struct {
	kind factKind
	term term   // of isSet and boolean
	text string // of verdict and opaque: the expression as written
}

type factKind uint8

const (
	isSet factKind = iota
	boolean
	verdict
	opaque // what the guard says there is not understood
)

func (l *literal) negate() *literal {
	out := *l
	if l.kind == bound {
		out.x, out.y, out.c = l.y, l.x, l.c.Neg().Add(wide.MinusOne) // not x-y <= c is y-x <= -c-1
	} else {
		out.neg = !l.neg
	}
	return &out
}

// atMost is x - y <= c.
func atMost(x, y *variable, c wide.Int) *node {
	if x.is(y) {
		return constant(c.Sign() >= 0)
	}
	return &node{op: opLit, lit: &literal{kind: bound, x: x, y: y, c: c}}
}

// equalTexts is x == y.
func equalTexts(x, y *variable) *node {
	if x.is(y) {
		return always
	}
	return &node{op: opLit, lit: &literal{kind: equality, x: x, y: y}}
}

// equalText is x == text.
func equalText(x *variable, text string) *node {
	return &node{op: opLit, lit: &literal{kind: equality, x: x, text: text}}
}

func factNode(f fact) *node { return &node{op: opLit, lit: &literal{kind: truth, fact: f}} }
