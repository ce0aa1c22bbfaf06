package timing

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Forestaller is a timer around t, or beside it, that always fires before t
// while it runs: if there is one, such that this ends t; nil where there is none.
func Forestaller(table *flat.Table, t *ir.Timer) *ir.Timer {
	least, _ := WaitOf(t)
	c := ir.Case{Kind: ir.CaseTimer, Timer: t}
	for _, outlives := range []bool{false, true} {
		for _, other := range TimersAround(t.State) {
			if OutlivesFiring(other) == outlives && (Forestalls(other, c, least) || IdlesOut(table, t.State, other, c)) {
				return other
			}
		}
	}
	return nil
}

// IdlesOut reports whether t, an `idle` timer of leaf or around it, always comes
// before c, a timer of leaf: both start with the visit, t is the shorter one, and
// nothing but c can restart it.
func IdlesOut(table *flat.Table, leaf *ir.State, t *ir.Timer, c ir.Case) bool {
	if !t.Idle || c.Kind != ir.CaseTimer || c.Timer == t || c.Timer.State != leaf {
		return false
	}
	_, most := WaitOf(t)
	least, _ := WaitOf(c.Timer)
	return most >= 0 && most < least && IsCalm(table, leaf, c.Timer)
}

// IsCalm reports whether nothing but a timer can restart an `idle` one while a
// run is in leaf, or nothing at all where timer is nil: the leaf has no activities,
// and every input leads elsewhere.
func IsCalm(table *flat.Table, leaf *ir.State, timer *ir.Timer) bool {
	if len(leaf.Dos) > 0 {
		return false
	}
	for in := range table.Inputs(leaf) {
		if (timer == nil || in.Timer != timer) && slices.ContainsFunc(in.Choices, restartsIdle) {
			return false
		}
	}
	return true
}

// restartsIdle reports whether c takes an input without leaving the leaf, other than by
// deferring it: that restarts idle timers.
func restartsIdle(c ir.Choice) bool { return !c.Defer && flat.Stays(c) }

// EndsBefore is a timer of leaf or around it that always ends the visit before
// something is over that starts no earlier than the visit and takes so many
// nanoseconds; nil where there is none.
func EndsBefore(leaf *ir.State, takes int64) *ir.Timer {
	for _, t := range TimersAround(leaf) {
		if _, most := WaitOf(t); most >= 0 && most < takes && !t.Idle && !OutlivesFiring(t) {
			return t
		}
	}
	return nil
}

// Forestalls reports whether t, which stands in the leaf or around it, always
// comes before c while it runs: it started no later than c's own limit and ends
// before it. Of equals the inner timer fires first, of one state's the one whose
// name is first, and any timer before a failure.
func Forestalls(t *ir.Timer, c ir.Case, earliest int64) bool {
	_, most := WaitOf(t)
	if most < 0 || t.Idle && most > 0 { // nothing can come before one of 0s, to restart it
		return false
	}
	if c.Kind == ir.CaseTimer {
		return t != c.Timer && c.Timer.State.Inside(t.State) && (most < earliest || most == earliest && ranksBefore(t, c.Timer))
	}
	return most <= earliest
}

// ranksBefore reports whether of two timers of one state t fires first where both
// are due at one instant; see docs/decisions/0017-timers-of-one-instant.md.
func ranksBefore(t, other *ir.Timer) bool {
	if t.State != other.State {
		return false
	}
	if a, b := t.Text(), other.Text(); a != b {
		return a < b
	}
	return t.ID < other.ID
}

// FirstOfEquals reports whether t fires before other where both are due at one moment:
// the inner one does, then the one whose name is first.
func FirstOfEquals(t, other *ir.Timer) bool {
	d := t.State.Depth - other.State.Depth
	return d > 0 || d == 0 && ranksBefore(t, other)
}
