package explore

import (
	"math"
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/zone"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A path of the product is a run only if there are moments at which its inputs can
// come: a timer fires when it is due and before anything else that comes then or
// later, an attempt cannot say anything before it starts. Where clocks run beside
// each other a configuration holds what is known of their moments, as the number of
// a zone: when each timer of the leaf and around it is due, and when the attempt of
// each activity starts at the earliest. So every path has its moments, and every
// question is one of graphs, as it is without time. (The zone graph of a timed
// automaton: Alur and Dill, A theory of timed automata, 1994.)
//
// Zones are held only where they decide something: of a timer around a leaf in
// which another timer runs, or an activity with a time limit or a wait. Deadlines,
// and waits that nobody knows, may be over at any time and have no moment.

// maxTimed is the most configurations that are told apart by their times. A machine
// with more, or where it is more work, is explored with the timers of leaves alone,
// and if need be without times: then the order of the clocks is free but for what
// their lengths alone say; see forestalls.
const maxTimed = 20_000

// maxWork is the most bounds in all zones that steps may make: some hundredths of a second.
const maxWork = 1_000_000

// maxMoments is the most timers around a leaf that have moments: a zone has the
// square of them. With more of them a machine is explored without times.
const maxMoments = 24

// reach says which timers have moments.
type reach uint8

const (
	everyTimer reach = iota
	timersOfLeaves
)

// zoneBits is how many bits the number of a zone takes.
const zoneBits = 31

// clocks says which moments a machine's zones have.
type clocks struct {
	leaves []leafClocks // by state ID
	number field        // where a configuration holds the number of its zone
	prompt field        // and whether a timer may have been due when it began
}

// leafClocks are the moments of a zone in one leaf: the timers first, the outermost
// before those inside it, then the attempts.
type leafClocks struct {
	timers []timerClock
	upTo   []int        // by depth: how many of the timers stand in states down to there
	dos    []int        // by place of a do: its moment, or 0
	limits []zone.Clock // by moment
	idle   bool         // some of the timers restart
}

// timerClock is a timer that has a moment.
type timerClock struct {
	*ir.Timer
	ref         timerRef
	least, most int64 // Infinite where there is no end
}

// maxWait is the longest wait that has a moment, so that sums of a few fit into
// 64 bits: nine years.
const maxWait = 1 << 58

// newClocks gives the machine its moments; nil where none decides anything, and where
// they are too many.
func newClocks(t *flat.Table, tracked *tracked, which reach) (c *clocks, tooMany bool) {
	m := t.Machine
	if len(m.Timers) == 0 {
		return nil, false
	}
	matters := make([]bool, len(m.Timers))
	slow := make([][]zone.Clock, len(m.States)) // by leaf and place of a do; zero for one that is not
	any := false
	for _, leaf := range m.States {
		if leaf.Kind != ir.Leaf {
			continue
		}
		n := 0
		around := timing.TimersAround(leaf)
		if which == timersOfLeaves {
			around = leaf.Timers
		}
		for _, timer := range around {
			if hasMoment(timer, tracked) {
				n++
			}
		}
		if n > maxMoments {
			return nil, true
		}
		if n == 0 {
			continue
		}
		var late bool
		slow[leaf.ID], late = slowDos(t, leaf)
		if n > 1 || late || n == 1 && slices.ContainsFunc(around, func(t *ir.Timer) bool { return maybeAtOnce(t, tracked) }) {
			any = true
			for _, timer := range around {
				matters[timer.ID] = hasMoment(timer, tracked)
			}
		}
	}
	if !any {
		return nil, false
	}
	c = &clocks{leaves: make([]leafClocks, len(m.States))}
	for _, leaf := range m.States {
		if leaf.Kind == ir.Leaf {
			c.leaves[leaf.ID] = newLeafClocks(leaf, tracked, matters, slow[leaf.ID])
		}
	}
	return c, false
}

// refer notes how p tells which timers have fired.
func (c *clocks) refer(p *program) {
	for i := range c.leaves {
		for k := range c.leaves[i].timers {
			of := &c.leaves[i].timers[k]
			of.ref = p.ref(of.Timer)
		}
	}
}

// hasMoment reports whether anything is known of how long timer waits.
func hasMoment(timer *ir.Timer, tracked *tracked) bool {
	least, most := timing.WaitOf(timer)
	if timer.Var != nil && timer.Var.Type.Kind != ir.Duration && timer.Ahead == nil || least > maxWait || most > maxWait {
		return false
	}
	return most >= 0 || tracked.vars[timer.Var].valued()
}

// maybeAtOnce reports whether the data that timer reads tells whether it waits at
// all.
func maybeAtOnce(timer *ir.Timer, tracked *tracked) bool {
	least, most := timing.WaitOf(timer)
	return hasMoment(timer, tracked) && least == 0 && most != 0 && timer.Var != nil && tracked.vars[timer.Var].valued()
}

// slowDos says of each do of leaf after how long its attempts may say something that
// takes time, and how long they may wait to start.
func slowDos(t *flat.Table, leaf *ir.State) (slow []zone.Clock, any bool) {
	slow = make([]zone.Clock, len(leaf.Dos))
	if len(leaf.Dos) == 0 {
		return slow, false
	}
	for in := range t.Inputs(leaf) {
		if limit, timed := timing.Earliest(in.Case); timed && in.Kind == ir.CaseFailure {
			c := &slow[slices.Index(leaf.Dos, in.Do)]
			c.Past = max(c.Past, min(limit, maxWait))
			any = any || c.Past > 0
		}
	}
	for i, d := range leaf.Dos {
		for _, a := range t.Retries(d) {
			wait, bounded := timing.LongestWait(a)
			if !bounded {
				wait = maxWait
			}
			slow[i].Ahead = max(slow[i].Ahead, min(wait, maxWait))
		}
		any = any || slow[i].Ahead > 0
	}
	return slow, any
}

func newLeafClocks(leaf *ir.State, tracked *tracked, matters []bool, slow []zone.Clock) leafClocks {
	c := leafClocks{dos: make([]int, len(leaf.Dos)), limits: []zone.Clock{{}}}
	path := leaf.Chain()
	for i := len(path) - 1; i >= 0; i-- {
		for _, timer := range path[i].Timers {
			if !matters[timer.ID] {
				continue
			}
			least, most := timing.WaitOf(timer)
			if timer.Var != nil {
				least, most = tracked.waitWithin(timer, least, most)
			}
			if most < 0 {
				most = zone.Infinite
			}
			c.timers = append(c.timers, timerClock{Timer: timer, least: least, most: most})
			c.limits = append(c.limits, zone.Clock{Ahead: most, Past: zone.Infinite})
			c.idle = c.idle || timer.Idle
		}
		c.upTo = append(c.upTo, len(c.timers))
	}
	if len(c.timers) == 0 {
		return c
	}
	for i, s := range slow {
		if s.Past > 0 || s.Ahead > 0 {
			c.dos[i] = len(c.limits)
			c.limits = append(c.limits, s)
		}
	}
	return c
}

// waitCounts reports whether it is told whether the do at place i of leaf waits for a
// retry: the timers of the leaf may leave no time for the attempt.
func (c *clocks) waitCounts(leaf *ir.State, i int) bool {
	if c == nil {
		return false
	}
	of := &c.leaves[leaf.ID]
	return of.dos[i] > 0 && of.limits[of.dos[i]].Ahead > 0
}

// momentOf is the moment that t has in leaf; 0 where it has none.
func (c *clocks) momentOf(leaf *ir.State, t *ir.Timer) int {
	if c == nil {
		return 0
	}
	return 1 + slices.IndexFunc(c.leaves[leaf.ID].timers, func(of timerClock) bool { return of.Timer == t })
}

// started is a timer that a step has started, and how long it waits.
type started struct {
	timer       *ir.Timer
	least, most int64
}

// jittered is a wait with the share by which it varies. What comes of the two is looked
// up: computed with fractions in each step it takes longer than the rest of the step.
type jittered struct {
	wait  int64
	share *big.Rat
}

// lookUp is what memo has for k, or what compute says.
func lookUp[K comparable, V any](memo *map[K]V, k K, compute func() V) V {
	v, known := (*memo)[k]
	if !known {
		if *memo == nil {
			*memo = map[K]V{}
		}
		v = compute()
		(*memo)[k] = v
	}
	return v
}

// noteStart notes that t starts with the step at hand, which has entered its state.
func (s *step) noteStart(t *ir.Timer) {
	wait := lookUp(&s.spans, t, func() started {
		least, most := timing.WaitOf(t)
		return started{t, least, most}
	})
	least, most := wait.least, wait.most
	if t.Var != nil && t.Var.Type.Kind == ir.Duration {
		n := s.p.tracked.vars[t.Var]
		s.foot.reads(n)
		if lo, hi, known := n.span(s.next); known {
			least, most = max(0, lo), hi
			if hi != zone.Infinite {
				most = max(0, hi)
			}
			if most > 0 && most != zone.Infinite && t.Jitter != nil {
				most = lookUp(&s.longer, jittered{most, t.Jitter}, func() int64 { return timing.Lengthened(most, t.Jitter) })
			}
		}
	}
	if most < 0 {
		most = zone.Infinite
	}
	s.begun = append(s.begun, started{t, least, most})
}

// span is the least and the greatest value that n, a duration, may have in a
// configuration; false where it is not held.
func (n *node) span(words []uint64) (lo, hi int64, known bool) {
	if n.slot == nil || !n.valued() {
		return 0, 0, false
	}
	code, set := n.slot.load(words)
	if !set {
		return 0, 0, false
	}
	lo, hi = code, code
	if n.dom.sort == byRegion {
		lo, hi = math.MinInt64, zone.Infinite
		i := int(code / 2)
		switch cuts := n.dom.ints; {
		case code%2 == 1:
			lo, hi = cuts[i], cuts[i]
		default:
			if i > 0 {
				lo = cuts[i-1] + 1
			}
			if i < len(cuts) {
				hi = cuts[i] - 1
			}
		}
		if l, h, ranged := n.limits(); ranged {
			lo, hi = max(lo, l), min(hi, h)
		}
	}
	if hi > maxWait {
		hi = zone.Infinite
	}
	return min(lo, maxWait), hi, true
}
