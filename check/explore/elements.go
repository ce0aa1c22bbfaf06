package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A path tells no elements apart, and has neither the retries that change nothing nor all
// the ends that do not. A run has them, and says of which element each is.

// element is one of a fan-out, in a run that is written out.
type element struct {
	ended  bool
	used   map[*ir.Arm]int64
	start  int64 // when its attempt begins
	moment int   // the same in the schedule
}

// beginVisit begins the rows of the visit that edge e, number i of the path, enters.
func (r *recorder) beginVisit(l Label) {
	clear(r.elements)
	r.begins = nil
	leaf := r.p.Leaf(r.at)
	for place, d := range leaf.Dos {
		if d.Fan == nil {
			continue
		}
		n, alike, most := r.elementsOf(d, place, l)
		r.alike[d] = alike
		delete(r.more, d)
		if r.all && n < most {
			r.more[d], n = most-n, most
		}
		list := make([]element, n)
		for i := range list {
			list[i] = element{used: map[*ir.Arm]int64{}, start: r.clock.Now}
			if r.schedule != nil {
				list[i].moment = r.schedule.now
			}
		}
		r.elements[d] = list
		r.begins = append(r.begins, witness.Begins{Do: d, Elements: n})
	}
	for _, d := range leaf.Dos {
		if r.all && !r.bare && d.Fan != nil {
			r.retryAll(d)
		}
	}
}

// retryAll has every element of d make all the retries that count where a visit begins.
func (r *recorder) retryAll(d *ir.Do) {
	arms, cases := r.p.ElementRetries(d)
	for k, a := range arms {
		if a.Max == nil {
			r.fewer = true
			continue
		}
		for range *a.Max {
			for i := range r.elements[d] {
				r.retryRow(cases[k], a, i, &sought{})
				r.ofAny()
			}
		}
	}
}

// retryRow adds the row in which element i makes the retry a.
func (r *recorder) retryRow(c ir.Case, a *ir.Arm, i int, s *sought) {
	r.rowAlong(&Label{Kind: Retried, Do: graph.None}, i, arriving(c, false), a, s)
	r.retried(c.Do, a, i)
}

// rowAlong adds the row of an input of element i that a takes, as if along an edge with that label; nil
// for none.
func (r *recorder) rowAlong(l *Label, i int, in witness.Input, a *ir.Arm, s *sought) {
	edge := r.edge
	r.edge = l
	r.rowOf(i, in, s.data, s.guards)
	r.edge = edge
	r.takenBy(a)
}

// retried notes that element i of d makes the retry a now.
func (r *recorder) retried(d *ir.Do, a *ir.Arm, i int) {
	el := &r.elements[d][i]
	wait, _ := timing.RetryWait(a, el.used[a])
	el.used[a]++
	el.start = r.clock.Now + max(wait, 0)
	if r.schedule != nil {
		el.moment = r.schedule.later(timing.LeastWait(a))
	}
}

// rowOf adds the row of an input of element i of a fan-out.
func (r *recorder) rowOf(i int, in witness.Input, data map[string]any, guards map[string]bool) {
	d := in.Of()
	in.Element = i + 1
	if el := &r.elements[d][i]; !el.ended {
		r.clock.Started[d] = el.start
		if r.schedule != nil {
			r.schedule.start[d] = el.moment
		}
	}
	r.row(in, data, guards)
}

// elementRow adds the rows of edge e, or of an input that has none, of an element: first
// its retries that it is to have used up.
func (r *recorder) elementRow(in witness.Input, a *ir.Arm, s *sought) (i int) {
	d := in.Of()
	if len(r.elements[d]) == 0 {
		r.row(in, s.data, s.guards) // nothing to go by: a replay will tell
		return -1
	}
	i = r.elementFor(d, a, s)
	if r.takesTurns(d) {
		r.useUpTogether(in, s)
	}
	for _, up := range s.usedUp {
		for r.p.program.Packing.OpenRetry(d.State, up) && up.Max != nil && r.elements[d][i].used[up] < *up.Max {
			r.retryRow(in.Case, up, i, s)
		}
	}
	r.rowOf(i, in, s.data, s.guards)
	r.takenBy(a)
	if r.takesTurns(d) && a != nil && a.Kind == ir.Retry && a.Max != nil {
		r.ofAny()
	}
	return i
}

// takesTurns reports whether d has more elements than places: while one waits for a retry,
// another has its place.
func (r *recorder) takesTurns(d *ir.Do) bool {
	return d.Fan.Limit > 0 && d.Fan.Limit < int64(len(r.elements[d]))
}

// useUpTogether has all open elements make the retries that one is to have used up, in
// turns: where there are more of them than places, one that waits has none, and nobody
// knows which of them is next.
func (r *recorder) useUpTogether(in witness.Input, s *sought) {
	d := in.Of()
	for _, up := range s.usedUp {
		if !r.p.program.Packing.OpenRetry(d.State, up) || up.Max == nil {
			continue
		}
		for k := range *up.Max {
			for i := range r.elements[d] {
				if el := &r.elements[d][i]; !el.ended && el.used[up] == k {
					r.retryRow(in.Case, up, i, s)
					r.ofAny()
				}
			}
		}
	}
}

// ofAny leaves open of which element the last row is: which one has a place is a matter of
// times.
func (r *recorder) ofAny() { r.w.Path[len(r.w.Path)-1].Input.Element = 0 }

