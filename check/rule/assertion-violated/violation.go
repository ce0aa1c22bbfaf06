package assertionviolated

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// violation is a shortest path from the start on which a fails, over the edges
// that keep lets pass; nil where there is none. All four promises are questions
// about paths over edges that enter certain states or do not, each answered by one
// or two breadth-first searches.
func violation(g *explore.Product, a *ir.Assert, keep func(e int32) bool) []int32 {
	s := newSearch(g, keep)
	switch a.Verb {
	case ir.Precedes:
		return s.unpreceded(a)
	case ir.LeadsTo:
		return s.unled(a)
	case ir.Excludes:
		return s.both(a)
	}
	return s.tooOften(a)
}

// search is a breadth-first search that remembers how it came. A place is a
// configuration with a count: how many things that matter have happened.
type search struct {
	g     *explore.Product
	keep  func(e int32) bool
	came  map[int64][]arrival // by count, then by configuration
	queue []place
}

type place struct {
	config int32
	count  int64
}

// arrival is how a place was reached. The zero arrival is none.
type arrival struct {
	from place
	edge int32 // and 1; -1 at the start
}

func newSearch(g *explore.Product, keep func(e int32) bool) *search {
	s := &search{g: g, keep: keep, came: map[int64][]arrival{}}
	s.arrive(place{}, arrival{edge: -1})
	return s
}

// arrive adds to to what is gone through, the first time.
func (s *search) arrive(to place, by arrival) {
	if s.note(to, by) {
		s.queue = append(s.queue, to)
	}
}

// note notes how to was reached, and reports whether that is the first time.
func (s *search) note(to place, by arrival) bool {
	at := s.came[to.count]
	if at == nil {
		at = make([]arrival, s.g.Len())
		s.came[to.count] = at
	}
	first := at[to.config].edge == 0
	if first {
		at[to.config] = by
	}
	return first
}

// run follows edges; step gives the count behind an edge, and whether the path
// goes on there, or ends since it has found what it seeks.
func (s *search) run(step func(at place, e int32) (count int64, on, found bool)) []int32 {
	for len(s.queue) > 0 {
		at := s.queue[0]
		s.queue = s.queue[1:]
		if path := s.from(at, step); path != nil {
			return path
		}
	}
	return nil
}

// from follows the edges from one place.
func (s *search) from(at place, step func(at place, e int32) (count int64, on, found bool)) []int32 {
	for e := s.g.First[at.config]; e < s.g.First[at.config+1]; e++ {
		if s.g.IsWithin(e) {
			half := place{s.g.To[e], at.count}
			if s.note(half, arrival{at, e + 1}) {
				if path := s.from(half, step); path != nil {
					return path
				}
			}
			continue
		}
		if !s.keep(e) {
			continue
		}
		count, on, found := step(at, e)
		if found {
			return append(s.pathTo(at), e)
		}
		if on {
			s.arrive(place{s.g.To[e], count}, arrival{at, e + 1})
		}
	}
	return nil
}

func (s *search) pathTo(at place) []int32 {
	var path []int32
	for by := s.came[at.count][at.config]; by.edge > 0; by = s.came[at.count][at.config] {
		path = append(path, by.edge-1)
		at = by.from
	}
	slices.Reverse(path)
	return path
}

// unpreceded enters the object without the subject before it or with it.
func (s *search) unpreceded(a *ir.Assert) []int32 {
	g := s.g
	return s.run(func(at place, e int32) (int64, bool, bool) {
		if g.Enters(at.config, e, a.Subject) {
			return 0, false, false
		}
		return 0, true, g.Enters(at.config, e, a.Objects[0])
	})
}

// both enters the subject and the object, in either order.
func (s *search) both(a *ir.Assert) []int32 {
	g := s.g
	const first, second = 1, 2
	return s.run(func(at place, e int32) (int64, bool, bool) {
		count := at.count
		if g.Enters(at.config, e, a.Subject) {
			count |= first
		}
		if g.Enters(at.config, e, a.Objects[0]) {
			count |= second
		}
		return count, true, count == first|second
	})
}

// tooOften enters the subject N+1 times. Whether any path does is asked first: that
// is linear, where the search counts.
func (s *search) tooOften(a *ir.Assert) []int32 {
	g := s.g
	of, n := g.Components()
	most := graph.NewLongest(&g.Graph, of, n, func(from, e int32) int64 {
		if g.Enters(from, e, a.Subject) {
			return 1
		}
		return 0
	})
	if most.Length[0] <= a.N {
		return nil
	}
	return s.run(func(at place, e int32) (int64, bool, bool) {
		count := at.count
		if g.Enters(at.config, e, a.Subject) {
			count++
		}
		return count, true, count > a.N
	})
}

// unled enters the subject, and then, without any of the objects, a terminal
// state or a place from where none is reached any more, cancel aside.
func (s *search) unled(a *ir.Assert) []int32 {
	g := s.g
	doomed := g.Doomed()
	open := func(c int32) bool { // the run ends, or cannot
		return g.Leaf(c).Kind == ir.Terminal || doomed[c] && g.Trapped(c)
	}
	return s.run(func(at place, e int32) (int64, bool, bool) {
		count := at.count
		if a.Subject == nil && g.Succeeds(e, a.Done) || a.Subject != nil && g.Enters(at.config, e, a.Subject) {
			count = 1
		}
		if slices.ContainsFunc(a.Objects, func(object *ir.State) bool { return g.Enters(at.config, e, object) }) {
			count = 0
		}
		return count, true, count == 1 && open(g.To[e])
	})
}

// holds reports whether no path of g, which may be nil, breaks a. Of `leads to`
// that says nothing where g has paths that are no runs: such a path may be the only
// one that goes on.
func holds(g *explore.Product, a *ir.Assert) bool {
	return g != nil && a.Verb != ir.LeadsTo && violation(g, a, func(int32) bool { return true }) == nil
}
