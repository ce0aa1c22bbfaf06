package guard

import (
	"math/big"
	"math/bits"
)

// wide is an integer of 128 bits. Bounds need more than 64: the difference of
// two 64-bit integers has 65.
//
// Nothing here overflows. Every variable lies between -2^63 and 2^63-1, so that
// an entry of a closed, consistent matrix is at most 2^64 either way: it is no
// more than the detour over 0, and with the entry for the way back not less
// than 0. The constant of a bound is a sum of literals of 64 bits, of which no
// expression has 2^40; and no sum has more than three of all these.
type wide struct {
	hi int64
	lo uint64
}

var minusOne = widen(-1)

func widen(n int64) wide { return wide{hi: n >> 63, lo: uint64(n)} }

// narrow is a as an int64; it must fit.
func (a wide) narrow() int64 { return int64(a.lo) }

func (a wide) add(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return wide{hi: a.hi + b.hi + int64(carry), lo: lo}
}

func (a wide) neg() wide {
	lo, borrow := bits.Sub64(0, a.lo, 0)
	return wide{hi: -a.hi - int64(borrow), lo: lo}
}

func (a wide) less(b wide) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// sign is negative, 0 or positive as a is.
func (a wide) sign() int {
	switch {
	case a.hi < 0:
		return -1
	case a == wide{}:
		return 0
	}
	return 1
}

// thousandth is a/1000, rounded down: nanoseconds to microseconds.
func (a wide) thousandth() wide {
	n := new(big.Int).SetInt64(a.hi)
	n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(a.lo))
	n.Div(n, big.NewInt(1000)) // Euclidean, which rounds down
	hi := new(big.Int).Rsh(n, 64)
	return wide{hi: hi.Int64(), lo: new(big.Int).And(n, mask).Uint64()}
}

var mask = new(big.Int).SetUint64(1<<64 - 1)
