package ir

import "math"

// Turned is op with its sides exchanged.
func (op Op) Turned() Op {
	switch op {
	case OpLt:
		return OpGt
	case OpLe:
		return OpGe
	case OpGt:
		return OpLt
	case OpGe:
		return OpLe
	}
	return op
}

// opposites are the comparisons that hold where the others do not; no float is
// NaN.
var opposites = map[Op]Op{OpEq: OpNe, OpNe: OpEq, OpLt: OpGe, OpGe: OpLt, OpGt: OpLe, OpLe: OpGt}

// Opposite is the comparison that holds where op does not; "" for what is no comparison.
func (op Op) Opposite() Op { return opposites[op] }

// ConstantSide splits `x op c` or `c op x` into x, the operator as if x stood on
// the left, and c; c is nil where e is neither.
func ConstantSide(e *Binary) (x Expr, op Op, c *Const) {
	if c = Value(e.Y); c != nil {
		return e.X, e.Op, c
	}
	if c = Value(e.X); c != nil {
		return e.Y, e.Op.Turned(), c
	}
	return nil, "", nil
}

// ListLength splits `len(list) op k`, however it is written (`k op len(list)`,
// `len(list) + 2 op 7`), into the list, the operator as if the length stood alone
// on the left, and k. It is not ok where e is none.
func ListLength(e *Binary) (list Expr, op Op, k int64, ok bool) {
	side, op, c := ConstantSide(e)
	if c == nil || c.Kind != Int {
		return nil, "", 0, false
	}
	k = c.Int
	if sum, isSum := side.(*Binary); isSum && (sum.Op == OpAdd || sum.Op == OpSub) {
		if side, op, k, ok = alone(sum, op, k); !ok {
			return nil, "", 0, false
		}
	}
	length, ok := side.(*Len)
	if !ok || length.X.Type().Kind != List {
		return nil, "", 0, false
	}
	return length.X, op, k, true
}

// alone moves the constant in sum to the other side of `sum op k`.
func alone(sum *Binary, op Op, k int64) (Expr, Op, int64, bool) {
	if c := Value(sum.Y); c != nil {
		by := c.Int
		if sum.Op == OpAdd {
			by = -by
		}
		return sum.X, op, k + by, c.Int != math.MinInt64 && fits(k, by)
	}
	c := Value(sum.X)
	switch {
	case c == nil || c.Int == math.MinInt64 || k == math.MinInt64:
		return nil, "", 0, false
	case sum.Op == OpAdd:
		return sum.Y, op, k - c.Int, fits(k, -c.Int)
	}
	return sum.Y, op.Turned(), c.Int - k, fits(c.Int, -k)
}

// fits reports whether a + b fits into 64 bits.
func fits(a, b int64) bool { return (a+b > a) == (b > 0) }
