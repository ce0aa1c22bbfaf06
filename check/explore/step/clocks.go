package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
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

// maxMoments is the most timers around a leaf that have moments: a zone has the
// square of them. With more of them a machine is explored without times.
const maxMoments = 24

// Which says which timers have moments.
type Which uint8

const (
	EveryTimer Which = iota
	TimersOfLeaves
)

// zoneBits is how many bits the number of a zone takes.
const zoneBits = 31

// Clocks says which moments a machine's zones have.
type Clocks struct {
	Leaves []leafClocks // by state ID
	Zone   data.Bits    // where a configuration holds the number of its zone
	Ranks  []int        // by timer ID: of two around a leaf that are due at one moment the lower one fires first
}

// leafClocks are the moments of a zone in one leaf: the timers first, the outermost
// before those inside it, then the attempts.
type leafClocks struct {
	Timers []TimerClock
	UpTo   []int        // by depth: how many of the timers stand in states down to there
	Dos    []int        // by place of a do: its moment, or 0
	Limits []zone.Clock // by moment
	Idle   bool         // some of the timers restart
}

// TimerClock is a timer that has a moment.
type TimerClock struct {
	*ir.Timer
	Ref         TimerRef
	Least, Most int64 // Infinite where there is no end
}

// NewClocks gives the machine its moments; nil where none decides anything, and where
// they are too many.
func NewClocks(t *flat.Table, tracked *data.Tracked, which Which) (c *Clocks, tooMany bool) {
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
		if which == TimersOfLeaves {
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
	_, fired, _ := firedSlots(m)
	c = &Clocks{Leaves: make([]leafClocks, len(m.States)), Ranks: make([]int, len(m.Timers))}
	inOrder := slices.SortedFunc(slices.Values(m.Timers), func(a, b *ir.Timer) int {
		switch {
		case timing.FirstOfEquals(a, b):
			return -1
		case timing.FirstOfEquals(b, a):
			return 1
		}
		return a.State.ID - b.State.ID
	})
	for rank, timer := range inOrder {
		c.Ranks[timer.ID] = rank
	}
	for _, leaf := range m.States {
		if leaf.Kind == ir.Leaf {
			c.Leaves[leaf.ID] = newLeafClocks(leaf, tracked, matters, fired, slow[leaf.ID])
		}
	}
	return c, false
}

// hasMoment reports whether anything is known of how long timer waits.
func hasMoment(timer *ir.Timer, tracked *data.Tracked) bool {
	least, most := timing.WaitOf(timer)
	if timer.Var != nil && timer.Var.Type.Kind != ir.Duration && timer.Ahead == nil || least > data.MaxWait || most > data.MaxWait {
		return false
	}
	return most >= 0 || tracked.Vars[timer.Var].Valued()
}

// maybeAtOnce reports whether the data that timer reads tells whether it waits at
// all.
func maybeAtOnce(timer *ir.Timer, tracked *data.Tracked) bool {
	least, most := timing.WaitOf(timer)
	return hasMoment(timer, tracked) && least == 0 && most != 0 && timer.Var != nil && tracked.Vars[timer.Var].Valued()
}

// slowDos says of each do of leaf after how long its attempts may say something that
// takes time, and how long they may wait to start.
func slowDos(t *flat.Table, leaf *ir.State) (slow []zone.Clock, any bool) {
	slow = make([]zone.Clock, len(leaf.Dos))
	if len(leaf.Dos) == 0 {
		return slow, false
	}
	for in := range t.Inputs(leaf) {
		if limit, timed := timing.Earliest(t, in.Case); timed && in.Do != nil {
			c := &slow[slices.Index(leaf.Dos, in.Do)]
			c.Past = max(c.Past, min(limit, data.MaxWait))
			any = any || c.Past > 0
		}
	}
	for i, d := range leaf.Dos {
		if d.Fan != nil { // while an element waits another one need not
			waits := int64(0)
			for _, a := range t.Retries(d) {
				waits = graph.Sum(waits, timing.LeastWaits(a))
			}
			slow[i].Past = min(graph.Sum(slow[i].Past, waits), data.MaxWait)
			any = any || slow[i].Past > 0
			continue
		}
		for _, a := range t.Retries(d) {
			wait, bounded := timing.LongestWait(a)
			if !bounded {
				wait = data.MaxWait
			}
			slow[i].Ahead = max(slow[i].Ahead, min(wait, data.MaxWait))
		}
		any = any || slow[i].Ahead > 0
	}
	return slow, any
}

func newLeafClocks(leaf *ir.State, tracked *data.Tracked, matters []bool, fired []uint64, slow []zone.Clock) leafClocks {
	c := leafClocks{Dos: make([]int, len(leaf.Dos)), Limits: []zone.Clock{{}}}
	path := leaf.Chain()
	for i := len(path) - 1; i >= 0; i-- {
		for _, timer := range path[i].Timers {
			if !matters[timer.ID] {
				continue
			}
			least, most := timing.WaitOf(timer)
			if timer.Var != nil {
				least, most = tracked.WaitWithin(timer, least, most)
			}
			if most < 0 {
				most = zone.Infinite
			}
			c.Timers = append(c.Timers, TimerClock{Timer: timer, Ref: TimerRef{fired[timer.ID]}, Least: least, Most: most})
			c.Limits = append(c.Limits, zone.Clock{Ahead: most, Past: zone.Infinite})
			c.Idle = c.Idle || timer.Idle
		}
		c.UpTo = append(c.UpTo, len(c.Timers))
	}
	if len(c.Timers) == 0 {
		return c
	}
	for i, s := range slow {
		if s.Past > 0 || s.Ahead > 0 {
			c.Dos[i] = len(c.Limits)
			c.Limits = append(c.Limits, s)
		}
	}
	return c
}

// WaitCounts reports whether it is told whether the do at place i of leaf waits for a
// retry: the timers of the leaf may leave no time for the attempt.
func (c *Clocks) WaitCounts(leaf *ir.State, i int) bool {
	if c == nil {
		return false
	}
	of := &c.Leaves[leaf.ID]
	return of.Dos[i] > 0 && of.Limits[of.Dos[i]].Ahead > 0
}

// MomentOf is the moment that t has in leaf; 0 where it has none.
func (c *Clocks) MomentOf(leaf *ir.State, t *ir.Timer) int {
	if c == nil {
		return 0
	}
	return 1 + slices.IndexFunc(c.Leaves[leaf.ID].Timers, func(of TimerClock) bool { return of.Timer == t })
}

// StartedTimer is a timer that a step has started, and how long it waits.
type StartedTimer struct {
	Timer       *ir.Timer
	Least, Most int64
}

// noteStart notes that t starts with the step at hand, which has entered its state.
func (s *Step) noteStart(t *ir.Timer) {
	least, most := timing.WaitOf(t)
	if t.Var != nil && t.Var.Type.Kind == ir.Duration {
		n := s.Program.Tracked.Vars[t.Var]
		s.Foot.reads(n)
		if lo, hi, known := n.Span(s.Next); known {
			least, most = max(0, lo), hi
			if hi != zone.Infinite {
				most = max(0, hi)
			}
			if most > 0 && most != zone.Infinite && t.Jitter != nil {
				most = timing.Lengthened(most, t.Jitter)
			}
		}
	}
	if most < 0 {
		most = zone.Infinite
	}
	s.Timers = append(s.Timers, StartedTimer{t, least, most})
}

// ShortestWait is how long the retry that is taken by c waits at least: as an
// attempt can take its time, a longer wait lets nothing happen that this does not.
func (s *Step) ShortestWait(c *ChoiceCode) int64 {
	a := c.Arm
	b := a.Backoff
	if ref, ok := b.By.(*ir.VarRef); ok {
		n := s.Program.Tracked.Vars[ref.Var]
		s.Foot.readsOld(n)
		if lo, _, known := n.Span(s.Here); known {
			return max(0, lo)
		}
	}
	used := int64(0)
	if a.Max != nil {
		used = int64(c.Counter.Get(s.Here))
	}
	return timing.ShortestWait(a, used)
}
