// Package wide has integers that no sum of a guard leaves.
package wide

import (
	"math/big"
	"math/bits"
)

// Int is an integer of 128 bits. What guards say needs more than 64: the difference of
// two integers of 64 bits has 65, and a sum in a guard is one over the mathematical
// integers (language.md, section 6).
//
// Nothing here overflows. A sum has at most as many parts as an expression, fewer than
// 2^40, and each is of 64 bits or an entry of a closed, consistent matrix of package
// guard: such an entry is at most 2^64 either way, as it is no more than the detour over
// 0, and with the entry for the way back not less than 0.
type Int struct {
	hi int64
	lo uint64
}

// MinusOne is -1.
var MinusOne = Of(-1)

// Of is n.
func Of(n int64) Int { return Int{hi: n >> 63, lo: uint64(n)} }

// Narrow is a as an int64; it must fit.
func (a Int) Narrow() int64 { return int64(a.lo) }

// Add is a + b.
func (a Int) Add(b Int) Int {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return Int{hi: a.hi + b.hi + int64(carry), lo: lo}
}

// Neg is -a.
func (a Int) Neg() Int {
	lo, borrow := bits.Sub64(0, a.lo, 0)
	return Int{hi: -a.hi - int64(borrow), lo: lo}
}

// Less reports whether a < b.
func (a Int) Less(b Int) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// Sign is negative, 0 or positive as a is.
func (a Int) Sign() int {
	switch {
	case a.hi < 0:
		return -1
	case a == Int{}:
		return 0
	}
	return 1
}

// Thousandth is a/1000, rounded down: nanoseconds to microseconds.
func (a Int) Thousandth() Int {
	n := new(big.Int).SetInt64(a.hi)
	n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(a.lo))
	n.Div(n, big.NewInt(1000)) // Euclidean, which rounds down
	hi := new(big.Int).Rsh(n, 64)
	return Int{hi: hi.Int64(), lo: new(big.Int).And(n, mask).Uint64()}
}

var mask = new(big.Int).SetUint64(1<<64 - 1)
