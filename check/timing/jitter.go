package timing

import (
	"math/big"
	"math/bits"

	"github.com/fsmc-dev/fsmc/check/graph"
)

// Lengthened is wait × (1 + share), rounded up; -1 past 64 bits.
func Lengthened(wait int64, share *big.Rat) int64 {
	if total := graph.Sum(wait, times(wait, share)); total != graph.Infinite {
		return total
	}
	return -1
}

// Shortened is wait × (1 - share), rounded down.
func Shortened(wait int64, share *big.Rat) int64 { return max(0, wait-times(wait, share)) }

// times is wait × share, rounded up.
func times(wait int64, share *big.Rat) int64 {
	if wait < 0 || !share.Num().IsUint64() || !share.Denom().IsUint64() {
		return ceil(new(big.Rat).Mul(share, new(big.Rat).SetInt64(wait)))
	}
	hi, lo := bits.Mul64(uint64(wait), share.Num().Uint64()) // a search asks in each step
	den := share.Denom().Uint64()
	if hi >= den {
		return graph.Infinite
	}
	n, rest := bits.Div64(hi, lo, den)
	switch {
	case n >= graph.Infinite:
		return graph.Infinite
	case rest > 0:
		n++
	}
	return int64(n)
}

// ceil is n rounded up.
func ceil(n *big.Rat) int64 {
	up := new(big.Int).Add(n.Num(), new(big.Int).Sub(n.Denom(), big.NewInt(1)))
	if up.Quo(up, n.Denom()); !up.IsInt64() {
		return graph.Infinite
	}
	return up.Int64()
}
