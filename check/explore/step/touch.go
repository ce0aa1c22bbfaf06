package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// touch compiles the reads of e, whatever becomes of its value: the step cannot
// be computed where one of them meets an unset field. It is nil where none can.
func (c *compiler) touch(e ir.Expr, arm *ir.Arm) func(*Step) {
	switch e := e.(type) {
	case *ir.VarRef:
		if e.OrUnset {
			return nil
		}
		return c.touchVar(e.Var, e.At)
	case *ir.FieldRef:
		refs := c.t.Refs(e, arm)
		switch {
		case e.OrUnset || !e.Optional:
			return nil
		case c.ofElement(e, arm):
			return c.touchPart(e, arm)
		case len(refs) == 0:
			return nil
		}
		return func(s *Step) {
			if n, sent := s.sent(refs); !sent {
				s.fail(Fault{Absent: n.Field, At: e.At})
			}
		}
	case *ir.Binary:
		if e.Op == ir.OpAnd || e.Op == ir.OpOr {
			return c.touchLogic(e, arm)
		}
	}
	var all func(*Step)
	ir.Walk(e, func(part ir.Expr) bool {
		if part != e {
			all = inOrder(all, c.touch(part, arm))
		}
		return part == e
	})
	return all
}

// touchVar compiles the read of v at the place given.
func (c *compiler) touchVar(v *ir.Var, at token.Span) func(*Step) {
	n := c.t.Vars[v]
	if !n.MayBeUnset() {
		return nil
	}
	return func(s *Step) {
		if !s.isSet(n) {
			s.fail(Fault{Field: v, At: at})
		}
	}
}

// touchLogic reads the right side only where the left one does not decide.
func (c *compiler) touchLogic(e *ir.Binary, arm *ir.Arm) func(*Step) {
	y := c.touch(e.Y, arm)
	if y == nil {
		return c.touch(e.X, arm)
	}
	x, goesOn := c.test(e.X, arm), e.Op == ir.OpAnd
	return func(s *Step) {
		if holds := x(s); !s.Failed() && holds == goesOn {
			y(s)
		}
	}
}

// absent compiles whether e, the value of an effect or of a field of a message, is unset
// there; it is nil where it never is.
func (c *compiler) absent(e ir.Expr, arm *ir.Arm) func(*Step) bool {
	switch e := e.(type) {
	case *ir.VarRef:
		if n := c.t.Vars[e.Var]; e.OrUnset && n.Slot != nil {
			return func(s *Step) bool { return !s.isSet(n) }
		}
	case *ir.Fit:
		if e.OrUnset {
			return func(s *Step) bool { return s.isNull(e) }
		}
	case *ir.FieldRef:
		if e.OrUnset && c.ofElement(e, arm) {
			comes := c.partComes(e, arm)
			return func(s *Step) bool { return !comes(s) }
		}
		if refs := c.t.Refs(e, arm); e.OrUnset && len(refs) > 0 {
			return func(s *Step) bool {
				_, sent := s.sent(refs)
				return !sent
			}
		}
	}
	return nil
}

// nullPart is what may be null of a json that becomes a record: all of it, or what has that path.
type nullPart struct {
	whole *ir.Fit
	path  string
}

// isNull chooses whether e is unset, for nothing is known of a json. What is within a record is
// unset with it.
func (s *Step) isNull(e *ir.Fit) bool {
	s.quiet.looked++
	if e.Whole == nil {
		return s.Oracle.Choose(2) == 1
	}
	parts := e.Within
	if e.Whole.OrUnset {
		parts = slices.Concat(ir.Within{""}, parts)
	}
	for _, path := range parts {
		part := nullPart{e.Whole, path}
		null, chosen := s.nulls[part]
		if !chosen {
			null = s.Oracle.Choose(2) == 1
			s.nulls[part] = null
		}
		if null {
			return true
		}
	}
	return false
}

// inOrder does one after the other; either may be nil.
func inOrder(first, second func(*Step)) func(*Step) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(s *Step) {
		if first(s); !s.Failed() {
			second(s)
		}
	}
}
