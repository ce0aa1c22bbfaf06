package ir

import (
	"math"
	"math/bits"
)

// Holds is `a op b`, of a comparison.
func (op Op) Holds(a, b int64) bool {
	switch op {
	case OpEq:
		return a == b
	case OpNe:
		return a != b
	case OpLt:
		return a < b
	case OpLe:
		return a <= b
	case OpGt:
		return a > b
	}
	return a >= b
}

// Compute is `a op b`, of `+`, `-` and `*`, and whether that fits into 64 bits.
func (op Op) Compute(a, b int64) (n int64, fits bool) { return op.Arithmetic()(a, b) }

// Arithmetic is Compute of op, for what is computed often.
func (op Op) Arithmetic() func(a, b int64) (n int64, fits bool) {
	switch op {
	case OpAdd:
		return add
	case OpSub:
		return subtract
	}
	return multiply
}

func add(a, b int64) (int64, bool) { return a + b, fits(a, b) }

func subtract(a, b int64) (int64, bool) { return a - b, (a-b < a) == (b > 0) }

func multiply(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	limit := uint64(math.MaxInt64)
	if (a < 0) != (b < 0) {
		limit++
	}
	return a * b, hi == 0 && lo <= limit
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
