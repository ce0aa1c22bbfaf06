package machine

import (
	"cmp"
	"math/bits"
)

// wide is a 128-bit integer. Comparisons are over mathematical integers: the
// sums and differences in them are computed wide and cannot overflow (an
// expression has far fewer than 2^54 terms of 73 bits).
type wide struct {
	hi int64
	lo uint64
}

func widen(n int64) wide { return wide{hi: n >> 63, lo: uint64(n)} }

func (a wide) add(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return wide{hi: a.hi + b.hi + int64(carry), lo: lo}
}

func (a wide) negate() wide {
	return wide{hi: ^a.hi, lo: ^a.lo}.add(wide{lo: 1})
}

// thousandfold turns microseconds into nanoseconds.
func (a wide) thousandfold() wide {
	hi, lo := bits.Mul64(a.lo, 1000)
	return wide{hi: a.hi*1000 + int64(hi), lo: lo}
}

// compare is negative, 0 or positive as a is less than, equal to or more than b.
func (a wide) compare(b wide) int {
	if sign := cmp.Compare(a.hi, b.hi); sign != 0 {
		return sign
	}
	return cmp.Compare(a.lo, b.lo)
}
