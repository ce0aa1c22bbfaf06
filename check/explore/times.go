package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/zone"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// times are the moments of the configuration at hand while it is expanded.
type times struct {
	since  *zone.Zone // of what has happened in it
	moment *zone.Zone // when the input at hand comes
	then   *zone.Zone // after it
	first  *zone.Zone // see passTime
	part   *zone.Zone // see passTime
	saved  *zone.Zone // moment, before what an element has used up was looked at
	pieces []int32    // the numbers of its zones, in which the step ends

	work     int   // bounds in zones that were made
	wait     int64 // how long the retry at hand waits at least
	restarts bool  // the step at hand restarts idle timers
}

func newTimes() times {
	return times{moment: zone.New(0), then: zone.New(0), first: zone.New(0), part: zone.New(0), saved: zone.New(0)}
}

func (x *search) timed() bool { return x.Program.Clocks != nil }

// readClocks reads the zone of the configuration at hand.
func (x *search) readClocks() {
	if x.timed() {
		x.since = x.zones.At(int32(x.Program.Clocks.Zone.Get(x.Here)))
	}
}

// inTime reports whether in can come in the configuration at hand, before every
// timer that is due, and notes when.
func (x *search) inTime(leaf *ir.State, in *step.InputCode) bool {
	if !x.timed() {
		return true
	}
	switch in.Kind {
	case ir.CaseDone:
		x.moment.Copy(x.since)
		return true
	case ir.CaseTimer:
		return x.fires(leaf, in)
	case ir.CaseResult, ir.CaseFailure:
		limit, _ := timing.Earliest(x.Table, in.Case)
		return x.beforeTimers(leaf) && x.runsFor(leaf, in.Place, limit)
	}
	return x.beforeTimers(leaf)
}

// runningClocks calls f with the moments of the timers of leaf that are still to
// fire.
func (x *search) runningClocks(leaf *ir.State, words []uint64, f func(moment int, c *step.TimerClock) bool) bool {
	fired := x.Program.Packing.Fired.Get(words)
	timers := x.Program.Clocks.Leaves[leaf.ID].Timers
	for i := range timers {
		if timers[i].Ref.Runs(fired) && !f(i+1, &timers[i]) {
			return false
		}
	}
	return true
}

// beforeTimers is the time at which no timer is due yet.
func (x *search) beforeTimers(leaf *ir.State) bool {
	if !x.timed() {
		return true
	}
	x.moment.Copy(x.since)
	return x.runningClocks(leaf, x.Here, func(i int, _ *step.TimerClock) bool { return x.moment.Before(0, i) })
}

// runsFor is the time at which the attempt of the do in place i has run so long.
func (x *search) runsFor(leaf *ir.State, i int, limit int64) bool {
	if !x.timed() {
		return true
	}
	s := x.Program.Clocks.Leaves[leaf.ID].Dos[i]
	return s == 0 || x.moment.And(s, 0, -min(limit, data.MaxWait))
}

// usedUpInTime adds to the moment of the input at hand that its element has waited for all
// the retries that it has used up, and reports whether there is time for that.
func (x *search) usedUpInTime(leaf *ir.State, in *step.InputCode) bool {
	waits := int64(0)
	for _, c := range x.UsedUp {
		waits = graph.Sum(waits, timing.LeastWaits(c.Arm))
	}
	limit, _ := timing.Earliest(x.Table, in.Case)
	return x.runsFor(leaf, in.Place, graph.Sum(waits, limit))
}

// fires is the time at which the timer of in is due and no other timer comes before it.
func (x *search) fires(leaf *ir.State, in *step.InputCode) bool {
	t := in.Timer
	x.moment.Copy(x.since)
	own := 0
	if !x.runningClocks(leaf, x.Here, func(i int, c *step.TimerClock) bool {
		if c.Timer == t {
			own = i
			return x.moment.And(i, 0, 0)
		}
		return x.order(x.moment, 0, i, c.Timer, t)
	}) {
		return false
	}
	if own == 0 {
		return in.AtOnce || !x.Program.Packing.Pending.Any(x.Here)
	}
	x.moment.Free(own)
	return true
}

