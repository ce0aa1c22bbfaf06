package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// ChainAtOnce is a path of more than MostAtOnce steps that wait for nothing, and
// the configuration in which it begins; None where there is no such path. It is for
// a product without cycles along AtOnce.
//
// Without cycles the components are single configurations, and an edge leads
// to one with a lower number: in their order the longest path from each is known
// when it is asked for.
func (p *Product) ChainAtOnce() (from int32, chain []int32) {
	if p.Len() <= control.MostAtOnce || !p.mayFollow() {
		return graph.None, nil
	}
	of, n := p.ComponentsAlong(p.AtOnce)
	if n < p.Len() {
		return graph.None, nil
	}
	ordered := make([]int32, n)
	for c := range int32(n) {
		ordered[of[c]] = c
	}
	longest := make([]int32, n)
	next := func(c int32) (best int32) { // the first edge of the longest path
		best = graph.None
		for e := p.First[c]; e < p.First[c+1]; e++ {
			if p.To[e] != c && p.AtOnce(c, e) && (best == graph.None || longest[p.To[e]] > longest[p.To[best]]) {
				best = e
			}
		}
		return best
	}
	for _, c := range ordered {
		if e := next(c); e != graph.None {
			longest[c] = longest[p.To[e]] + 1
		}
	}
	from = int32(slices.IndexFunc(longest, func(n int32) bool { return n > control.MostAtOnce }))
	if from < 0 {
		return graph.None, nil
	}
	for c := from; len(chain) <= control.MostAtOnce; c = p.To[chain[len(chain)-1]] {
		chain = append(chain, next(c))
	}
	return from, chain
}

// mayFollow reports whether any step waits for nothing.
func (p *Product) mayFollow() bool {
	return slices.ContainsFunc(p.Table.Machine.States, (*ir.State).IsChoice) ||
		slices.ContainsFunc(p.marks, func(m mark) bool { return m.instant })
}
