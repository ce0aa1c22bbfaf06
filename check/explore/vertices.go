package explore

import (
	"iter"

	"github.com/fsmc-dev/fsmc/check/graph"
)

// words are the data of vertex v: of a junction those of the first configuration that
// it stands for.
func (p *Product) words(v int32) []uint64 {
	if int(v) >= p.store.count {
		v = p.stands[int(v)-p.store.count]
	}
	return p.store.at(v)
}

// Configurations is how many there are; junctions are numbered behind them.
func (p *Product) Configurations() int { return p.store.count }

// IsWithin reports whether edge e leads into a junction: no step, but how one begins.
func (p *Product) IsWithin(e int32) bool { return int(p.To[e]) >= p.store.count }

// InOrder goes through all steps in the order in which they were reached: the last edge
// of each, and where that starts. Those behind a junction come once, where it was
// reached first.
func (p *Product) InOrder() iter.Seq2[int32, int32] {
	return func(yield func(from, e int32) bool) {
		seen := make([]bool, len(p.stands))
		for c := range int32(p.store.count) {
			for e := p.First[c]; e < p.First[c+1]; e++ {
				if !p.IsWithin(e) {
					if !yield(c, e) {
						return
					}
					continue
				}
				j := p.To[e]
				if seen[int(j)-p.store.count] {
					continue
				}
				seen[int(j)-p.store.count] = true
				for last := p.First[j]; last < p.First[j+1]; last++ {
					if !yield(j, last) {
						return
					}
				}
			}
		}
	}
}

// StepsFrom goes through the steps that can be taken in configuration c: the last edge of
// each, with the edge into a junction that leads to it, or None.
func (p *Product) StepsFrom(c int32) iter.Seq2[int32, int32] {
	return func(yield func(into, e int32) bool) {
		for e := p.First[c]; e < p.First[c+1]; e++ {
			if !p.IsWithin(e) {
				if !yield(graph.None, e) {
					return
				}
				continue
			}
			j := p.To[e]
			for last := p.First[j]; last < p.First[j+1]; last++ {
				if !yield(e, last) {
					return
				}
			}
		}
	}
}