// order adds to z that t, due at moment i, fires before another timer, due at moment k,
// and reports whether anything is left.
func (x *search) order(z *zone.Zone, i, k int, other, t *ir.Timer) bool {
	if x.Program.Clocks.Ranks[other.ID] < x.Program.Clocks.Ranks[t.ID] {
		return z.Before(i, k)
	}
	return z.And(i, k, 0)
}

// ageMoved notes the times after a step that has entered a leaf.
func (x *search) ageMoved() {
	if !x.timed() {
		return
	}
	leaf := x.Program.Machine.States[x.Program.Packing.Leaf.Get(x.Next)]
	if leaf.Kind != ir.Leaf {
		x.pieces = append(x.pieces[:0], 0)
		return
	}
	c := &x.Program.Clocks.Leaves[leaf.ID]
	n := 0 // of the timers run on
	if x.Shared >= 0 {
		n = c.UpTo[x.Shared]
	}
	z := x.then
	x.restarts = true
	z.Keep(x.moment, n, len(c.Limits)-1)
	x.restartIdle(leaf, n)
	for _, s := range x.Timers {
		for i := n; i < len(c.Timers); i++ {
			if c.Timers[i].Timer == s.Timer {
				z.Set(i+1, 0, s.Least, s.Most)
			}
		}
	}
	for _, s := range c.Dos {
		if s > 0 {
			z.Set(s, 0, 0, 0)
		}
	}
	x.passTime(leaf)
}

// restartIdle restarts those of the first n timers of leaf that are idle and have
// not fired.
func (x *search) restartIdle(leaf *ir.State, n int) {
	if !x.Program.Clocks.Leaves[leaf.ID].Idle {
		return
	}
	x.runningClocks(leaf, x.Next, func(i int, c *step.TimerClock) bool {
		if i <= n && c.Idle {
			x.then.Set(i, 0, c.Least, c.Most)
		}
		return true
	})
}

// ageStayed notes the times after a step by c that has not left the leaf; c is nil
// where none was taken.
func (x *search) ageStayed(c *step.ChoiceCode, l Label) {
	if !x.timed() {
		return
	}
	leaf := x.From
	of := &x.Program.Clocks.Leaves[leaf.ID]
	x.then.Copy(x.moment)
	x.wait = 0
	s, place := 0, graph.None
	switch {
	case l.Kind == Ended || l.Kind == Begun:
		place = int32(slices.Index(leaf.Dos, x.Program.Machine.Dos[l.Do]))
	case c != nil && x.In.Do != nil:
		place = int32(x.In.Place)
	}
	if place != graph.None {
		s = of.Dos[place]
	}
	if l.Kind == Retried { // a witness has times also where no clock matters
		x.wait = min(x.ShortestWait(c), data.MaxWait)
	}
	switch {
	case s == 0:
	case leaf.Dos[place].Fan != nil:
		if x.Program.Packing.Visits[leaf.ID].HasEnded(x.Next, int(place)) {
			x.then.Free(s)
		}
	case l.Kind == Retried:
		x.then.Set(s, 0, x.wait, x.wait)
		if x.Program.Clocks.WaitCounts(leaf, int(place)) {
			x.Program.Packing.Visits[leaf.ID].Waiting[place].Set(x.Next, 1)
		}
	case l.Kind == Begun:
		x.then.Set(s, 0, 0, 0)
	default:
		x.then.Free(s)
	}
	x.restarts = l.Kind == Ended || c != nil && (c.Arm != nil || !c.Defer)
	if x.restarts {
		x.restartIdle(leaf, len(of.Timers))
	}
	x.passTime(leaf)
}

