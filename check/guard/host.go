package guard

import (
	"github.com/fsmc-dev/fsmc/check/wide"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// call is a host guard that is asked about arguments.
type call struct {
	guard *ir.Guard
	text  string // as written
	args  []argument
	reads []*variable // in the arguments
}

// argument is what a host guard is handed, as far as it matters whether two are
// equal.
type argument struct {
	kind     ir.Kind
	number   linear    // of int, duration, time, float and enums: one variable or a constant
	variable *variable // of a string, a list or json; nil for a constant
	text     string    // of a constant string
	length   *variable // of a list; nil for the empty one
	holds    *node     // of a boolean
}

// hostGuard is the condition of a call: its arguments can be computed and fit
// the guard's parameters, and the host says yes.
func (r *reader) hostGuard(e *ir.Call) condition {
	asked := always
	c := &call{guard: e.Guard, text: ir.ExprText(e)}
	for i, arg := range e.Args {
		asked = and(asked, r.computed(arg))
		a := r.argument(arg)
		c.args = append(c.args, a)
		if i < len(e.Guard.Params) {
			asked = and(asked, a.fits(e.Guard.Params[i].Type))
		}
	}
	for part := range ir.PartsOf(e) {
		if v := r.variable(part); v != nil && ir.Value(part) == nil {
			c.reads = append(c.reads, v)
		}
	}
	verdict := &node{op: opLit, lit: &literal{kind: truth, fact: fact{kind: verdict, text: c.text}, call: c}}
	return reading(asked, verdict)
}

// computed holds where the argument e can be computed.
func (r *reader) computed(e ir.Expr) *node {
	if e.Type().Kind != ir.Bool {
		return r.allSet(e)
	}
	c := r.condition(e)
	if c.total {
		return always
	}
	return or(c.holds, c.fails)
}

func (r *reader) argument(e ir.Expr) argument {
	a := argument{kind: e.Type().Kind}
	switch a.kind {
	case ir.Bool:
		a.holds = r.bare(e, r.condition(e))
	case ir.String:
		if k := ir.Value(e); k != nil {
			a.text = k.Str
		} else {
			a.variable = r.variable(e)
		}
	case ir.List:
		if a.variable = r.variable(e); a.variable != nil && ir.Value(e) != nil {
			a.variable = nil
		} else if a.variable != nil {
			whole := a.variable
			a.length = newVariable(term{Var: whole.term.Var, Event: whole.term.Event, Len: true}, whole.typ)
		}
	case ir.JSON:
		a.variable = r.variable(e)
	default:
		a.number, _ = r.linear(e) // an operand: see the fragment
	}
	return a
}

// fits holds where a lies in the range of t, or is as long as t says.
func (a argument) fits(t *ir.Type) *node {
	switch {
	case t.Range != nil:
		return within(a.number, t.Range)
	case t.Len != nil:
		return within(linear{plus: a.length}, t.Len)
	}
	return always
}

func within(x linear, r *ir.Range) *node {
	return and(atMost(x.plus, nil, wide.Of(r.Hi).Add(x.c.Neg())), atMost(nil, x.plus, x.c.Add(wide.Of(r.Lo).Neg())))
}

// congruence holds where calls of one guard with equal arguments have one
// verdict, as they have within a step. (Ackermann, "Solvable Cases of the
// Decision Problem", 1954: the calls are facts, and this is added.)
func congruence(c, d *literal) *node {
	equal := always
	for i, a := range c.call.args {
		if i < len(d.call.args) {
			equal = and(equal, a.equals(d.call.args[i]))
		}
	}
	return or(not(equal), same(&node{op: opLit, lit: c}, &node{op: opLit, lit: d}))
}

// equals holds where a and b, arguments of one parameter, must be equal. Lists
// and json of which nothing more is known may differ, as the run likes.
func (a argument) equals(b argument) *node {
	switch a.kind {
	case ir.Bool:
		return same(a.holds, b.holds)
	case ir.String:
		return a.equalTexts(b)
	case ir.List:
		return a.equalLists(b)
	case ir.JSON:
		return constant(a.variable.is(b.variable))
	}
	d, ok := a.number.add(b.number.neg())
	if !ok {
		return never
	}
	if a.kind == ir.Time { // operands: no constant is rounded
		return and(atMost(d.plus, d.minus, wide.Int{}), atMost(d.minus, d.plus, wide.Int{}))
	}
	return d.compare(ir.OpEq)
}

func (a argument) equalTexts(b argument) *node {
	switch {
	case a.variable != nil && b.variable != nil:
		return equalTexts(a.variable, b.variable)
	case a.variable != nil:
		return equalText(a.variable, b.text)
	case b.variable != nil:
		return equalText(b.variable, a.text)
	}
	return constant(a.text == b.text)
}

func (a argument) equalLists(b argument) *node {
	if a.variable != nil && a.variable.is(b.variable) {
		return always
	}
	for _, x := range []argument{a, b} {
		if x.variable != nil && oneValue(x.variable.typ.Elem) {
			return and(atMost(a.length, b.length, wide.Int{}), atMost(b.length, a.length, wide.Int{}))
		}
	}
	return and(atMost(a.length, nil, wide.Int{}), atMost(b.length, nil, wide.Int{}))
}

// oneValue reports whether all values of t are equal.
func oneValue(t *ir.Type) bool {
	switch {
	case t == nil:
		return false
	case t.Range != nil:
		return t.Range.Lo == t.Range.Hi
	case t.Kind == ir.EnumKind:
		return len(t.Enum.Values) == 1
	case t.Kind == ir.List && t.Len != nil && t.Len.Lo == t.Len.Hi:
		return t.Len.Hi == 0 || oneValue(t.Elem)
	}
	return false
}
