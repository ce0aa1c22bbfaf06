package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/zone"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// times are the moments of the configuration at hand while it is expanded: of what has happened in it,
type times struct {
	since  *zone.Zone
	moment *zone.Zone // when the input at hand comes
	then   *zone.Zone // after it
	part   *zone.Zone // see split
	pieces []int32    // the numbers of its zones, in which the step ends

	work     int   // bounds in zones that were made
	waits    int64 // how long the retry at hand waits at least
	restarts bool  // the step at hand restarts idle timers
}

func newTimes() times { return times{moment: zone.New(0), then: zone.New(0), part: zone.New(0)} }

func (x *search) timed() bool { return x.p.clocks != nil }

// readClocks reads the zone of the configuration at hand.
func (x *search) readClocks() {
	if x.timed() {
		x.since = x.zones.At(int32(x.p.clocks.number.get(x.here)))
	}
}

// inTime reports whether in can come in the configuration at hand, before every
// timer that is due, and notes when.
func (x *search) inTime(leaf *ir.State, in *inputCode) bool {
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
		limit := int64(0)
		if in.Kind == ir.CaseFailure {
			limit, _ = timing.Earliest(in.Case)
		}
		return x.beforeTimers(leaf) && x.runsFor(leaf, in.do, limit)
	}
	return x.beforeTimers(leaf)
}

