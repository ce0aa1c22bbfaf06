package step

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Guards compare over the mathematical integers (language.md, section 6): a sum in
// a guard that 64 bits do not hold is no fault. A sum has 128 bits here, which
// suffice: no expression has 2^63 parts.

// int128 is such a sum.
type int128 struct {
	hi int64
	lo uint64
}

// compareSums is compare where a side may need more than 64 bits.
func (c *compiler) compareSums(e *ir.Binary, arm *ir.Arm) test {
	x, y, op := c.sum(e.X, arm), c.sum(e.Y, arm), e.Op
	return func(s *Step) bool {
		a, b := x(s), y(s)
		return data.Ordered(int64(cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo))), op, 0)
	}
}

// sum compiles the operand e of a comparison.
func (c *compiler) sum(e ir.Expr, arm *ir.Arm) func(*Step) int128 {
	if b, ok := e.(*ir.Binary); ok && ir.Value(e) == nil && (b.Op == ir.OpAdd || b.Op == ir.OpSub) {
		x, y := c.sum(b.X, arm), c.sum(b.Y, arm)
		if b.Op == ir.OpAdd {
			return func(s *Step) int128 { return x(s).plus(y(s)) }
		}
		return func(s *Step) int128 { return x(s).minus(y(s)) }
	}
	n := c.number(e, arm)
	return func(s *Step) int128 {
		v := n(s)
		return int128{hi: v >> 63, lo: uint64(v)}
	}
}

func (a int128) plus(b int128) int128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return int128{hi: a.hi + b.hi + int64(carry), lo: lo}
}

func (a int128) minus(b int128) int128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return int128{hi: a.hi - b.hi - int64(borrow), lo: lo}
}

func (c *compiler) arithmetic(op ir.Op, x, y number) number {
	switch op {
	case ir.OpAdd:
		return func(s *Step) int64 { return s.plus(x(s), y(s)) }
	case ir.OpSub:
		return func(s *Step) int64 { return s.minus(x(s), y(s)) }
	}
	return func(s *Step) int64 { return s.times(x(s), y(s)) }
}

func (s *Step) plus(a, b int64) int64 {
	sum := a + b
	if (sum > a) != (b > 0) && b != 0 {
		s.fail(Fault{why: overflow})
	}
	return sum
}

func (s *Step) minus(a, b int64) int64 {
	difference := a - b
	if (difference < a) != (b > 0) && b != 0 {
		s.fail(Fault{why: overflow})
	}
	return difference
}

func (s *Step) times(a, b int64) int64 {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	limit := uint64(math.MaxInt64)
	if (a < 0) != (b < 0) {
		limit++
	}
	if hi != 0 || lo > limit {
		s.fail(Fault{why: overflow})
	}
	return a * b
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
