package explore

import (
	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Drops are the deferred events that some path drops, in the order in which that
// is first reached, each with the configuration in which it happens.
func (p *Product) Drops() (drops []control.Drop, at []int32) {
	known := map[control.Drop]bool{}
	for c, e := range p.InOrder() {
		if p.Label(e).Kind != Dropped {
			continue
		}
		in, _ := p.Input(e)
		d := control.Drop{Leaf: p.Leaf(c), Event: in.Event}
		if !known[d] && !p.Table.Heeds(d.Leaf, d.Event) {
			known[d] = true
			drops, at = append(drops, d), append(at, c)
		}
	}
	return drops, at
}

// Deferral is the `defer` by which event was last deferred on path; nil where
// it is not.
func (p *Product) Deferral(path []int32, event *ir.Event) *ir.EventUse {
	var use *ir.EventUse
	for _, e := range path {
		l := p.Label(e)
		if c, _ := p.Input(e); l.Kind == Stayed && l.Arm == graph.None && !l.Again && c.Event == event {
			if found := p.Table.Deferral(p.Leaf(p.From(e)), event); found != nil {
				use = found
			}
		}
	}
	return use
}
