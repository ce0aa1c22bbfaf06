package ir_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TestCompute holds sums, differences and products of 64 bits against those of integers
// of any length.
func TestCompute(t *testing.T) {
	numbers := []int64{0, 1, -1, 2, -2, 3, 1 << 31, -1 << 31, 1 << 32, 1 << 62, -1 << 62, math.MaxInt64 - 1, math.MaxInt64, math.MinInt64 + 1, math.MinInt64}
	exact := map[ir.Op]func(z, a, b *big.Int) *big.Int{ir.OpAdd: (*big.Int).Add, ir.OpSub: (*big.Int).Sub, ir.OpMul: (*big.Int).Mul}
	for op, want := range exact {
		for _, a := range numbers {
			for _, b := range numbers {
				n, fits := op.Compute(a, b)
				m, alsoFits := op.Arithmetic()(a, b)
				right := want(new(big.Int), big.NewInt(a), big.NewInt(b))
				if fits != right.IsInt64() || fits && n != right.Int64() || m != n || alsoFits != fits {
					t.Errorf("%d %s %d is %d, %v and %d, %v, want %s", a, op, b, n, fits, m, alsoFits, right)
				}
			}
		}
	}
}

func TestHolds(t *testing.T) {
	for op, want := range map[ir.Op][3]bool{
		ir.OpEq: {false, true, false}, ir.OpNe: {true, false, true}, ir.OpLt: {true, false, false},
		ir.OpLe: {true, true, false}, ir.OpGt: {false, false, true}, ir.OpGe: {false, true, true},
	} {
		for i, b := range []int64{6, 5, 4} {
			if got := op.Holds(5, b); got != want[i] {
				t.Errorf("5 %s %d is %v", op, b, got)
			}
		}
	}
}
