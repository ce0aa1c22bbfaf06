// Package lifetime bounds how long a run may last, on the product of package explore.
//
// In the order in which to read them: times.go (the equations), fans.go (what the elements
// of a fan-out last), callees.go (what machines last that are called), settle.go (their
// solution, component by component), parts.go (the sum that a time is), endless.go
// (why one has no end), visits.go (how long a visit lasts), soonest.go (how long a run lasts at least).
package lifetime

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Times are upper bounds of how long a run may last from each configuration.
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
// running: it fires, or its state is left. An `idle` timer stops and restarts with
// every move; it caps a visit in which nothing else can restart it. Both are
// computed together, component by component, from those that nothing leaves. It is
// linear in the edges, times the timers around a leaf.
type Times struct {
	Longest []int64 // by configuration, in nanoseconds; graph.Infinite without end

	p       *explore.Product
	of      []int32
	around  [][]capping // by state ID: the timers around a leaf, the outermost first
	start   []int32     // by configuration: where its exits begin
	exits   []int64     // exit(T, c), for each timer around the leaf of c
	attempt []int64     // by state ID: what the attempts cost that start with it, of one without fan-outs
	begun   map[beginning]int64
	stopsIn []int64            // by state ID: see stopping
	ended   func(e int32) bool // what lies behind this edge does not count; nil where all does
	first   []int32            // by component: where its members begin
	members []int32
}

// New computes the times of p, whose components are given.
func New(p *explore.Product, of []int32, n int) *Times { return until(p, of, n, nil) }

// until is New for times that are over with an edge of ended; no component has one.
func until(p *explore.Product, of []int32, n int, ended func(e int32) bool) *Times {
	t := &Times{Longest: make([]int64, p.Len()), p: p, of: of, start: make([]int32, p.Len()+1), ended: ended}
	m := p.Table.Machine
	t.stopsIn = t.stopping()
	t.around, t.attempt, t.begun = make([][]capping, len(m.States)), make([]int64, len(m.States)), map[beginning]int64{}
	for _, s := range m.States {
		if s.Kind != ir.Leaf {
			continue
		}
		calm := timing.IsCalm(p.Table, s, nil)
		for _, outer := range slices.Backward(s.Chain()) {
			for _, timer := range outer.Timers {
				_, most := timing.WaitOf(timer)
				ends := most >= 0 && (!timer.Idle || calm) && p.Tells(timer)
				c := capping{Timer: timer, most: most, ends: ends, stops: t.stopsIn[outer.ID]}
				if ends {
					c.most = graph.Sum(most, c.stops)
				}
				t.around[s.ID] = append(t.around[s.ID], c)
			}
		}
		if !hasFan(s) {
			t.attempt[s.ID] = t.attemptTime(s, nil)
		}
	}
	for c := range int32(p.Len()) {
		t.start[c+1] = t.start[c] + int32(len(t.timers(c)))
	}
	t.exits = make([]int64, t.start[p.Len()])
	t.first, t.members = graph.Grouped(of, n)
	for i := range n {
		t.settle(t.members[t.first[i]:t.first[i+1]])
	}
	return t
}

// isOver reports whether nothing behind edge e counts.
func (t *Times) isOver(e int32) bool { return t.ended != nil && t.ended(e) }

// capping is a timer around a leaf.
type capping struct {
	*ir.Timer
	most  int64 // that it lets pass, with stops; -1 without end
	stops int64 // how long machines last that are called inside its state, once they are cancelled
	ends  bool  // it sets an end to that
}

func (t *Times) timers(c int32) []capping {
	if leaf := t.p.Leaf(c); leaf != nil {
		return t.around[leaf.ID]
	}
	return nil
}

// attemptTime is what entering leaf costs: its attempts, the longest of those
// side by side, with all retries where there are several. Elements says how many
// elements of the do at a place begin; nil where none is a fan-out.
func (t *Times) attemptTime(leaf *ir.State, elements func(place int) int64) int64 {
	held := t.held(leaf, elements)
	longest := int64(0)
	for i, d := range leaf.Dos {
		switch {
		case d.Fan != nil:
			longest = max(longest, t.fanTime(d, elements(i), held))
		case sideBySide(leaf):
			longest = max(longest, t.besideTime(d, held))
		default:
			longest = max(longest, t.limit(d))
		}
	}
	return longest
}

// sideBySide reports whether executions run side by side in leaf, so that their retries
// count where the visit begins.
func sideBySide(leaf *ir.State) bool { return len(leaf.Dos) > 1 || hasFan(leaf) }

