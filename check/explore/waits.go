package explore

import (
	"math/big"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// backoffWait is the k-th wait of b (k from 1) without its jitter, which only
// shortens it: min(First × Factor^(k-1), Last), rounded up.
func backoffWait(b *ir.Backoff, k int64) int64 {
	wait := new(big.Rat).SetInt64(b.First)
	last := new(big.Rat).SetInt64(b.Last)
	if b.Factor.Cmp(big.NewRat(1, 1)) <= 0 && k > 1 {
		if b.Factor.Sign() > 0 {
			return min(b.First, b.Last)
		}
		return 0
	}
	for ; k > 1 && wait.Cmp(last) < 0 && wait.Sign() > 0; k-- {
		wait.Mul(wait, b.Factor)
	}
	if wait.Cmp(last) >= 0 {
		return b.Last
	}
	up := new(big.Int).Add(wait.Num(), new(big.Int).Sub(wait.Denom(), big.NewInt(1)))
	return up.Quo(up, wait.Denom()).Int64()
}

// waitBy is the longest wait that data gives: the top of the range of the field
// that e reads, or a constant.
func waitBy(e ir.Expr) (int64, bool) {
	if c := literal(e); c != nil {
		return max(0, c.Int), true
	}
	switch e := e.(type) {
	case *ir.VarRef, *ir.FieldRef:
		if r := e.Type().Range; r != nil {
			return max(0, r.Hi), true
		}
	}
	return -1, false
}