// runningClocks calls f with the moments of the timers of leaf that are still to
// fire.
func (x *search) runningClocks(leaf *ir.State, words []uint64, f func(moment int, c *timerClock) bool) bool {
	spent := x.p.packing.spent.get(words)
	timers := x.p.clocks.leaves[leaf.ID].timers
	for i := range timers {
		if timers[i].ref.pending(spent) && !f(i+1, &timers[i]) {
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
	return x.runningClocks(leaf, x.here, func(i int, _ *timerClock) bool { return x.moment.Before(0, i) })
}

// runsFor is the time at which the attempt of the do in place i has run so long.
func (x *search) runsFor(leaf *ir.State, i int, limit int64) bool {
	if !x.timed() {
		return true
	}
	s := x.p.clocks.leaves[leaf.ID].dos[i]
	return s == 0 || x.moment.And(s, 0, -min(limit, maxWait))
}

// fires is the time at which the timer of in is due and no other timer comes before it.
func (x *search) fires(leaf *ir.State, in *inputCode) bool {
	t := in.Timer
	x.moment.Copy(x.since)
	own := 0
	if !x.runningClocks(leaf, x.here, func(i int, c *timerClock) bool {
		if c.Timer == t {
			own = i
			return x.moment.And(i, 0, 0)
		}
		return order(x.moment, 0, i, c.Timer, t)
	}) {
		return false
	}
	if own == 0 {
		return in.atOnce || !x.hasPending()
	}
	x.moment.Free(own)
	return true
}

// order adds to z that t, due at moment i, fires before another timer, due at moment k,
// and reports whether anything is left.
func order(z *zone.Zone, i, k int, other, t *ir.Timer) bool {
	if timing.FirstOfEquals(other, t) {
		return z.Before(i, k)
	}
	return z.And(i, k, 0)
}

// ageMoved notes the times after a step that has entered a leaf.
func (x *search) ageMoved() {
	if !x.timed() {
		return
	}
	leaf := x.p.m.States[x.p.packing.leaf.get(x.next)]
	if leaf.Kind != ir.Leaf {
		x.p.clocks.prompt.set(x.next, 0)
		x.pieces = append(x.pieces[:0], 0)
		return
	}
	c := &x.p.clocks.leaves[leaf.ID]
	n := 0 // of the timers run on
	if x.step.shared >= 0 {
		n = c.upTo[x.step.shared]
	}
	z := x.then
	x.restarts = true
	z.Keep(x.moment, n, len(c.limits)-1)
	x.restartIdle(leaf, n)
	for _, s := range x.begun {
		for i := n; i < len(c.timers); i++ {
			if c.timers[i].Timer == s.timer {
				z.Set(i+1, 0, s.least, s.most)
			}
		}
	}
	for _, s := range c.dos {
		if s > 0 {
			z.Set(s, 0, 0, 0)
		}
	}
	x.passTime(leaf)
}

// restartIdle restarts those of the first n timers of leaf that are idle and have
// not fired.
func (x *search) restartIdle(leaf *ir.State, n int) {
	if !x.p.clocks.leaves[leaf.ID].idle {
		return
	}
	x.runningClocks(leaf, x.next, func(i int, c *timerClock) bool {
		if i <= n && c.Idle {
			x.then.Set(i, 0, c.least, c.most)
		}
		return true
	})
}

// ageStayed notes the times after a step by c that has not left the leaf; c is nil
// where none was taken.
func (x *search) ageStayed(c *choiceCode, l Label) {
	if !x.timed() {
		return
	}
	leaf := x.step.from
	of := &x.p.clocks.leaves[leaf.ID]
	x.then.Copy(x.moment)
	x.waits = 0
	s, place := 0, graph.None
	switch {
	case l.Kind == Ended || l.Kind == Begun:
		place = int32(slices.Index(leaf.Dos, x.p.m.Dos[l.Do]))
	case c != nil && x.input.Do != nil:
		place = int32(x.input.do)
	}
	if place != graph.None {
		s = of.dos[place]
	}
	if l.Kind == Retried { // a witness has times also where no clock matters
		x.waits = min(x.shortestWait(c), maxWait)
	}
	switch {
	case s == 0:
	case l.Kind == Retried:
		x.then.Set(s, 0, x.waits, x.waits)
		if x.p.clocks.waitCounts(leaf, int(place)) {
			x.p.packing.visits[leaf.ID].waits[place].set(x.next, 1)
		}
	case l.Kind == Begun:
		x.then.Set(s, 0, 0, 0)
	default:
		x.then.Free(s)
	}
	x.restarts = l.Kind == Ended || c != nil && (c.Arm != nil || !c.Defer)
	if x.restarts {
		x.restartIdle(leaf, len(of.timers))
	}
	x.passTime(leaf)
}

// Timed reports whether configurations are told apart by their times, so that every
// path has its moments.
func (p *Product) Timed() bool { return p.program.clocks != nil }

// Fires reports whether t fires in some run, whether or not something takes it.
func (p *Product) Fires(t *ir.Timer) bool { return p.fired[t.ID] }

// Awaited reports whether t runs in some configuration in which something else than
// `done` can come.
func (p *Product) Awaited(t *ir.Timer) bool {
	for c := int32(1); int(c) < p.Configurations(); c++ {
		if s := p.Leaf(c); s.Kind == ir.Leaf && s.Inside(t.State) && p.Runs(c, t) && !p.DoneDue(c) {
			return true
		}
	}
	return false
}

// shortestWait is how long the retry that is taken by c waits at least: as an
// attempt can take its time, a longer wait lets nothing happen that this does not.
func (x *search) shortestWait(c *choiceCode) int64 {
	a := c.Arm
	b := a.Backoff
	switch {
	case b.By != nil:
		if ref, ok := b.By.(*ir.VarRef); ok {
			n := x.p.tracked.vars[ref.Var]
			x.foot.readsOld(n)
			if lo, _, known := n.span(x.here); known {
				return max(0, lo)
			}
		}
		return timing.LeastWait(a)
	case a.Max == nil:
		return timing.LeastWait(a)
	}
	wait := timing.BackoffWait(b, int64(c.counter.get(x.here))+1)
	return lookUp(&x.shorter, jittered{wait, b.Jitter}, func() int64 { return timing.Shortened(wait, b.Jitter) })
}

// passTime lets the time pass in the configuration that the step has made, where
// nothing comes at once there, and notes its zone.
func (x *search) passTime(leaf *ir.State) {
	z, prompt := x.then, uint64(0)
	x.runningClocks(leaf, x.next, func(i int, _ *timerClock) bool {
		if z.MayFollow(0, i) {
			prompt = 1
		}
		return true
	})
	x.p.clocks.prompt.set(x.next, prompt)
	if !x.p.doneDue(leaf, x.next) && !anySet(x.p.packing.pending, x.next) {
		z.Elapse()
		x.runningClocks(leaf, x.next, func(i int, _ *timerClock) bool { return z.And(0, i, 0) })
	}
	x.split(leaf)
}

// split notes the zone that the step has made, one part for each timer that may be
// the first to fire: runs that differ in that may end in different ways, and what is
// true of some runs of a configuration should be true of all.
func (x *search) split(leaf *ir.State) {
	c := &x.p.clocks.leaves[leaf.ID]
	x.pieces = x.pieces[:0]
	note := func(z *zone.Zone) {
		x.work += len(c.limits) * len(c.limits)
		z.Abstract(c.limits)
		x.pieces = append(x.pieces, x.zones.Number(z))
	}
	running := 0
	x.runningClocks(leaf, x.next, func(int, *timerClock) bool { running++; return true })
	if running < 2 {
		note(x.then)
		return
	}
	x.runningClocks(leaf, x.next, func(i int, first *timerClock) bool {
		x.part.Copy(x.then)
		if x.runningClocks(leaf, x.next, func(k int, other *timerClock) bool {
			return k == i || order(x.part, i, k, other.Timer, first.Timer)
		}) {
			note(x.part)
		}
		return true
	})
}

func anySet(fields []field, words []uint64) bool {
	for _, f := range fields {
		if f.get(words) != 0 {
			return true
		}
	}
	return false
}

// beginAttempts adds the starts of attempts of leaf for which a retry waits. What
// comes in the instant of a timer comes too late.
func (x *search) beginAttempts(leaf *ir.State) {
	v := &x.p.packing.visits[leaf.ID]
	for i, d := range leaf.Dos {
		if !v.isWaiting(x.here, i) || !x.beforeTimers(leaf) || !x.runsFor(leaf, i, 0) {
			continue
		}
		x.step.begin()
		v.waits[i].set(x.next, 0)
		x.emitStay(nil, Label{Kind: Begun, Input: graph.None, Arm: graph.None, Do: int32(d.ID)}, true)
	}
}

// checkpoints adds the steps in which activities of leaf note how far they have come,
// once or as often as they like: that restarts idle timers and does nothing else.
func (x *search) checkpoints(leaf *ir.State) {
	if !x.timed() || !x.p.clocks.leaves[leaf.ID].idle {
		return
	}
	v := &x.p.packing.visits[leaf.ID]
	of := &x.p.clocks.leaves[leaf.ID]
	for i, d := range leaf.Dos {
		if v.hasEnded(x.here, i) || v.isWaiting(x.here, i) || !x.beforeTimers(leaf) || !x.runsFor(leaf, i, 0) {
			continue
		}
		x.step.begin()
		z := x.then
		z.Copy(x.moment)
		x.runningClocks(leaf, x.here, func(i int, c *timerClock) bool {
			if c.Idle {
				z.Free(i)
			}
			return true
		})
		z.Elapse()
		x.runningClocks(leaf, x.here, func(i int, c *timerClock) bool { return c.Idle || z.Before(0, i) })
		x.restarts = true
		x.restartIdle(leaf, len(of.timers))
		x.passTime(leaf)
		x.emit(x.label(Label{Kind: Checkpoint, Input: graph.None, Arm: graph.None, Do: int32(d.ID)}), false)
	}
}
