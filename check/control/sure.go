package control

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Two questions can often be settled on the control graph, without data and
// counters. A step that cannot be computed counts as one that can: that a run may
// halt there is the question of out-of-range and read-before-set.

// SurelyEntered marks by state ID what some run enters whatever its data: along
// arms that are the first choice for their input, without a guard, and with a
// bound that cannot be used up yet. A bounded arm counts where it stands in a
// leaf, which a shortest path leaves once.
func (c *Graph) SurelyEntered() []bool {
	seen := make([]bool, len(c.Table.Machine.States))
	start := c.Table.Machine.Root.Leaf()
	if start == nil || start.Require != nil {
		return seen
	}
	for v, reached := range c.Filter(c.sureEdge).Reach(int32(start.ID)) {
		for s := c.Leaf(int32(v)); reached && s != nil && !seen[s.ID]; s = s.Parent {
			seen[s.ID] = true
		}
	}
	return seen
}

// sureEdge reports whether a run in the leaf from takes edge e, if its input comes
// first in the visit, and whether it can.
func (c *Graph) sureEdge(from, e int32) bool {
	x, leaf := c.Edges[e], c.Leaf(from)
	a := x.Arm
	if x.Input == graph.None || x.Once || c.Table.Case(x.Input).Kind == ir.CaseOverBudget || a.When != nil || a.Target.Leaf().Require != nil {
		return false
	}
	if a.Max != nil && (*a.Max <= 0 || a.State != leaf) {
		return false
	}
	in := c.Table.Case(x.Input)
	if flat.MayDoNothing(leaf) || in.Do != nil && flat.MayBeEmpty(in.Do) {
		return false
	}
	if comesLate(leaf, in) || c.ruled(leaf, in) || c.outrun(leaf, in, c.hasTime) {
		return false
	}
	for in := range c.Table.Inputs(leaf) {
		if in.ID == x.Input {
			return in.Choices[0].Arm == a
		}
	}
	return false
}

// comesLate leaves out what does not come as soon as leaf is entered: in a choice
// state all but `done`, elsewhere `done`.
func comesLate(leaf *ir.State, c ir.Case) bool {
	return (c.Kind == ir.CaseDone) != leaf.IsChoice()
}

// ruled reports whether a timer around leaf may always come before in, or any of
// its timers fires at once.
func (c *Graph) ruled(leaf *ir.State, in ir.Case) bool {
	earliest, timed := timing.Earliest(c.Table, in)
	return slices.ContainsFunc(timing.TimersAround(leaf), func(t *ir.Timer) bool {
		_, most := timing.WaitOf(t)
		return most == 0 && t != in.Timer || timed && timing.Forestalls(t, in, earliest) || timing.IdlesOut(c.Table, leaf, t, in)
	})
}

// outrun reports whether a timer around leaf that started with another state may
// always come before c, which comes when its own time is up; harmless are those of
// which it does not matter.
func (c *Graph) outrun(leaf *ir.State, in ir.Case, harmless func(*ir.Timer) bool) bool {
	since := leaf
	if in.Kind == ir.CaseTimer {
		since = in.Timer.State
	}
	if least, timed := timing.Earliest(c.Table, in); !timed || least == 0 {
		return false
	}
	return slices.ContainsFunc(timing.TimersAround(leaf), func(t *ir.Timer) bool {
		_, most := timing.WaitOf(t)
		return most >= 0 && t.State != since && !harmless(t)
	})
}

// endsRun reports whether t ends the run when it fires.
func endsRun(t *ir.Timer) bool {
	return len(t.Arms) == 1 && t.Arms[0].State == t.State && t.Arms[0].Kind == ir.Goto && t.Arms[0].When == nil && t.Arms[0].Max == nil &&
		t.Arms[0].Target != nil && t.Arms[0].Target.Kind == ir.Terminal
}

// hasTime reports whether t, a timer of the machine, waits longer than any state takes
// to be reached on a shortest path, on which each leaf is entered once.
func (c *Graph) hasTime(t *ir.Timer) bool {
	least, _ := timing.WaitOf(t)
	if t.State.Parent != nil {
		return false
	}
	if c.total == 0 {
		for _, timer := range c.Table.Machine.Timers {
			if timer.State.Parent != nil {
				wait, _ := timing.WaitOf(timer)
				c.total = graph.Sum(c.total, wait)
			}
		}
		for _, d := range c.Table.Machine.Dos {
			for _, l := range d.Limits() {
				c.total = graph.Sum(c.total, l.After)
			}
			for _, e := range d.Activity.Results {
				c.total = graph.Sum(c.total, c.Table.Soonest(d.Activity, e))
			}
		}
		c.total = graph.Sum(c.total, 1)
	}
	return c.total < least
}

