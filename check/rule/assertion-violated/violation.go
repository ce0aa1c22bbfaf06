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
func violation(g *explore.Product, a *ir.Assert, longest longest, keep func(e int32) bool) []int32 {
	s := newSearch(g, keep)
	s.longest = longest
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
	came  map[int64]*layer // by count
	queue []place

	longest longest
}

// longest is the most entries of a state from each configuration on, found once for all promises
// about it.
type longest map[*ir.State]*graph.Longest

type place struct {
	config int32
	count  int64
}

// arrival is how a place was reached: the edge and 1, -1 at the start, and the count before
// it. The zero arrival is none.
type arrival struct {
	edge  int32
	fewer int32 // how much less the count was
}

// layer are the arrivals with one count, by configuration. A machine that counts to a hundred
// thousand has as many counts, and few configurations of each.
type layer struct {
	few map[int32]arrival
	all []arrival // once they are many
}

// mostFew is up to how many configurations of a layer are kept one by one.
const mostFew = 1024

func newSearch(g *explore.Product, keep func(e int32) bool) *search {
	s := &search{g: g, keep: keep, came: map[int64]*layer{}}
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
		at = &layer{few: map[int32]arrival{}}
		s.came[to.count] = at
	}
	if at.of(to.config).edge != 0 {
		return false
	}
	if at.all == nil && len(at.few) == mostFew {
		at.all = make([]arrival, s.g.Len())
		for c, a := range at.few {
			at.all[c] = a
		}
		at.few = nil
	}
	if at.all != nil {
		at.all[to.config] = by
	} else {
		at.few[to.config] = by
	}
	return true
}

func (l *layer) of(config int32) arrival {
	if l.all != nil {
		return l.all[config]
	}
	return l.few[config]
}

// run follows edges; step gives the count behind an edge, and whether the path
// goes on there, or ends since it has found what it seeks.
func (s *search) run(step func(at place, e int32) (count int64, on, found bool)) []int32 {
	var round []place // as far from the start
	for len(s.queue) > 0 {
		round, s.queue = s.queue, round[:0]
		for _, at := range round {
			s.g.Stop.Poll()
			if path := s.from(at, step); path != nil {
				return path
			}
		}
	}
	return nil
}

// from follows the edges from one place.
func (s *search) from(at place, step func(at place, e int32) (count int64, on, found bool)) []int32 {
	for e := s.g.First[at.config]; e < s.g.First[at.config+1]; e++ {
		if s.g.IsWithin(e) {
			half := place{s.g.To[e], at.count}
			if s.note(half, arrival{edge: e + 1}) {
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
			s.arrive(place{s.g.To[e], count}, arrival{e + 1, int32(count - at.count)})
		}
	}
	return nil
}

func (s *search) pathTo(at place) []int32 {
	var path []int32
	for by := s.came[at.count].of(at.config); by.edge > 0; by = s.came[at.count].of(at.config) {
		path = append(path, by.edge-1)
		at = place{s.g.From(by.edge - 1), at.count - int64(by.fewer)}
	}
	slices.Reverse(path)
	return path
}

// unpreceded enters the object without the subject before it or with it.
func (s *search) unpreceded(a *ir.Assert) []int32 {
	subject, object := s.g.Entering(a.Subject), s.g.Entering(a.Objects[0])
	return s.run(func(at place, e int32) (int64, bool, bool) {
		if subject(at.config, e) {
			return 0, false, false
		}
		return 0, true, object(at.config, e)
	})
}

// both enters the subject and the object, in either order.
func (s *search) both(a *ir.Assert) []int32 {
	const first, second = 1, 2
	subject, object := s.g.Entering(a.Subject), s.g.Entering(a.Objects[0])
	return s.run(func(at place, e int32) (int64, bool, bool) {
		count := at.count
		if subject(at.config, e) {
			count |= first
		}
		if object(at.config, e) {
			count |= second
		}
		return count, true, count == first|second
	})
}

// tooOften enters the subject N+1 times. Whether any path does is asked first: that
// is linear, where the search counts. Nor does it go where there are no more so many.
func (s *search) tooOften(a *ir.Assert) []int32 {
	g, subject := s.g, s.g.Entering(a.Subject)
	most := s.longest[a.Subject]
	if most == nil {
		of, n := g.Components()
		most = graph.NewLongest(&g.Graph, of, n, func(from, e int32) int64 {
			if subject(from, e) {
				return 1
			}
			return 0
		})
		s.longest[a.Subject] = most
	}
	if most.Length(0) <= a.N {
		return nil
	}
	return s.run(func(at place, e int32) (int64, bool, bool) {
		count := at.count
		if subject(at.config, e) {
			count++
		}
		return count, graph.Sum(count, most.Length(g.To[e])) > a.N, count > a.N
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
	subject := func(_, e int32) bool { return g.Succeeds(e, a.Done) }
	if a.Subject != nil {
		subject = g.Entering(a.Subject)
	}
	var objects []func(from, e int32) bool
	for _, object := range a.Objects {
		objects = append(objects, g.Entering(object))
	}
	return s.run(func(at place, e int32) (int64, bool, bool) {
		count := at.count
		if subject(at.config, e) {
			count = 1
		}
		if slices.ContainsFunc(objects, func(enters func(from, e int32) bool) bool { return enters(at.config, e) }) {
			count = 0
		}
		return count, true, count == 1 && open(g.To[e])
	})
}

// holds reports whether no path of g, which may be nil, breaks a. Of `leads to`
// that says nothing where g has paths that are no runs: such a path may be the only
// one that goes on.
func holds(g *explore.Product, a *ir.Assert) bool {
	return g != nil && a.Verb != ir.LeadsTo && violation(g, a, longest{}, func(int32) bool { return true }) == nil
}
