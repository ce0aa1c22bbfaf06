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

// Entries is the most visits of s in any run; graph.Infinite without end.
func (p *Product) Entries(s *ir.State) int64 {
	of, n := p.Components()
	return graph.NewLongest(&p.Graph, of, n, func(_, e int32) int64 {
		if p.BeginsVisit(e, s.Depth) && p.EntersAt(e, s.Depth) == s {
			return 1
		}
		return 0
	}).Length[0]
}

// MostInVisit is what a visit of each state that stands so deep adds up to at most, by
// state ID; graph.Infinite without end.
func (p *Product) MostInVisit(w *Weigher, depth int) []int64 {
	var numbers []int32 // by edge that is kept: its number in p
	kept := p.Filter(func(_, e int32) bool { return !p.BeginsVisit(e, depth) })
	for e := range int32(len(p.To)) {
		if !p.BeginsVisit(e, depth) {
			numbers = append(numbers, e)
		}
	}
	of, n := kept.Components()
	longest := graph.NewLongest(kept, of, n, func(from, e int32) int64 { return w.Of(from, numbers[e]) })
	out := make([]int64, len(p.Table.Machine.States))
	for e := range int32(len(p.To)) {
		if !p.BeginsVisit(e, depth) {
			continue
		}
		if s := p.EntersAt(e, depth); s != nil {
			out[s.ID] = max(out[s.ID], graph.Sum(w.Of(graph.None, e), longest.Length[p.To[e]]))
		}
	}
	return out
}