// passTime lets the time pass in the configuration that the step has made, where
// nothing comes at once there, and notes its zones: one part for each timer that may be
// the first to fire, and two where that may be due at once. Runs that differ in that may
// end in different ways, and what is true of some runs of a configuration should be true
// of all.
func (x *search) passTime(leaf *ir.State) {
	z := x.then
	running := 0
	x.pieces = x.pieces[:0]
	x.runningClocks(leaf, x.Next, func(i int, first *step.TimerClock) bool {
		running++
		x.first.Copy(z)
		if !x.runningClocks(leaf, x.Next, func(k int, other *step.TimerClock) bool {
			return k == i || x.order(x.first, i, k, other.Timer, first.Timer)
		}) {
			return true
		}
		x.part.Copy(x.first)
		if x.part.And(i, 0, 0) {
			x.notePiece(leaf, x.part)
		}
		if x.first.Before(0, i) {
			x.letPass(leaf, x.first)
			x.notePiece(leaf, x.first)
		}
		return true
	})
	if running == 0 {
		x.letPass(leaf, z)
		x.notePiece(leaf, z)
	}
}

// letPass lets the time pass in z until a timer is due, where nothing comes at once.
func (x *search) letPass(leaf *ir.State, z *zone.Zone) {
	if x.Program.DoneDue(leaf, x.Next) || x.Program.Packing.Pending.Any(x.Next) || x.Program.Packing.OverDue.Any(x.Next) {
		return
	}
	z.Elapse()
	x.runningClocks(leaf, x.Next, func(i int, _ *step.TimerClock) bool { return z.And(0, i, 0) })
}

// notePiece notes a zone in which the step ends.
func (x *search) notePiece(leaf *ir.State, z *zone.Zone) {
	c := &x.Program.Clocks.Leaves[leaf.ID]
	x.work += len(c.Limits) * len(c.Limits)
	z.Abstract(c.Limits)
	x.pieces = append(x.pieces, x.zones.Number(z))
}

// beginAttempts adds the starts of attempts of leaf for which a retry waits. What
// comes in the instant of a timer comes too late.
func (x *search) beginAttempts(leaf *ir.State) {
	v := &x.Program.Packing.Visits[leaf.ID]
	for i, d := range leaf.Dos {
		if !v.IsWaiting(x.Here, i) || !x.beforeTimers(leaf) || !x.runsFor(leaf, i, 0) {
			continue
		}
		x.Begin()
		v.Waiting[i].Set(x.Next, 0)
		x.emitStay(nil, Label{Kind: Begun, Input: graph.None, Arm: graph.None, Do: int32(d.ID)}, true)
	}
}

// checkpoints adds the steps in which activities of leaf note how far they have come,
// once or as often as they like: that restarts idle timers and does nothing else.
func (x *search) checkpoints(leaf *ir.State) {
	if !x.timed() || !x.Program.Clocks.Leaves[leaf.ID].Idle {
		return
	}
	v := &x.Program.Packing.Visits[leaf.ID]
	of := &x.Program.Clocks.Leaves[leaf.ID]
	for i, d := range leaf.Dos {
		if v.HasEnded(x.Here, i) || v.IsWaiting(x.Here, i) || !x.beforeTimers(leaf) || !x.runsFor(leaf, i, 0) {
			continue
		}
		x.Begin()
		z := x.then
		z.Copy(x.moment)
		x.runningClocks(leaf, x.Here, func(i int, c *step.TimerClock) bool {
			if c.Idle {
				z.Free(i)
			}
			return true
		})
		z.Elapse()
		x.runningClocks(leaf, x.Here, func(i int, c *step.TimerClock) bool { return c.Idle || z.Before(0, i) })
		x.restarts = true
		x.restartIdle(leaf, len(of.Timers))
		x.passTime(leaf)
		x.emit(x.label(Label{Kind: Checkpoint, Input: graph.None, Arm: graph.None, Do: int32(d.ID)}), false)
	}
}
