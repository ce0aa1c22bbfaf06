package lifetime

import "github.com/fsmc-dev/fsmc/check/explore"

// Visits is how long a visit of each state may last that stands so deep, by state ID;
// graph.Infinite without end, and 0 where no run enters it. A visit is over with the first
// step that leaves its state, or enters it again from outside: what lies behind does not
// count. States of one depth do not contain each other, so that one solution is that of
// all of them.
func Visits(p *explore.Product, depth int) []int64 {
	ended := func(e int32) bool { return p.BeginsVisit(e, depth) }
	of, n := p.ComponentsAlong(func(_, e int32) bool { return !ended(e) })
	t := until(p, of, n, ended)
	out := make([]int64, len(p.Table.Machine.States))
	for from, e := range p.Edges() {
		if !ended(e) {
			continue
		}
		if s := p.EntersAt(e, depth); s != nil {
			out[s.ID] = max(out[s.ID], t.reach(from, e))
		}
	}
	return out
}
