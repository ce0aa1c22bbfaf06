package data

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/zone"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// constants are the values that v may hold, where nothing but constants is assigned to
// it; nil where something else is.
func (t *Tracked) constants(v *ir.Var) []int64 {
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

// WaitWithin is the least and the most that a timer which reads data waits, given what
// its type alone says of that.
func (t *Tracked) WaitWithin(timer *ir.Timer, least, most int64) (int64, int64) {
	if list := t.constants(timer.Var); list != nil {
		least, most = max(0, slices.Min(list)), max(0, slices.Max(list))
		if most > 0 && timer.Jitter != nil {
			most = timing.Lengthened(most, timer.Jitter)
		}
	}
	return least, most
}

// MaxWait is the longest wait that has a moment, so that sums of a few fit into
// 64 bits: nine years.
const MaxWait = 1 << 58

// Span is the least and the greatest value that n, a duration, may have in a
// configuration; false where it is not held.
func (n *Node) Span(words []uint64) (lo, hi int64, known bool) {
	if n.Slot == nil || !n.Valued() {
		return 0, 0, false
	}
	code, set := n.Slot.Load(words)
	if !set {
		return 0, 0, false
	}
	lo, hi = code, code
	if n.Domain.Sort == ByRegion {
		lo, hi = n.Domain.between(code)
		if l, h, ranged := n.Limits(); ranged {
			lo, hi = max(lo, l), min(hi, h)
		}
	}
	if hi > MaxWait {
		hi = zone.Infinite
	}
	return min(lo, MaxWait), hi, true
}
