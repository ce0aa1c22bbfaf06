package explore

import (
	"cmp"
	"math/bits"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Guards compare over the mathematical integers (language.md, section 6): a sum in
// a guard that 64 bits do not hold is no fault. A sum has 128 bits here, which
// suffice: no expression has 2^63 parts.

// wide is such a sum.
type wide struct {
	hi int64
	lo uint64
}

// compareSums is compare where a side may need more than 64 bits.
func (c *compiler) compareSums(e *ir.Binary, arm *ir.Arm) test {
	x, y, op := c.sum(e.X, arm), c.sum(e.Y, arm), e.Op
	return func(s *step) bool {
		a, b := x(s), y(s)
		return ordered(int64(cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo))), op, 0)
	}
}

// sum compiles the operand e of a comparison.
func (c *compiler) sum(e ir.Expr, arm *ir.Arm) func(*step) wide {
	if b, ok := e.(*ir.Binary); ok && ir.Value(e) == nil && (b.Op == ir.OpAdd || b.Op == ir.OpSub) {
		x, y := c.sum(b.X, arm), c.sum(b.Y, arm)
		if b.Op == ir.OpAdd {
			return func(s *step) wide { return x(s).plus(y(s)) }
		}
		return func(s *step) wide { return x(s).minus(y(s)) }
	}
	n := c.number(e, arm)
	return func(s *step) wide {
		v := n(s)
		return wide{hi: v >> 63, lo: uint64(v)}
	}
}

func (a wide) plus(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return wide{hi: a.hi + b.hi + int64(carry), lo: lo}
}

func (a wide) minus(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return wide{hi: a.hi - b.hi - int64(borrow), lo: lo}
}
