package explore

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Time is an upper bound of how long a run may last from each configuration.
//
// Going into a leaf costs what its attempts may last, a retry its wait and
// another attempt; where several activities stand side by side, the longest. A
// configuration in which nothing of the leaf itself goes on lasts without end,
// but for timers. A timer T of the leaf or around it that runs caps all that
// passes while it runs:
//
//	time(c) <= most(T) + exit(T, c)
//
// where exit(T, c) is the longest time behind any step with which T stops
// running: it fires, or its state is left. An `idle` timer stops with every move,
// and runs anew; it caps a visit in which nothing else can start it anew. Both are
// computed together, component by component, from those that nothing leaves. It is
// linear in the edges, times the timers around a leaf.
type Time struct {
	Longest []int64 // by configuration, in nanoseconds; graph.Infinite without end

	p       *Product
	of      []int32
	around  [][]capping // by state ID: the timers around a leaf, the outermost first
	start   []int32     // by configuration: where its exits begin
	exits   []int64     // exit(T, c), for each timer around the leaf of c
	attempt []int64     // by state ID: what the attempts cost that start with it
	first   []int32     // by component: where its members begin
	members []int32
}

// NewTime computes the times of p, whose components are given.
func NewTime(p *Product, of []int32, n int) *Time {
	t := &Time{Longest: make([]int64, p.Len()), p: p, of: of, start: make([]int32, p.Len()+1)}
	m := p.Table.Machine
	t.around, t.attempt = make([][]capping, len(m.States)), make([]int64, len(m.States))
	for _, s := range m.States {
		if s.Kind != ir.Leaf {
			continue
		}
		path, calm := p.program.states[s.ID].path, isCalm(p.Table, s, nil)
		for _, outer := range path {
			for _, timer := range outer.Timers {
				_, most := waitOf(timer)
				ends := most >= 0 && (!timer.Idle || calm) && p.program.tells(timer)
				t.around[s.ID] = append(t.around[s.ID], capping{timer, most, ends})
			}
		}
		t.attempt[s.ID] = p.attemptTime(s)
	}
	for c := range int32(p.Len()) {
		t.start[c+1] = t.start[c] + int32(len(t.timers(c)))
	}
	t.exits = make([]int64, t.start[p.Len()])
	t.first, t.members = graph.ByComponent(of, n)
	for i := range n {
		t.settle(t.members[t.first[i]:t.first[i+1]])
	}
	return t
}

// capping is a timer around a leaf.
type capping struct {
	*ir.Timer
	most int64 // that it lets pass
	ends bool  // it sets an end to that
}

func (t *Time) timers(c int32) []capping {
	if leaf := t.p.Leaf(c); leaf != nil {
		return t.around[leaf.ID]
	}
	return nil
}

// attemptTime is what entering leaf costs: its attempts, the longest of those
// side by side, with all retries where there are several.
func (p *Product) attemptTime(leaf *ir.State) int64 {
	longest := int64(0)
	for _, d := range leaf.Dos {
		time := limitOf(d)
		if len(leaf.Dos) > 1 {
			time = graph.Sum(time, p.allRetries(leaf, d))
		}
		longest = max(longest, time)
	}
	return longest
}

func limitOf(d *ir.Do) int64 {
	if d.Timeout == nil {
		return graph.Infinite
	}
	return *d.Timeout
}

// allRetries is what all retries of d in one visit cost.
func (p *Product) allRetries(leaf *ir.State, d *ir.Do) int64 {
	total := int64(0)
	seen := map[*ir.Arm]bool{}
	for in := range p.Table.Inputs(leaf) {
		if in.Do != d {
			continue
		}
		for _, c := range in.Choices {
			if c.Arm == nil || c.Arm.Kind != ir.Retry || seen[c.Arm] {
				continue
			}
			seen[c.Arm] = true
			if c.Arm.Max == nil {
				return graph.Infinite
			}
			wait, bounded := longestWait(c.Arm)
			if !bounded {
				return graph.Infinite
			}
			total = graph.Sum(total, graph.Times(*c.Arm.Max, graph.Sum(wait, limitOf(d))))
		}
	}
	return total
}

