package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A field that arms add to, and on which no path depends, would be held for one question:
// whether it stays in its range. A sum over the elements of a list has a thousand values,
// each of which all the rest is multiplied with. So in a machine that is not small the most
// that can be added is asked first, of the graph without the field: it is a longest path, as
// the figures of the worst case are. An attempt says one thing, so that an arm of what it
// says is taken no more often than attempts start. Where the most fits, the field is held no
// more; elsewhere it is held by value.

// TryLarge is TryFurther for a machine that is not small: sums that surely stay in their
// range are not held.
func TryLarge(t *flat.Table, before, limit int) (p *Product, entered []bool) {
	all := data.Sums(t.Machine)
	if len(all) == 0 {
		return TryFurther(t, before, limit)
	}
	p, entered = tryWithout(t, all, 0, limit)
	if p == nil {
		return nil, entered
	}
	fit := slices.DeleteFunc(slices.Clone(all), func(s *data.Sum) bool { return !p.fits(s) })
	switch len(fit) {
	case len(all):
		return p, nil
	case 0:
		return TryFurther(t, before, limit)
	}
	return tryWithout(t, fit, 0, limit)
}

// fits reports whether s surely stays in its range.
func (p *Product) fits(s *data.Sum) bool {
	of, n := p.Components()
	most := func(by func(data.Added) int64) int64 {
		w := p.additions(func(a *ir.Arm) int64 { return by(s.Adds[a]) })
		return graph.NewLongest(&p.Graph, of, n, w.Of).Length[0]
	}
	return s.Fits(most(func(a data.Added) int64 { return a.Up }), most(func(a data.Added) int64 { return a.Down }))
}

// additions counts by for each arm that is taken, of what attempts say the most that any arm
// counts for with each attempt.
func (p *Product) additions(by func(*ir.Arm) int64) *Weigher {
	w := p.weigher(0, func(d *ir.Do) int64 {
		most := int64(0)
		for in := range p.Table.Inputs(d.State) {
			for _, c := range in.Choices {
				if in.Do == d && c.Arm != nil {
					most = max(most, by(c.Arm))
				}
			}
		}
		return most
	})
	for i, l := range p.labels {
		if l.Arm != graph.None && l.Input != graph.None && p.Table.Case(l.Input).Do == nil {
			w.weights[i] = graph.Sum(w.weights[i], by(p.Table.Machine.Arms[l.Arm]))
		}
	}
	return w
}
