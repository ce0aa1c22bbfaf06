package lifetime

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A machine that is called lasts as long as its runs do. A timeout cancels it, and then it
// lasts as long as it needs to end. The same holds where a timer ends the visit: the
// activities of the next state wait for it, and a run that ends does so behind it.
//
// Where the visit ends in another way nothing is added: the time of a run of the callee is
// that of any run, of those that are cancelled, too.

// limit is how long an attempt of d may last; graph.Infinite without end.
func (t *Times) limit(d *ir.Do) int64 { return graph.Sum(t.runs(d), t.stopTime(d)) }

// runs is how long an attempt of d may last until its timeout passes.
func (t *Times) runs(d *ir.Do) int64 {
	own := timing.AttemptLimit(d)
	if c := t.p.Table.Callee(d.Activity); c != nil {
		return min(own, c.Time)
	}
	return own
}

// stopTime is how long a machine that d calls may last after that; 0 of an activity.
func (t *Times) stopTime(d *ir.Do) int64 {
	c, own := t.p.Table.Callee(d.Activity), timing.AttemptLimit(d)
	switch {
	case c == nil || own >= c.Time:
		return 0
	case c.Time == graph.Infinite:
		return c.Stops
	}
	return min(c.Stops, c.Time-own)
}

// While a machine is stopped whose timeout has passed, the run stays in its state, but no
// attempt begins there: neither a retry nor an element that has waited for its turn, of whichever do. So
// each of these may begin later by the sum of what all stops of the visit take.
//
// Of N elements without retries, which run for T each before they are stopped for S, and n at the
// same time, it is also at most ceil(N/n) (2T + S). For let t be when one begins to stop: what runs then has
// run by t + T, and what is stopped without a break from before t + T on has stopped by t + 2T + S. When the
// next one begins to stop after that, all n places have each got another element, or nobody waits.

// held is how long no attempt of a visit may begin, with so many elements as elements says; nil
// where none is a fan-out.
func (t *Times) held(leaf *ir.State, elements func(place int) int64) int64 {
	total := int64(0)
	for i, d := range leaf.Dos {
		stops := t.stopTime(d)
		if stops == 0 {
			continue
		}
		n := int64(1)
		if d.Fan != nil {
			n = elements(i)
		}
		attempts := graph.Sum(1, timing.MostRetries(t.p.Table, d))
		if attempts == graph.Infinite {
			return graph.Infinite
		}
		own := graph.Times(graph.Times(n, attempts), stops)
		if len(leaf.Dos) == 1 && d.Fan != nil && d.Fan.Limit > 0 && attempts == 1 && n > 0 {
			run := t.runs(d)
			own = min(own, graph.Times(graph.Sum(graph.Sum(run, run), stops), (n-1)/d.Fan.Limit+1))
		}
		total = graph.Sum(total, own)
	}
	return total
}

// stopping is how long machines last that are called in each state or inside it, once they
// are cancelled, by state ID.
func (t *Times) stopping() []int64 {
	m := t.p.Table.Machine
	stops := make([]int64, len(m.States))
	for _, d := range m.Dos {
		if c := t.p.Table.Callee(d.Activity); c != nil && !d.NeverRuns() {
			for s := d.State; s != nil; s = s.Parent {
				stops[s.ID] = max(stops[s.ID], min(c.Stops, c.Time))
			}
		}
	}
	return stops
}

// Stops is how long a run may last once it is cancelled, from wherever it is then.
func (t *Times) Stops() int64 {
	longest := int64(0)
	for c, e := range t.p.Edges() {
		if !t.p.IsCancel(e) || t.p.IsWithin(e) {
			continue
		}
		if t.p.IsMove(e) {
			longest = max(longest, t.reach(c, e))
		} else {
			longest = max(longest, graph.Sum(t.restOf(t.p.To[e]), t.Longest[t.p.To[e]]))
		}
	}
	for _, s := range t.stopsIn { // where nothing takes it, the run ends once what it calls has
		longest = max(longest, s)
	}
	return longest
}
