package explore

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A path does not say how many elements a list has. A run has to, and as many as what follows takes.

// elementsOf is how many elements d, which stands at place, has in the visit that begins with l, how many of them
// the path does not have there where it tells, and how many it can have at most.
func (r *recorder) elementsOf(d *ir.Do, place int, l Label) (n, alike, most int64) {
	least, most := r.p.Elements(l, place)
	counted := least < most && r.p.program.Packing.Visits[d.State.ID].Counts(place)
	need := int64(0)
	if counted {
		need = r.endsAhead(d, place)
	} else {
		need = r.retriesAhead(d)
	}
	need = max(need, r.elementsAsked(d))
	n = max(need, r.long[d.Fan.List])
	if least < most {
		n = max(n, r.indexAhead(d))
	}
	n = max(least, min(most, n))
	if counted && !r.all {
		alike = max(0, n-need)
	}
	return n, alike, most
}

// seeLists notes how long lists have to be that are parameters: they are the same in all visits of path.
func (r *recorder) seeLists(path []int32) {
	at := r.at
	for i, e := range path {
		if r.p.IsWithin(e) {
			continue
		}
		r.at, r.ahead = r.p.To[e], path[i+1:]
		if l := r.p.Label(e); l.Begun > 0 {
			for place, d := range r.p.Leaf(r.at).Dos {
				if d.Fan != nil && d.Fan.List.Param {
					n, _, _ := r.elementsOf(d, place, l)
					r.long[d.Fan.List] = max(r.long[d.Fan.List], n)
				}
			}
		}
	}
	r.at = at
}

// elementsAsked is how many elements d has to have for what comes behind the path.
func (r *recorder) elementsAsked(d *ir.Do) int64 {
	if d.Fan.List != r.asked {
		return 0
	}
	return r.atLeast
}

// retriesAhead is how many elements of d the retries take that the path has in this visit.
func (r *recorder) retriesAhead(d *ir.Do) int64 {
	made := map[*ir.Arm]int64{}
	last := int64(1) // what comes behind the path may be one more
	if r.refuses {
		last = 0
	}
	for _, e := range r.ahead {
		l := r.p.Label(e)
		if l.Kind == Moved {
			last = 0
			break
		}
		if c, ok := r.p.Input(e); ok && l.Kind == Retried && c.Do == d {
			made[r.p.Arm(e)]++
		}
	}
	need := int64(0)
	for a, n := range made {
		if a.Max != nil && *a.Max > 0 {
			need = max(need, (n+last-1) / *a.Max + 1)
		}
	}
	return need
}

// endsAhead is how many elements of d, which stands at place, the path has in this visit:
// those that end in it, and those that are open behind it.
func (r *recorder) endsAhead(d *ir.Do, place int) int64 {
	at, ends := r.at, int64(0)
	for _, e := range r.ahead {
		l := r.p.Label(e)
		if l.Kind == Moved {
			break
		}
		if c, _ := r.p.Input(e); !r.p.IsWithin(e) && (c.Do == d && l.Kind == Stayed || l.Kind == Ended && int(l.Do) == d.ID) {
			ends++
		}
		if !r.p.IsWithin(e) {
			at = r.p.To[e]
		}
	}
	open, _ := r.p.program.Packing.Visits[d.State.ID].Open(r.p.words(at), place)
	return ends + open
}

// indexAhead is how many elements of d the path has to have in this visit for the indexes that it reads.
func (r *recorder) indexAhead(d *ir.Do) (least int64) {
	if r.p.program.Tracked.Index(d) == nil {
		return 0
	}
	at := r.at
	for _, e := range r.ahead {
		if c, ok := r.p.Input(e); ok && c.Do == d && !r.p.IsWithin(e) {
			least = max(least, r.teller.edge(at, e).who.least())
		}
		if l := r.p.Label(e); l.Kind == Moved {
			break
		}
		if !r.p.IsWithin(e) {
			at = r.p.To[e]
		}
	}
	return least
}
