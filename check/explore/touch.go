package explore

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// touch compiles the reads of e, whatever becomes of its value: the step cannot
// be computed where one of them meets an unset field. It is nil where none can.
func (c *compiler) touch(e ir.Expr, arm *ir.Arm) func(*step) {
	switch e := e.(type) {
	case *ir.VarRef:
		return c.touchVar(e.Var, e.At)
	case *ir.Len:
		return c.touch(e.X, arm)
	case *ir.Unary:
		return c.touch(e.X, arm)
	case *ir.Binary:
		if e.Op == ir.OpAnd || e.Op == ir.OpOr {
			return c.touchLogic(e, arm)
		}
		return inOrder(c.touch(e.X, arm), c.touch(e.Y, arm))
	case *ir.Call:
		var all func(*step)
		for _, a := range e.Args {
			all = inOrder(all, c.touch(a, arm))
		}
		return all
	}
	return nil
}

// touchVar compiles the read of v at the place given.
func (c *compiler) touchVar(v *ir.Var, at token.Span) func(*step) {
	n := c.t.vars[v]
	if !n.mayBeUnset() {
		return nil
	}
	return func(s *step) {
		if !s.isSet(n) {
			s.fail(fault{why: unsetRead, field: v, at: at})
		}
	}
}

// touchLogic reads the right side only where the left one does not decide.
func (c *compiler) touchLogic(e *ir.Binary, arm *ir.Arm) func(*step) {
	y := c.touch(e.Y, arm)
	if y == nil {
		return c.touch(e.X, arm)
	}
	x, goesOn := c.test(e.X, arm), e.Op == ir.OpAnd
	return func(s *step) {
		if holds := x(s); !s.failed() && holds == goesOn {
			y(s)
		}
	}
}

// inOrder does one after the other; either may be nil.
func inOrder(first, second func(*step)) func(*step) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(s *step) {
		if first(s); !s.failed() {
			second(s)
		}
	}
}
