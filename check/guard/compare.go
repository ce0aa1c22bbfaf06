package guard

import (
	"github.com/fsmc-dev/fsmc/check/wide"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// comparison is the formula of a comparison whose operands are set; nil where it
// is none of the fragment.
func (r *reader) comparison(e *ir.Binary) *node {
	switch e.X.Type().Kind {
	case ir.Int, ir.Duration, ir.Time, ir.Float, ir.EnumKind:
		return r.numbers(e.Op, e.X, e.Y)
	case ir.String:
		return signed(e.Op, r.texts(e.X, e.Y))
	case ir.Bool:
		x, y := r.condition(e.X), r.condition(e.Y)
		return signed(e.Op, same(r.bare(e.X, x), r.bare(e.Y, y)))
	}
	return nil
}

// bare is the boolean operand e, of condition c, without the question whether
// it is set.
func (r *reader) bare(e ir.Expr, c condition) *node {
	if v := r.variable(e); v != nil && ir.Value(e) == nil {
		return factNode(fact{kind: boolean, term: v.term})
	}
	return c.holds
}

// signed is equal for `==` and its negation for `!=`.
func signed(op ir.Op, equal *node) *node {
	switch {
	case equal == nil:
	case op == ir.OpEq:
		return equal
	case op == ir.OpNe:
		return not(equal)
	}
	return nil
}

// texts is x == y of strings.
func (r *reader) texts(x, y ir.Expr) *node {
	a, b := ir.Value(x), ir.Value(y)
	if a != nil {
		x, y, a, b = y, x, b, a
	}
	v, w := r.variable(x), r.variable(y)
	switch {
	case a != nil && b != nil:
		return constant(a.Str == b.Str)
	case v != nil && b != nil:
		return equalText(v, b.Str)
	case v != nil && w != nil:
		return equalTexts(v, w)
	}
	return nil
}

// linear is plus - minus + c, where a nil variable is 0. Constants of time and
// duration are nanoseconds.
type linear struct {
	plus, minus *variable
	c           wide.Int
}

// numbers is `x op y` of numbers or enum values.
func (r *reader) numbers(op ir.Op, x, y ir.Expr) *node {
	a, ok := r.linear(x)
	b, alsoOK := r.linear(y)
	if !ok || !alsoOK {
		return nil
	}
	d, ok := a.add(b.neg())
	if !ok {
		return nil
	}
	return d.compare(op)
}

// linear is the sum e; not ok where that is more than one variable less another
// and a constant.
func (r *reader) linear(e ir.Expr) (linear, bool) {
	if k := ir.Value(e); k != nil {
		return linear{c: wide.Of(ordinalOf(k))}, true
	}
	if e, ok := e.(*ir.Binary); ok {
		a, ok := r.linear(e.X)
		b, alsoOK := r.linear(e.Y)
		switch {
		case !ok || !alsoOK || e.T.Kind == ir.Float:
			return linear{}, false
		case e.Op == ir.OpAdd:
			return a.add(b)
		case e.Op == ir.OpSub:
			return a.add(b.neg())
		}
		return linear{}, false
	}
	v := r.variable(e)
	return linear{plus: v}, v != nil
}

// ordinalOf is the integer by which a constant is compared.
func ordinalOf(k *ir.Const) int64 {
	if k.Kind == ir.Float {
		return ordinal(k.Float)
	}
	return k.Int
}

func (a linear) neg() linear { return linear{plus: a.minus, minus: a.plus, c: a.c.Neg()} }

// add is a + b; not ok where two variables are left on one side.
func (a linear) add(b linear) (linear, bool) {
	plus, minus := [2]*variable{a.plus, b.plus}, [2]*variable{a.minus, b.minus}
	for i := range plus {
		for j := range minus {
			if plus[i] != nil && plus[i].is(minus[j]) {
				plus[i], minus[j] = nil, nil
			}
		}
	}
	p, ok := only(plus)
	m, alsoOK := only(minus)
	return linear{plus: p, minus: m, c: a.c.Add(b.c)}, ok && alsoOK
}

// only is the one of two variables that is not nil.
func only(two [2]*variable) (*variable, bool) {
	if two[0] == nil {
		return two[1], true
	}
	return two[0], two[1] == nil
}

// compare is `a op 0`. It asks plus - minus <= bound, and the like for the other
// side. Times count in microseconds, so that there the bound is rounded down.
func (a linear) compare(op ir.Op) *node {
	up, down := a.c.Neg(), a.c // plus - minus <= up, minus - plus <= down
	atMostUp := func(slack wide.Int) *node { return atMost(a.plus, a.minus, a.scale(up.Add(slack))) }
	atLeast := func(slack wide.Int) *node { return atMost(a.minus, a.plus, a.scale(down.Add(slack))) }
	switch op {
	case ir.OpLe:
		return atMostUp(wide.Int{})
	case ir.OpLt:
		return atMostUp(wide.MinusOne)
	case ir.OpGe:
		return atLeast(wide.Int{})
	case ir.OpGt:
		return atLeast(wide.MinusOne)
	case ir.OpEq:
		return and(atMostUp(wide.Int{}), atLeast(wide.Int{}))
	case ir.OpNe:
		return or(atLeast(wide.MinusOne), atMostUp(wide.MinusOne))
	}
	return nil
}

// scale turns a bound in nanoseconds into the unit of a's variables.
func (a linear) scale(c wide.Int) wide.Int {
	for _, v := range []*variable{a.plus, a.minus} {
		if v != nil && v.kind() == ir.Time {
			return c.Thousandth()
		}
	}
	return c
}
