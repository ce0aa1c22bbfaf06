package timing

import (
	"math/big"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// MostRetries is an upper bound of how often an attempt of d, a do of t, is followed by another
// in one visit.
func MostRetries(t *flat.Table, d *ir.Do) int64 {
	total := int64(0)
	for _, a := range t.Retries(d) {
		if a.Max == nil {
			return graph.Infinite
		}
		total = graph.Sum(total, *a.Max)
	}
	return total
}

// LeastWait is the least that the first wait of a, a retry, may take.
func LeastWait(a *ir.Arm) int64 {
	b := a.Backoff
	if b.By == nil {
		return Shortened(min(b.First, b.Last), b.Jitter)
	}
	if c := ir.Value(b.By); c != nil {
		return c.Int
	}
	if r := b.By.Type().Range; r != nil {
		return r.Lo
	}
	return 0
}

// ShortestWait is the least that the next wait of a may take, after so many.
func ShortestWait(a *ir.Arm, used int64) int64 {
	if a.Backoff.By != nil || a.Max == nil {
		return LeastWait(a)
	}
	return Shortened(BackoffWait(a.Backoff, used+1), a.Backoff.Jitter)
}

// maxWaits is how many waits of a retry are added up one by one.
const maxWaits = 64

// LeastWaits is the least that all waits of a together may take, as a lower bound.
func LeastWaits(a *ir.Arm) int64 {
	if a.Max == nil {
		return 0
	}
	if a.Backoff.By != nil || *a.Max > maxWaits {
		return graph.Times(*a.Max, max(0, LeastWait(a)))
	}
	total := int64(0)
	for k := range *a.Max {
		total = graph.Sum(total, Shortened(BackoffWait(a.Backoff, k+1), a.Backoff.Jitter))
	}
	return total
}

// LongestWaits is the most that they may take; false where they have no end.
func LongestWaits(a *ir.Arm) (total int64, bounded bool) {
	longest, bounded := LongestWait(a)
	if !bounded || a.Max == nil {
		return 0, false
	}
	one := min(*a.Max, maxWaits)
	for k := range one {
		wait, _ := RetryWait(a, k)
		total = graph.Sum(total, wait)
	}
	return graph.Sum(total, graph.Times(*a.Max-one, longest)), true
}

// LongestWait is the longest wait of any retry of a.
func LongestWait(a *ir.Arm) (int64, bool) {
	if a.Backoff.By != nil {
		return waitBy(a.Backoff.By)
	}
	return max(a.Backoff.First, a.Backoff.Last), true
}

// BackoffWait is the k-th wait of b (k from 1) without its jitter, which only
// shortens it: min(First × Factor^(k-1), Last), rounded up.
func BackoffWait(b *ir.Backoff, k int64) int64 {
	if k > 1 && b.Factor.Cmp(one) <= 0 {
		if b.Factor.Sign() > 0 {
			return min(b.First, b.Last)
		}
		return 0
	}
	if wait, fits := shortWait(b, k); fits {
		return wait
	}
	return longWait(b, k)
}

var one = big.NewRat(1, 1)

// longWait is backoffWait for a factor over 1.
func longWait(b *ir.Backoff, k int64) int64 {
	wait := new(big.Rat).SetInt64(b.First)
	last := new(big.Rat).SetInt64(b.Last)
	for ; k > 1 && wait.Cmp(last) < 0 && wait.Sign() > 0; k-- {
		wait.Mul(wait, b.Factor)
	}
	if wait.Cmp(last) >= 0 {
		return b.Last
	}
	return ceil(wait)
}

// shortWait is longWait without big numbers; false where the wait as a fraction
// does not fit into 64 bits.
func shortWait(b *ir.Backoff, k int64) (wait int64, fits bool) {
	if b.First <= 0 || b.Last <= 0 || !b.Factor.Num().IsInt64() || !b.Factor.Denom().IsInt64() {
		return 0, false
	}
	num, den := b.First, int64(1)
	for ; k > 1 && num/den < b.Last; k-- {
		num, den = graph.Times(num, b.Factor.Num().Int64()), graph.Times(den, b.Factor.Denom().Int64())
		if num == graph.Infinite || den == graph.Infinite {
			return 0, false
		}
	}
	if num/den >= b.Last {
		return b.Last, true
	}
	if num%den > 0 {
		return num/den + 1, true
	}
	return num / den, true
}

// waitBy is the longest wait that data gives: the top of the range of the field
// that e reads, or a constant.
func waitBy(e ir.Expr) (int64, bool) {
	if c := ir.Value(e); c != nil {
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

// RetryWait is the longest wait of a's next retry, after so many; false where it has
// no end.
func RetryWait(a *ir.Arm, used int64) (wait int64, bounded bool) {
	switch {
	case a.Backoff.By != nil:
		return waitBy(a.Backoff.By)
	case a.Max == nil:
		return a.Backoff.Last, true
	}
	return BackoffWait(a.Backoff, used+1), true
}