// longestWait is the longest wait of any retry of a.
func longestWait(a *ir.Arm) (int64, bool) {
	switch {
	case a.Backoff == nil:
		return ir.UsualLast, true
	case a.Backoff.By != nil:
		return waitBy(a.Backoff.By)
	}
	return max(a.Backoff.First, a.Backoff.Last), true
}

// weight is what edge e costs.
func (t *Time) weight(from, e int32) int64 {
	switch l := t.p.Label(e); l.Kind {
	case Started, Moved:
		return t.attempt[l.Into]
	case Retried:
		leaf := t.p.Leaf(from)
		if len(leaf.Dos) > 1 {
			return 0 // counted on entering
		}
		wait, bounded := t.p.RetryWait(from, t.p.Arm(e))
		if !bounded {
			return graph.Infinite
		}
		return graph.Sum(wait, limitOf(leaf.Dos[0]))
	case Stayed:
		if c, ok := t.p.Input(e); ok && c.Kind == ir.CaseTimer {
			return t.p.restOf(t.p.To[e])
		}
	}
	return 0
}

// restOf is what may be left of the attempts that run on in configuration c, or
// of the wait before one, where a timer has fired that leaves the run there: what
// capped them caps them no more.
func (p *Product) restOf(c int32) int64 {
	leaf := p.Leaf(c)
	longest := int64(0)
	for i, d := range leaf.Dos {
		if p.program.packing.visits[leaf.ID].hasEnded(p.words(c), i) {
			continue
		}
		time := graph.Sum(limitOf(d), p.longestRetryWait(leaf, d))
		if len(leaf.Dos) > 1 {
			time = graph.Sum(limitOf(d), p.allRetries(leaf, d))
		}
		longest = max(longest, time)
	}
	return longest
}

// longestRetryWait is the longest wait before any attempt of d in leaf.
func (p *Product) longestRetryWait(leaf *ir.State, d *ir.Do) int64 {
	longest := int64(0)
	for in := range p.Table.Inputs(leaf) {
		for _, c := range in.Choices {
			if in.Do == d && c.Arm != nil && c.Arm.Kind == ir.Retry {
				wait, bounded := longestWait(c.Arm)
				if !bounded {
					return graph.Infinite
				}
				longest = max(longest, wait)
			}
		}
	}
	return longest
}

// reach is the time along edge e and on from where it leads. A timer that starts
// with e, or starts anew, caps the attempts that start with it, too.
func (t *Time) reach(from, e int32) int64 {
	to := t.p.To[e]
	time := graph.Sum(t.weight(from, e), t.Longest[to])
	l := t.p.Label(e)
	if l.Kind != Moved && l.Kind != Started {
		return time
	}
	for i, timer := range t.around[l.Into] {
		if !startsWith(timer.Timer, l) {
			continue
		}
		if most, ok := t.cap(to, i); ok {
			time = min(time, graph.Sum(most, t.exits[t.start[to]+int32(i)]))
		}
	}
	return time
}

// startsWith reports whether timer starts, or starts anew, with a move.
func startsWith(timer *ir.Timer, l Label) bool {
	return timer.Idle || timer.State.Depth > int(l.Kept)
}

// cap is the most that timer i around c lets pass; false where it sets no end.
func (t *Time) cap(c int32, i int) (int64, bool) {
	timer := t.timers(c)[i]
	return timer.most, timer.ends && t.p.Runs(c, timer.Timer)
}

// stops reports whether timer i around the start of edge e no longer runs, or
// runs anew, behind it.
func (t *Time) stops(timer *ir.Timer, e int32) bool {
	l := t.p.Label(e)
	if l.Kind == Moved && (timer.Idle || timer.State.Depth > int(l.Kept) || t.p.Table.Machine.States[l.Into].Kind == ir.Terminal) {
		return true
	}
	return !t.p.Runs(t.p.To[e], timer)
}
