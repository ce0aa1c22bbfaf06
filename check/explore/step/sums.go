package step

import (
	"github.com/fsmc-dev/fsmc/check/wide"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Guards compare over the mathematical integers (language.md, section 6): a sum in
// a guard that 64 bits do not hold is no fault. A sum has 128 bits here, which
// suffice: no expression has 2^63 parts.

// compareSums is compare where a side may need more than 64 bits.
func (c *compiler) compareSums(e *ir.Binary, arm *ir.Arm) test {
	x, y, op := c.sum(e.X, arm), c.sum(e.Y, arm), e.Op
	return func(s *Step) bool {
		return op.Holds(int64(x(s).Add(y(s).Neg()).Sign()), 0)
	}
}

// sum compiles the operand e of a comparison.
func (c *compiler) sum(e ir.Expr, arm *ir.Arm) func(*Step) wide.Int {
	if b, ok := e.(*ir.Binary); ok && ir.Value(e) == nil && (b.Op == ir.OpAdd || b.Op == ir.OpSub) {
		x, y := c.sum(b.X, arm), c.sum(b.Y, arm)
		if b.Op == ir.OpAdd {
			return func(s *Step) wide.Int { return x(s).Add(y(s)) }
		}
		return func(s *Step) wide.Int { return x(s).Add(y(s).Neg()) }
	}
	n := c.number(e, arm)
	return func(s *Step) wide.Int { return wide.Of(n(s)) }
}

func (c *compiler) arithmetic(op ir.Op, x, y number) number {
	compute := op.Arithmetic()
	return func(s *Step) int64 {
		n, fits := compute(x(s), y(s))
		if !fits {
			s.fail(Fault{overflow: true})
		}
		return n
	}
}
