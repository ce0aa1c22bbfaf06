package assertionviolated

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// proved reports whether a holds on every path of the control graph, and so in
// every run, whatever its data and counters.
func proved(c *control.Graph, a *ir.Assert) bool {
	if c.Open() {
		return false
	}
	const first, second = 1, 2
	entersObject := func(from, to *ir.State) bool {
		return slices.ContainsFunc(a.Objects, func(s *ir.State) bool { return enters(from, to, s) })
	}
	switch a.Verb {
	case ir.Precedes:
		return !reaches(c, func(seen int, from, to *ir.State) (int, bool) {
			if enters(from, to, a.Subject) {
				seen = first
			}
			return seen, seen == 0 && entersObject(from, to)
		})
	case ir.Excludes:
		return !reaches(c, func(seen int, from, to *ir.State) (int, bool) {
			if enters(from, to, a.Subject) {
				seen |= first
			}
			if entersObject(from, to) {
				seen |= second
			}
			return seen, seen == first|second
		})
	case ir.LeadsTo:
		return false // a run may be stuck where it halts, of which this graph knows nothing
	}
	times := int64(0)
	for id, n := range c.Entries() {
		if n > 0 && c.Leaf(int32(id)).Inside(a.Subject) {
			times = graph.Sum(times, n)
		}
	}
	return times <= a.N
}

// enters reports whether the move enters s; from is nil at the start of a run.
func enters(from, to, s *ir.State) bool {
	if s.Kind != ir.Composite {
		return to == s
	}
	return to.Inside(s) && (from == nil || !from.Inside(s))
}

// reaches follows the paths of c from the start. Step gives what has been seen
// behind a move, and whether that is what is sought.
func reaches(c *control.Graph, step func(seen int, from, to *ir.State) (int, bool)) bool {
	type place struct {
		leaf int32
		seen int
	}
	met := map[place]bool{}
	var queue []place
	arrive := func(seen int, from, to *ir.State) bool {
		seen, found := step(seen, from, to)
		if at := (place{int32(to.ID), seen}); !met[at] {
			met[at] = true
			queue = append(queue, at)
		}
		return found
	}
	for _, leaf := range c.Starts() {
		if arrive(0, nil, leaf) {
			return true
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for e := c.First[at.leaf]; e < c.First[at.leaf+1]; e++ {
			if arrive(at.seen, c.Leaf(at.leaf), c.Leaf(c.To[e])) {
				return true
			}
		}
	}
	return false
}
