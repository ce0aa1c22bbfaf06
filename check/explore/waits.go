package explore

import (
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// backoffWait is the k-th wait of b (k from 1) without its jitter, which only
// shortens it: min(First × Factor^(k-1), Last), rounded up.
func backoffWait(b *ir.Backoff, k int64) int64 {
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
	up := new(big.Int).Add(wait.Num(), new(big.Int).Sub(wait.Denom(), big.NewInt(1)))
	return up.Quo(up, wait.Denom()).Int64()
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

// readWaits notes as read the durations that say how long a timer or a retry waits,
// unless they are computed.
func (t *tracked) readWaits() {
	note := func(v *ir.Var) {
		if v != nil && v.Type.Kind == ir.Duration && !t.vars[v].computed {
			t.vars[v].read = true
		}
	}
	for _, timer := range t.m.Timers {
		note(timer.Var)
	}
	for _, a := range t.m.Arms {
		if a.Backoff != nil {
			if ref, ok := a.Backoff.By.(*ir.VarRef); ok {
				note(ref.Var)
			}
		}
	}
}

// constants are the values that v may hold, where nothing but constants is assigned to
// it; nil where something else is.
func (t *tracked) constants(v *ir.Var) []int64 {
	if v.Param {
		return nil
	}
	var out []int64
	if v.Default != nil {
		out = append(out, v.Default.Int)
	}
	others := false
	t.assigns(func(a *ir.Assign, _ *ir.Arm) {
		if a.Var != v || a.Value == nil {
			return
		}
		if c := ir.Value(a.Value); c != nil {
			out = append(out, c.Int)
		} else {
			others = true
		}
	})
	if others {
		return nil
	}
	return out
}

// waitWithin is the least and the most that a timer which reads data waits, given what
// its type alone says of that.
func (t *tracked) waitWithin(timer *ir.Timer, least, most int64) (int64, int64) {
	if list := t.constants(timer.Var); list != nil {
		least, most = max(0, slices.Min(list)), max(0, slices.Max(list))
		if most > 0 && timer.Jitter != nil {
			most = lengthened(most, timer.Jitter)
		}
	}
	return least, most
}
