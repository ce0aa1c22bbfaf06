package explore

import (
	"math/big"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Forestaller is a timer around t, or beside it, that always fires before t
// while it runs; nil where there is none.
func Forestaller(table *flat.Table, t *ir.Timer) *ir.Timer {
	least, _ := waitOf(t)
	c := ir.Case{Kind: ir.CaseTimer, Timer: t}
	for _, other := range timersAround(t.State) {
		if forestalls(other, c, least) || idlesOut(table, t.State, other, c) {
			return other
		}
	}
	return nil
}

// idlesOut reports whether t, an `idle` timer of leaf or around it, always comes
// before c, a timer of leaf: both start with the visit, t is the shorter one, and
// nothing but c can start it anew.
func idlesOut(table *flat.Table, leaf *ir.State, t *ir.Timer, c ir.Case) bool {
	if !t.Idle || c.Kind != ir.CaseTimer || c.Timer == t || c.Timer.State != leaf {
		return false
	}
	_, most := waitOf(t)
	least, _ := waitOf(c.Timer)
	return most >= 0 && most < least && isCalm(table, leaf, c.Timer)
}

// isCalm reports whether nothing but a timer can start an `idle` one anew while a
// run is in leaf, or nothing at all where timer is nil: the leaf has no activities,
// and every input leads elsewhere.
func isCalm(table *flat.Table, leaf *ir.State, timer *ir.Timer) bool {
	if len(leaf.Dos) > 0 {
		return false
	}
	for in := range table.Inputs(leaf) {
		if stays(in) && (timer == nil || in.Timer != timer) {
			return false
		}
	}
	return true
}

// stays reports whether in may be taken without leaving the leaf, other than by
// being deferred: that starts idle timers anew.
func stays(in flat.Input) bool {
	for _, c := range in.Choices {
		if c.Arm == nil && !c.Defer || c.Arm != nil && (c.Arm.Kind == ir.Stay || c.Arm.Kind == ir.IgnoreArm) {
			return true
		}
	}
	return false
}

// ForestallsRetry is a timer of leaf or around it that always ends the visit
// before the wait of a, a retry, is over; nil where there is none. The first wait
// is the shortest.
func ForestallsRetry(leaf *ir.State, a *ir.Arm) *ir.Timer {
	return EndsBefore(leaf, leastWait(a))
}

// EndsBefore is a timer of leaf or around it that always ends the visit before
// something is over that starts no earlier than the visit and takes so many
// nanoseconds; nil where there is none.
func EndsBefore(leaf *ir.State, takes int64) *ir.Timer {
	for _, t := range timersAround(leaf) {
		if _, most := waitOf(t); most >= 0 && most < takes && !t.Idle && !OutlivesFiring(t) {
			return t
		}
	}
	return nil
}

// leastWait is the least that the first wait of a, a retry, may take.
func leastWait(a *ir.Arm) int64 {
	b := a.Backoff
	switch {
	case b == nil:
		return shortened(ir.UsualFirst, ir.UsualJitter)
	case b.By == nil:
		return shortened(min(b.First, b.Last), b.Jitter)
	}
	if c := ir.Value(b.By); c != nil {
		return c.Int
	}
	if r := b.By.Type().Range; r != nil {
		return r.Lo
	}
	return 0
}

// shortened is wait × (1 - share), rounded down.
func shortened(wait int64, share *big.Rat) int64 {
	left := new(big.Rat).Sub(big.NewRat(1, 1), share)
	left.Mul(left, new(big.Rat).SetInt64(wait))
	return max(0, new(big.Int).Quo(left.Num(), left.Denom()).Int64())
}
