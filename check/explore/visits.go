package explore

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// BeginsVisit reports whether edge e leaves, or enters from outside, a state that stands so deep.
func (p *Product) BeginsVisit(e int32, depth int) bool {
	l := p.Label(e)
	return l.Kind == Started || l.Kind == Moved && int(l.Shared) < depth
}

// EntersAt is the state at a depth of which a visit begins with e, which BeginsVisit; nil where
// that leads to no state so deep.
func (p *Product) EntersAt(e int32, depth int) *ir.State {
	s := p.Table.Machine.States[p.Label(e).Into]
	for s != nil && s.Depth > depth {
		s = s.Parent
	}
	if s == nil || s.Depth < depth {
		return nil
	}
	return s
}

// Entries is the most visits of each state in any run, by state ID; graph.Infinite without end.
//
// It is a longest path for each state, on which an edge counts that begins a visit of it. Only
// the components between the first and the last such edge are looked at: behind them nothing
// counts, and before them nothing more. In a machine without long loops that is little.
func (p *Product) Entries() []int64 {
	type edge struct{ from, e int32 }
	begins := make([][]edge, len(p.Table.Machine.States))
	for from, e := range p.Edges() {
		for s := p.Table.Machine.States[p.Label(e).Into]; s != nil; s = s.Parent {
			if p.BeginsVisit(e, s.Depth) {
				begins[s.ID] = append(begins[s.ID], edge{from, e})
			}
		}
	}
	of, n := p.Components()
	first, members := graph.Grouped(of, n)
	counts := make([]bool, len(p.To)) // by edge
	length := make([]int64, n)        // by component
	out := make([]int64, len(begins))
	for id, edges := range begins {
		low, high := int32(n), int32(-1)
		for _, b := range edges {
			counts[b.e] = true
			low, high = min(low, of[b.from]), max(high, of[b.from])
		}
		for c := low; c <= high; c++ {
			length[c] = 0
			for _, v := range members[first[c]:first[c+1]] {
				p.Stop.Poll()
				for e := p.First[v]; e < p.First[v+1]; e++ {
					to, most := of[p.To[e]], int64(0)
					if to >= low && to != c {
						most = length[to]
					}
					if counts[e] && to == c {
						most = graph.Infinite
					} else if counts[e] {
						most = graph.Sum(most, 1)
					}
					length[c] = max(length[c], most)
				}
			}
			out[id] = max(out[id], length[c])
		}
		for _, b := range edges {
			counts[b.e] = false
		}
	}
	return out
}

// MostInVisit is what a visit of each state that stands so deep adds up to at most, by
// state ID; graph.Infinite without end.
func (p *Product) MostInVisit(w *Weigher, depth int) []int64 {
	longest := p.keeping(func(e int32) bool { return !p.BeginsVisit(e, depth) }).all(w)
	out := make([]int64, len(p.Table.Machine.States))
	for e := range int32(len(p.To)) {
		if !p.BeginsVisit(e, depth) {
			continue
		}
		if s := p.EntersAt(e, depth); s != nil {
			out[s.ID] = max(out[s.ID], graph.Sum(w.Of(graph.None, e), longest.Length(p.To[e])))
		}
	}
	return out
}
