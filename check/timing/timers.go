// Package timing says how long timers, attempts and the waits before retries last, and
// which of two always comes first, by the text of a machine alone: no run is looked at.
// Times are nanoseconds.
package timing

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// OutlivesFiring reports whether the state of t may still be active after t has
// fired, so that it matters that a timer fires once.
func OutlivesFiring(t *ir.Timer) bool {
	for _, a := range t.Arms {
		if a.Kind != ir.Goto {
			return true
		}
		target := a.Target
		if target != nil && target.Kind != ir.Terminal && target != t.State && target.Inside(t.State) {
			return true
		}
	}
	return false
}

// TimersAround are the timers of leaf, and then those of the states around it.
func TimersAround(leaf *ir.State) []*ir.Timer {
	var out []*ir.Timer
	for s := leaf; s != nil; s = s.Parent {
		out = append(out, s.Timers...)
	}
	return out
}

// Earliest is how long after its state was entered, or its attempt began, c can come at the
// earliest, where that is a matter of its own limit, or of the machine that is called.
func Earliest(t *flat.Table, c ir.Case) (int64, bool) {
	switch c.Kind {
	case ir.CaseTimer:
		least, _ := WaitOf(c.Timer)
		return least, true
	case ir.CaseResult:
		least := t.Soonest(c.Do.Activity, c.Event)
		return least, least > 0
	case ir.CaseFailure:
		if limit := c.Do.Limit(c.Category.Name); limit != nil {
			return *limit, true
		}
	}
	return 0, false
}

// WaitOf is the least and the most that t may wait; most is -1 where there is no
// end.
func WaitOf(t *ir.Timer) (least, most int64) {
	least, most = t.Delay, t.Delay
	if t.Var != nil && t.Var.Always() != nil {
		least = max(0, t.Var.Default.Int)
		most = least
	} else if t.Var != nil {
		least, most = 0, -1
		r := t.Ahead
		if t.Var.Type.Kind == ir.Duration {
			r = t.Var.Type.Range
		}
		if r != nil {
			least, most = max(0, r.Lo), max(0, r.Hi)
		}
	}
	if most > 0 && t.Jitter != nil {
		most = Lengthened(most, t.Jitter)
	}
	return max(0, least), most
}

// AttemptLimit is how long an attempt of d may last; graph.Infinite without end.
func AttemptLimit(d *ir.Do) int64 {
	if d.Timeout == nil {
		return graph.Infinite
	}
	return *d.Timeout
}