// besideTime is what all attempts of d in one visit cost beside those of others.
func (t *Times) besideTime(d *ir.Do, held int64) int64 {
	retries := t.p.Table.Retries(d)
	if len(retries) == 0 {
		return t.limit(d)
	}
	total := graph.Sum(t.runs(d), held)
	for _, a := range retries {
		waits, bounded := timing.LongestWaits(a)
		if !bounded {
			return graph.Infinite
		}
		total = graph.Sum(total, graph.Sum(waits, graph.Times(*a.Max, t.runs(d))))
	}
	return total
}

// weight is what edge e costs.
func (t *Times) weight(from, e int32) int64 {
	switch l := t.p.Label(e); l.Kind {
	case explore.Started, explore.Moved:
		return t.attemptsWith(l)
	case explore.Retried:
		leaf := t.p.Leaf(from)
		if sideBySide(leaf) {
			return 0 // counted on entering
		}
		wait, bounded := t.p.RetryWait(from, t.p.Arm(e))
		if !bounded {
			return graph.Infinite
		}
		return graph.Sum(wait, t.limit(leaf.Dos[0]))
	case explore.Stayed:
		if c, ok := t.p.Input(e); ok && c.Kind == ir.CaseTimer {
			return t.restOf(t.p.To[e])
		}
	}
	return 0
}

// restOf is what may be left of the attempts that run on in configuration c, or
// of the wait before one, where a timer has fired that leaves the run there: what
// capped them caps them no more.
func (t *Times) restOf(c int32) int64 {
	leaf := t.p.Leaf(c)
	longest, held := int64(0), t.held(leaf, func(place int) int64 {
		_, most := leaf.Dos[place].Elements()
		return most
	})
	for i, d := range leaf.Dos {
		if t.p.HasEnded(c, i) {
			continue
		}
		time := graph.Sum(t.limit(d), t.longestRetryWait(d))
		if d.Fan != nil {
			time = t.fanTime(d, t.p.OpenAtMost(c, i), held)
		} else if sideBySide(leaf) {
			time = t.besideTime(d, held)
		}
		longest = max(longest, time)
	}
	return longest
}

// longestRetryWait is the longest wait before any attempt of d.
func (t *Times) longestRetryWait(d *ir.Do) int64 {
	longest := int64(0)
	for _, a := range t.p.Table.Retries(d) {
		wait, bounded := timing.LongestWait(a)
		if !bounded {
			return graph.Infinite
		}
		longest = max(longest, wait)
	}
	return longest
}

// reach is the time along edge e and on from where it leads. A timer that starts
// with e, or restarts, caps the attempts that start with it, too.
func (t *Times) reach(from, e int32) int64 {
	to := t.p.To[e]
	time := graph.Sum(t.weight(from, e), t.Longest[to])
	l := t.p.Label(e)
	if l.Kind != explore.Moved && l.Kind != explore.Started {
		return time
	}
	for i, timer := range t.around[l.Into] {
		if !startsWith(timer.Timer, l) {
			continue
		}
		if most, ok := t.cap(to, i); ok {
			time = min(time, most)
		}
	}
	return time
}

// startsWith reports whether timer starts, or restarts, with a move.
func startsWith(timer *ir.Timer, l explore.Label) bool {
	return timer.Idle || timer.State.Depth > int(l.Shared)
}

// cap is the time from c that timer i around it sets; false where it sets no end.
func (t *Times) cap(c int32, i int) (int64, bool) {
	timer := t.timers(c)[i]
	if !timer.ends || !t.p.Runs(c, timer.Timer) {
		return 0, false
	}
	return graph.Sum(timer.most, t.exits[t.start[c]+int32(i)]), true
}

// beyond is the time along edge e and on from there, or where timer i around its start
// still runs then, what follows when that stops; i is -1 for none.
func (t *Times) beyond(from, e int32, i int) int64 {
	if i < 0 || t.stops(t.timers(from)[i].Timer, e) {
		return t.reach(from, e)
	}
	return t.exits[t.start[t.p.To[e]]+int32(i)]
}

// stops reports whether timer i around the start of edge e no longer runs, or
// has restarted, behind it.
func (t *Times) stops(timer *ir.Timer, e int32) bool {
	l := t.p.Label(e)
	if l.Kind == explore.Moved && (timer.Idle || timer.State.Depth > int(l.Shared) || t.p.Table.Machine.States[l.Into].Kind == ir.Terminal) {
		return true
	}
	return !t.p.Runs(t.p.To[e], timer)
}
