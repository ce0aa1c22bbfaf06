package control

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// lasts is how long a run may stay within the part: a timer of a state around all of it,
// which no edge inside starts, leads out of that state. It is graph.Infinite where there is none.
func (p *part) lasts() int64 {
	shortest := int64(graph.Infinite)
	for leaf := range p.leaves {
		for s := leaf; s != nil; s = s.Parent {
			if !p.within(s) {
				continue
			}
			for _, t := range s.Timers {
				if _, most := timing.WaitOf(t); most >= 0 && !t.Idle && !t.Budget && !timing.OutlivesFiring(t) {
					shortest = min(shortest, most)
				}
			}
		}
		break // what is around all leaves is around each
	}
	return shortest
}

// within reports whether the part is inside s, and no edge of it starts the timers of s.
func (p *part) within(s *ir.State) bool {
	for leaf := range p.leaves {
		if !leaf.Inside(s) {
			return false
		}
	}
	return !p.started[s]
}

// comes is how often an edge on which in comes can be taken while a run stays within the part,
// which has so many edges: a timer fires once for each entry, and each time it, or an attempt
// that runs out of its time, takes a part of the time that there is.
func (p *part) comes(in ir.Case, edges int) (most int64, ok bool) {
	if in.Kind == ir.CaseTimer && p.within(in.Timer.State) {
		return 1, true
	}
	each, timed := timing.Earliest(p.c.Table, in)
	if !timed || each == 0 {
		return 0, false
	}
	lasts := p.lasts()
	if lasts == graph.Infinite {
		return 0, false
	}
	most = lasts/each + 1
	if in.Do != nil { // each attempt of its own
		most = graph.Times(most, int64(edges))
	}
	return most, true
}
