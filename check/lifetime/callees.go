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
func (t *Times) limit(d *ir.Do) int64 {
	own := timing.AttemptLimit(d)
	c := t.p.Table.Callee(d.Activity)
	if c == nil {
		return own
	}
	return min(c.Time, graph.Sum(own, c.Stops))
}

// stopping is how long machines last that are called in each state or inside it, once they
// are cancelled, by state ID.
func (t *Times) stopping() []int64 {
	m := t.p.Table.Machine
	stops := make([]int64, len(m.States))
	for _, d := range m.Dos {
		if c := t.p.Table.Callee(d.Activity); c != nil {
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
	for c := range int32(t.p.Len()) {
		for e := t.p.First[c]; e < t.p.First[c+1]; e++ {
			if !t.p.IsCancel(e) || t.p.IsWithin(e) {
				continue
			}
			if t.p.IsMove(e) {
				longest = max(longest, t.reach(c, e))
			} else {
				longest = max(longest, graph.Sum(t.restOf(t.p.To[e]), t.Longest[t.p.To[e]]))
			}
		}
	}
	for _, s := range t.stopsIn { // where nothing takes it, the run ends once what it calls has
		longest = max(longest, s)
	}
	return longest
}
