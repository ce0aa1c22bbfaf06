package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// AlwaysVain reports whether some run takes a, a retry, and none sees its wait end: to
// the start of the attempt for which it waits no path leads within the visit on which
// nothing is said of the activity. Without times every wait ends.
func (p *Product) AlwaysVain(a *ir.Arm) bool {
	ends := map[*ir.Do][]bool{}
	taken := false
	for e := range int32(len(p.To)) {
		if l := p.Label(e); l.Kind != Retried || int(l.Arm) != a.ID {
			continue
		}
		taken = true
		if p.Starts(e) != nil || p.CountedOnEntering(p.Label(e)) {
			return false
		}
		c, _ := p.Input(e)
		if ends[c.Do] == nil {
			ends[c.Do] = p.waitEnds(c.Do)
		}
		if ends[c.Do][p.To[e]] {
			return false
		}
	}
	return taken
}

// waitEnds marks the configurations from which an attempt of d that waits reaches its
// start.
func (p *Product) waitEnds(d *ir.Do) []bool {
	var starts []int32
	visit := p.Filter(func(c, e int32) bool {
		l := p.Label(e)
		if l.Kind == Begun && p.Starts(e) == d {
			starts = append(starts, c)
			return false
		}
		in, _ := p.Input(e)
		return p.Leaf(c) == d.State && l.Kind != Moved && in.Do != d
	})
	return visit.Reverse().Reach(starts...)
}

// RunsOut reports whether in, a failure of an attempt whose time is up, comes in some
// configuration of leaf, or would but for a timer that is due in the same instant.
func (p *Product) RunsOut(leaf *ir.State, in flat.Input) bool {
	x := p.looking()
	place := slices.Index(leaf.Dos, in.Do)
	limit, _ := timing.Earliest(p.Table, in.Case)
	v := &p.program.Packing.Visits[leaf.ID]
	return slices.ContainsFunc(p.configsIn(leaf), func(c int32) bool {
		x.stand(c)
		return !v.HasEnded(x.Here, place) && !v.IsWaiting(x.Here, place) && !x.Program.Packing.Pending.Any(x.Here) &&
			x.beforeTimers(leaf) && x.runsFor(leaf, place, limit-1)
	})
}

// Timed reports whether configurations are told apart by their times, so that every
// path has its moments.
func (p *Product) Timed() bool { return p.program.Clocks != nil }

// Fires reports whether t fires in some run, whether or not something takes it.
func (p *Product) Fires(t *ir.Timer) bool { return p.fired[t.ID] }

// Awaited reports whether t runs in some configuration in which something else than
// `done` can come.
func (p *Product) Awaited(t *ir.Timer) bool {
	for c := int32(1); int(c) < p.Configurations(); c++ {
		if s := p.Leaf(c); s.Kind == ir.Leaf && s.Inside(t.State) && p.Runs(c, t) && !p.doneDue(c) {
			return true
		}
	}
	return false
}
