package timing

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TestShortWait: waits in 64 bits are those in fractions of any length.
func TestShortWait(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fits := 0
	for range 20_000 {
		down := 1 + rng.Int64N(20)
		b := &ir.Backoff{
			First: rng.Int64() >> rng.IntN(63), Last: rng.Int64() >> rng.IntN(63),
			Factor: big.NewRat(down+1+rng.Int64N(40), down),
		}
		k := 1 + rng.Int64N(70)
		wait, ok := shortWait(b, k)
		if !ok {
			continue
		}
		fits++
		if want := longWait(b, k); wait != want {
			t.Fatalf("wait %d of %d..%d by %s is %d, want %d", k, b.First, b.Last, b.Factor, wait, want)
		}
	}
	if fits < 5_000 {
		t.Errorf("only %d waits fit into 64 bits", fits)
	}
}

func TestBackoffWait(t *testing.T) {
	tests := []struct {
		first, last int64
		factor      *big.Rat
		k, want     int64
	}{
		{1, 60, big.NewRat(2, 1), 1, 1},
		{1, 60, big.NewRat(2, 1), 4, 8},
		{1, 60, big.NewRat(2, 1), 1000, 60},
		{1, 60, big.NewRat(3, 2), 3, 3}, // 2.25, rounded up
		{7, 60, big.NewRat(1, 1), 9, 7},
		{7, 60, big.NewRat(1, 2), 9, 7},
		{7, 60, new(big.Rat), 1, 7},
		{7, 60, new(big.Rat), 2, 0},
		{90, 60, big.NewRat(2, 1), 1, 60},
		{0, 60, big.NewRat(2, 1), 5, 0},
		{math.MaxInt64 - 1, math.MaxInt64, big.NewRat(2, 1), 2, math.MaxInt64},
	}
	for _, x := range tests {
		if got := BackoffWait(&ir.Backoff{First: x.first, Last: x.last, Factor: x.factor}, x.k); got != x.want {
			t.Errorf("wait %d of %d..%d by %s is %d, want %d", x.k, x.first, x.last, x.factor, got, x.want)
		}
	}
}

// TestJitter holds what a share makes of a wait against fractions of any length.
func TestJitter(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	long, _ := new(big.Rat).SetString("0.12345678901234567890123")
	past := 0
	for i := range 20_000 {
		wait := rng.Int64() >> rng.IntN(63)
		share := big.NewRat(rng.Int64N(100), 1+rng.Int64N(100))
		if i%10 == 0 {
			share = long
		}
		exact := new(big.Rat).Mul(share, new(big.Rat).SetInt64(wait))
		whole := new(big.Rat).SetInt64(wait)
		low, high := new(big.Rat).Sub(whole, exact), new(big.Rat).Add(whole, exact)
		down := new(big.Int).Quo(low.Num(), low.Denom())
		if want := max(0, down.Int64()); down.IsInt64() && Shortened(wait, share) != want {
			t.Fatalf("%d less %s is %d, want %d", wait, share, Shortened(wait, share), want)
		}
		up := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(high.Num()), high.Denom()))
		want := int64(-1)
		if up.IsInt64() && up.Int64() != math.MaxInt64 {
			want = up.Int64()
		} else {
			past++
		}
		if got := Lengthened(wait, share); got != want {
			t.Fatalf("%d and %s more is %d, want %d", wait, share, got, want)
		}
	}
	if past == 0 {
		t.Error("none is past 64 bits")
	}
}