// SureToFinish reports whether from every leaf to which some path leads a terminal
// state can be reached whatever the data and the counters are. An arm that a run takes only so often
// may lead anywhere: each leaf has its own way, and once the arm is used up what stands behind it is taken.
func (c *Graph) SureToFinish() bool {
	for v, sure := range c.surelyEnding() {
		if s := c.Leaf(int32(v)); !sure && s.Kind == ir.Leaf && c.first[v] != graph.None {
			return false
		}
	}
	return true
}

// surelyEnding marks by state ID the leaves from which one can: the attractor of
// the terminals, to which a leaf belongs where some input can come of which every
// choice that may be taken leads into it, and one surely is. A bounded retry only
// puts that off.
func (c *Graph) surelyEnding() []bool {
	sure := make([]bool, c.Len())
	for v := range sure {
		sure[v] = c.Leaf(int32(v)).Kind == ir.Terminal
	}
	first := c.FirstOfInput(func(e int32) int32 { return c.Edges[e].Input })
	left := c.openChoices(first)
	return c.Attractor(sure, func(e int32) bool {
		if c.limited(e) {
			return false
		}
		n := left[first[e]]
		if n > 0 {
			left[first[e]] = n - 1
		}
		return n == 1
	})
}

// limited reports whether a run takes edge e only so often.
func (c *Graph) limited(e int32) bool {
	a := c.Edges[e].Arm
	return a != nil && a.Kind == ir.Goto && a.Max != nil && a.Scope.Kind == ir.PerRun
}

// openChoices counts for each input that surely can come the edges that must all
// lead on, at the first of them; what may stay behind or be refused counts 0.
func (c *Graph) openChoices(first []int32) []int32 {
	left := make([]int32, len(c.To))
	counts := map[int32]bool{}
	for _, leaf := range c.Table.Machine.States {
		from, to := c.First[leaf.ID], c.First[leaf.ID+1]
		if from == to {
			continue
		}
		clear(counts)
		for in := range c.Inputs(leaf) {
			counts[in.ID] = !c.ruled(leaf, in.Case) && !c.outrun(leaf, in.Case, endsRun) && leadsOn(in) && !c.waitsForOthers(leaf, in.Case)
		}
		for e := from; e < to; e++ {
			if counts[c.Edges[e].Input] && !c.limited(e) {
				left[first[e]]++
			}
		}
	}
	return left
}

// waitsForOthers leaves out what the leaf alone does not tell: whether an activity
// still runs, whether all have ended, which timers have fired, whether cancel or
// over_budget was taken.
func (c *Graph) waitsForOthers(leaf *ir.State, in ir.Case) bool {
	if leaf.IsChoice() {
		return in.Kind != ir.CaseDone
	}
	if in.Kind == ir.CaseDone {
		return !c.surelyDone(leaf)
	}
	if flat.MayDoNothing(leaf) {
		return true
	}
	switch in.Kind {
	case ir.CaseCancel, ir.CaseOverBudget:
		return true
	case ir.CaseTimer:
		return timing.OutlivesFiring(in.Timer)
	case ir.CaseResult, ir.CaseFailure:
		return len(leaf.Dos) > 1 || c.inPlace[in.Do]
	}
	return false
}

// surelyDone reports whether `done` can come however far the activities of leaf are: each of
// them can end there, and no timer leads elsewhere before, but to the end of the run. An event
// that was kept, or `over_budget`, may lead elsewhere only so many times.
func (c *Graph) surelyDone(leaf *ir.State) bool {
	for _, t := range timing.TimersAround(leaf) {
		if !endsRun(t) && slices.ContainsFunc(t.Arms, func(a *ir.Arm) bool { return a.Kind == ir.Goto }) {
			return false
		}
	}
	ends := flat.InPlace{}
	for _, d := range leaf.Dos {
		ends[d] = d.Activity.Silent() || d.NeverRuns()
	}
	for in := range c.Inputs(leaf) {
		if in.Do != nil && surely(in, flat.Stays) {
			ends[in.Do] = true
		}
	}
	return ends.All(leaf)
}

// leadsOn reports whether in is surely taken, by an arm that leads elsewhere in
// the end.
func leadsOn(in flat.Input) bool {
	return surely(in, func(c ir.Choice) bool { return c.Arm != nil && c.Arm.Kind == ir.Goto })
}

// surely reports whether in is surely taken, in the end by a choice of that sort.
func surely(in flat.Input, sort func(ir.Choice) bool) bool {
	for _, c := range in.Choices {
		switch {
		case c.Arm != nil && c.Arm.Kind == ir.Retry && c.Arm.Max != nil && c.Arm.Scope.Kind != ir.PerState:
		case !sort(c):
			return false
		case c.Arm == nil || c.Arm.When == nil && c.Arm.Max == nil:
			return true
		}
	}
	return false
}
