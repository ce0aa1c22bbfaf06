package lifetime

import (
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Endless is why the time from a configuration has no end. One of the fields is
// set.
type Endless struct {
	Waits   bool      // the run waits there, and no timer ends that
	Timer   *ir.Timer // it waits there for this one alone, which may run without end
	Leaf    *ir.State // of the attempt and the retry
	Attempt *ir.Do    // its attempts have no end
	Retry   *ir.Arm   // its waits have none
	Cycle   []int32   // edges of a cycle that costs time, by number
	At      int32     // the configuration
}

// Endless is why the time from the start has no end: the first configuration in
// which something has none, else the first cycle that costs time.
func (t *Times) Endless() Endless {
	seen := make([]bool, t.p.Len()) // of junctions: what lies behind was looked at
	for c := range int32(t.p.Configurations()) {
		if t.endless(c) {
			if why, ok := t.endlessAt(c, seen); ok {
				return why
			}
		}
	}
	leads := map[int32]bool{}                    // components from which another without end is reached
	for c := int32(t.p.Len()) - 1; c >= 0; c-- { // junctions first
		for e := t.p.First[c]; e < t.p.First[c+1]; e++ {
			to := t.p.To[e]
			if t.of[to] != t.of[c] && t.endless(c) && (t.p.IsWithin(e) && leads[t.of[to]] || !t.p.IsWithin(e) && t.endless(to)) {
				leads[t.of[c]] = true
			}
		}
	}
	for c := range int32(t.p.Configurations()) {
		if t.endless(c) && !leads[t.of[c]] {
			return Endless{At: c, Cycle: t.cycleAround(c)}
		}
	}
	return Endless{At: graph.None}
}

func (t *Times) endless(c int32) bool { return t.Longest[c] == graph.Infinite }

// endlessAt is what has no end in c itself, or along an edge of it, but for what lies
// behind junctions that were seen.
func (t *Times) endlessAt(c int32, seen []bool) (Endless, bool) {
	if t.p.Waits(c) && !t.capped(c) {
		timer := t.limitless(c)
		return Endless{At: c, Waits: timer == nil, Timer: timer}, true
	}
	for e := t.p.First[c]; e < t.p.First[c+1]; e++ {
		if to := t.p.To[e]; t.p.IsWithin(e) && !seen[to] {
			seen[to] = true
			if why, ok := t.endlessAt(to, seen); ok {
				return why, true
			}
		}
		if t.weight(c, e) != graph.Infinite || t.cappedAlong(e) {
			continue
		}
		leaf := t.p.Leaf(t.p.To[e])
		for _, d := range leaf.Dos {
			if t.limit(d) == graph.Infinite {
				return Endless{At: c, Leaf: leaf, Attempt: d}, true
			}
		}
		if a := t.endlessRetry(leaf); a != nil {
			return Endless{At: c, Leaf: leaf, Retry: a}, true
		}
	}
	return Endless{}, false
}

// capped reports whether some timer sets an end to what passes in c.
func (t *Times) capped(c int32) bool {
	for i := range t.timers(c) {
		if t.caps(c, i) {
			return true
		}
	}
	return false
}

// cappedAlong reports whether a timer that starts with edge e sets an end to what
// starts with it, too.
func (t *Times) cappedAlong(e int32) bool {
	to, l := t.p.To[e], t.p.Label(e)
	for i, timer := range t.timers(to) {
		if (l.Kind == explore.Moved || l.Kind == explore.Started) && startsWith(timer.Timer, l) {
			if t.caps(to, i) {
				return true
			}
		}
	}
	return false
}

// caps reports whether timer i around c sets an end to what passes there: it does not where
// it cancels a machine that then lasts without end.
func (t *Times) caps(c int32, i int) bool {
	_, ends := t.cap(c, i)
	return ends && t.timers(c)[i].most != graph.Infinite
}

// limitless is a timer that runs in c, and perhaps for ever.
func (t *Times) limitless(c int32) *ir.Timer {
	for _, timer := range t.timers(c) {
		if timer.most < 0 && !timer.Idle && t.p.Runs(c, timer.Timer) {
			return timer.Timer
		}
	}
	return nil
}

// endlessRetry is a retry of leaf whose waits have no end, or that is without end
// beside other activities, where all retries count at once.
func (t *Times) endlessRetry(leaf *ir.State) *ir.Arm {
	for _, d := range leaf.Dos {
		for _, a := range t.p.Table.Retries(d) {
			if _, bounded := timing.LongestWait(a); !bounded || a.Max == nil && sideBySide(leaf) {
				return a
			}
		}
	}
	return nil
}

// cycleAround lists the edges within the component of c.
func (t *Times) cycleAround(c int32) []int32 {
	var edges []int32
	for v, e := range t.p.InOrder() {
		if t.of[v] == t.of[c] && t.of[t.p.To[e]] == t.of[c] {
			edges = append(edges, e)
		}
	}
	return edges
}