// elementFor is an open element of d that may take a as s has it, when it has used up the retries that s says.
func (r *recorder) elementFor(d *ir.Do, a *ir.Arm, s *sought) int {
	best, least, usedUp := 0, int64(-1), s.usedUp
	for i := range r.elements[d] {
		el := &r.elements[d][i]
		if el.ended || !s.who.hold(i) || a != nil && a.Kind == ir.Retry && a.Max != nil && el.used[a] >= *a.Max {
			continue
		}
		made := int64(0)
		fits := true
		for of, n := range el.used {
			if r.p.program.Packing.OpenRetry(d.State, of) {
				continue
			}
			made += n
			fits = fits && (!slices.Contains(usedUp, of) || n >= *of.Max)
		}
		for _, of := range usedUp {
			fits = fits && (el.used[of] > 0 || r.p.program.Packing.OpenRetry(d.State, of))
		}
		switch {
		case !fits:
		case a != nil && a.Kind == ir.Retry && r.takesTurns(d) && len(usedUp) == 0:
			if least < 0 || el.used[a] < least {
				best, least = i, el.used[a]
			}
		case a != nil && a.Kind == ir.Retry || len(usedUp) > 0:
			return i
		case least < 0 || made < least: // those that can make no more retries are kept for what follows
			best, least = i, made
		}
	}
	return best
}

// said notes that element i of d has said what edge e says, and adds the rows of others
// that end with it.
func (r *recorder) said(l Label, e int32, in witness.Input, a *ir.Arm, s *sought, i int) {
	d := in.Of()
	if i < 0 || l.Kind == Moved {
		return
	}
	if l.Kind == Retried {
		r.retried(d, a, i)
		return
	}
	r.elements[d][i].ended = true
	place := slices.Index(d.State.Dos, d)
	if r.p.hasMore(r.at, place) {
		for ; r.more[d] > 0; r.more[d]-- { // those of which the path does not tell end alike
			k := r.elementRow(in, a, s)
			r.elements[d][k].ended = true
		}
	}
	if end, arm, ok := r.p.anyEnd(d); ok {
		for ; r.alike[d] > 0; r.alike[d]-- {
			r.elements[d][r.elementRow(end, arm, &sought{})].ended = true
		}
	}
	if r.p.program.Packing.Visits[d.State.ID].Counts(place) || !r.p.HasEnded(r.p.To[e], place) {
		return
	}
	if end, arm, ok := r.p.anyEnd(d); ok && d.Fan.List == r.asked {
		in, a, s = end, arm, &sought{} // the arm may not be for all
	}
	for k := range r.elements[d] {
		if !r.elements[d][k].ended {
			k = r.elementRow(in, a, s)
			r.elements[d][k].ended = true
		}
	}
}

// letAllStart sees that all attempts of the visit have started before it is left, as
// far as elements that end without leaving it make room; else it notes that some have not.
func (r *recorder) letAllStart() {
	leaf := r.p.Leaf(r.at)
	for place, d := range leaf.Dos {
		if d.Fan == nil {
			if !r.p.program.Packing.Visits[leaf.ID].IsWaiting(r.p.words(r.at), place) {
				r.letStart = append(r.letStart, d)
			}
			continue
		}
		list := r.elements[d]
		open := int64(0)
		for i := range list {
			if !list[i].ended {
				open++
			}
		}
		limit := d.Fan.Limit
		if limit == 0 {
			limit = open
		}
		if in, a, ok := r.p.anyEnd(d); ok && !r.p.program.Packing.Visits[leaf.ID].Counts(place) {
			for i := 0; i < len(list) && open > max(limit, 1); i++ {
				if !list[i].ended {
					r.rowAlong(nil, i, in, a, &sought{})
					list[i].ended = true
					open--
				}
			}
		}
		r.letStart = append(r.letStart, d)
		r.short = r.short || open > limit || r.more[d] > 0 && r.p.program.Packing.Visits[leaf.ID].Counts(place) && !r.p.hasMore(r.at, place)
		last := 0
		if r.schedule != nil {
			last = r.schedule.Next()
			r.schedule.start[d] = last
		}
		for i := range list {
			if !list[i].ended {
				r.clock.Started[d] = max(r.clock.Started[d], list[i].start)
				if r.schedule != nil {
					r.schedule.After(list[i].moment, last, 0, false)
				}
			}
		}
	}
}

// hasMore reports whether in configuration c more elements of the fan-out at place may be
// open than are told.
func (p *Product) hasMore(c int32, place int) bool {
	_, orMore := p.program.Packing.Visits[p.Leaf(c).ID].Open(p.words(c), place)
	return orMore
}

// endAll is letAllStart for the visit in which the path ends. It also notes an attempt that waits
// for a retry where a timer runs around it, which may fire before the attempt starts.
func (r *recorder) endAll() {
	leaf := r.p.Leaf(r.at)
	if leaf == nil || leaf.Kind != ir.Leaf {
		return
	}
	r.letAllStart()
	for _, d := range leaf.Dos {
		for _, el := range r.elements[d] {
			r.short = r.short || !el.ended && len(el.used) > 0 && len(timing.TimersAround(leaf)) > 0
		}
	}
}

// noteLate notes whether an attempt of the visit had not started when its timer fired, or a
// cost passed its budget.
func (r *recorder) noteLate() {
	for _, d := range r.p.Leaf(r.at).Dos {
		for _, el := range r.elements[d] {
			r.short = r.short || !el.ended && el.used != nil && el.start >= r.clock.Now && len(el.used) > 0
		}
	}
}
