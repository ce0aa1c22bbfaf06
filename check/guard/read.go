package guard

import (
	"math"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Guard is a `when` or a `require` as formulas over what it reads. Neither holds
// where it reads a field that is not set. That a host guard fails is not
// modelled: it can happen wherever one is asked.
type Guard struct {
	Holds Formula // it computes to true
	Fails Formula // it computes to false
}

// Computed holds where the guard computes to true or to false.
func (g Guard) Computed() Formula { return Or(g.Holds, g.Fails) }

// Read makes a Guard of e, which the resolver accepts as a guard; a nil e is no
// guard, and always holds. Input is what the guard is read on: it gives the
// fields of `event` their declared ranges, and those of a failure their values.
// It is nil for a `require`, and where any of a handler's triggers may be meant.
func Read(e ir.Expr, input *ir.Case) Guard {
	if e == nil {
		return Guard{Holds: And(), Fails: Or()}
	}
	r := &reader{input: input, variables: map[term]*variable{}}
	c := r.condition(e)
	return Guard{Holds: Formula{c.holds}, Fails: Formula{c.fails}}
}

// reader makes formulas of expressions that are read on one input.
type reader struct {
	input     *ir.Case
	variables map[term]*variable
}

// condition is a boolean expression: where it computes to true, and where to
// false. Where it is total there is no third.
type condition struct {
	holds, fails *node
	total        bool
}

func total(n *node) condition { return condition{holds: n, fails: not(n), total: true} }

// reading is the condition that n holds once what is read is set.
func reading(set, n *node) condition {
	if set == always {
		return total(n)
	}
	return condition{holds: and(set, n), fails: and(set, not(n))}
}

func (r *reader) condition(e ir.Expr) condition {
	if k := ir.Value(e); k != nil {
		return total(constant(k.Int != 0))
	}
	switch e := e.(type) {
	case *ir.IsSet:
		var holds *node
		if e.Field != nil {
			holds = r.sent(e.Field)
		} else {
			holds = set(e.Var)
		}
		if e.Not {
			return total(not(holds))
		}
		return total(holds)
	case *ir.VarRef, *ir.FieldRef:
		if v := r.variable(e); v != nil && v.kind() == ir.Bool {
			return reading(r.allSet(e), factNode(fact{kind: boolean, term: v.term}))
		}
	case *ir.Unary:
		if e.Op == ir.OpNot {
			c := r.condition(e.X)
			return condition{holds: c.fails, fails: c.holds, total: c.total}
		}
	case *ir.Call:
		if e.Guard != nil {
			return r.hostGuard(e)
		}
	case *ir.Binary:
		switch e.Op {
		case ir.OpAnd:
			return both(r.condition(e.X), r.condition(e.Y))
		case ir.OpOr:
			return either(r.condition(e.X), r.condition(e.Y))
		}
		if n := r.comparison(e); n != nil {
			return reading(r.allSet(e), n)
		}
	}
	return total(factNode(fact{kind: opaque, text: ir.ExprText(e)}))
}

// both is `a && b`: b is read where a is true.
func both(a, b condition) condition {
	c := condition{holds: and(a.holds, b.holds), total: a.total && b.total}
	switch {
	case c.total:
		c.fails = not(c.holds)
	case a.total:
		c.fails = or(a.fails, b.fails)
	default:
		c.fails = or(a.fails, and(a.holds, b.fails))
	}
	return c
}

// either is `a || b`, which is `!(!a && !b)`.
func either(a, b condition) condition {
	c := both(condition{a.fails, a.holds, a.total}, condition{b.fails, b.holds, b.total})
	return condition{holds: c.fails, fails: c.holds, total: c.total}
}

// allSet holds where everything that e reads, stopping nowhere early, is set.
func (r *reader) allSet(e ir.Expr) *node {
	out := always
	for e := range ir.PartsOf(e) {
		switch e := e.(type) {
		case *ir.VarRef:
			if !e.OrUnset {
				out = and(out, set(e.Var))
			}
		case *ir.FieldRef:
			if !e.OrUnset {
				out = and(out, r.sent(e))
			}
		}
	}
	return out
}

// variable is what the operand e reads; nil where it is none.
func (r *reader) variable(e ir.Expr) *variable {
	term, typ, ok := r.term(e)
	if !ok {
		return nil
	}
	v := r.variables[term]
	if v == nil {
		v = newVariable(term, typ)
		r.fix(v)
		r.variables[term] = v
	}
	return v
}

// term names what e reads. Its type is that of the whole where e is a length.
func (r *reader) term(e ir.Expr) (term, *ir.Type, bool) {
	switch e := e.(type) {
	case *ir.VarRef:
		return term{Var: e.Var}, e.Var.Type, true
	case *ir.FieldRef:
		if f := r.field(e.Name); f != nil {
			return term{Event: e.Name}, f.Type, true
		}
		return term{Event: e.Name}, e.T, true
	case *ir.Now:
		return term{Now: true}, e.T, true
	case *ir.Len:
		t, typ, ok := r.term(e.X)
		t.Len = true
		return t, typ, ok
	}
	return term{}, nil, false
}

// field is the field of the input called name; nil where that is not known.
func (r *reader) field(name string) *ir.EventField {
	switch {
	case r.input == nil:
	case r.input.Event != nil:
		return r.input.Event.Field(name)
	case r.input.Kind == ir.CaseFailure:
		return (&ir.Trigger{Kind: ir.OnFailed}).Field(name)
	}
	return nil
}

// fix gives v the value that a failure fixes, or the range of its attempts.
func (r *reader) fix(v *variable) {
	if r.input == nil || r.input.Kind != ir.CaseFailure || v.term.Event == "" {
		return
	}
	var text string
	switch {
	case v.term.Event == "attempt" && !v.term.Len:
		v.lo, v.hi = 1, math.MaxInt64
		return
	case v.term.Event == "category" && r.input.Category != nil:
		text = r.input.Category.Name
	case v.term.Event == "activity" && r.input.Do != nil:
		text = r.input.Do.Activity.Name
	default:
		return
	}
	if v.term.Len {
		v.lo, v.hi = int64(len(text)), int64(len(text))
	} else {
		v.fixed = &text
	}
}
