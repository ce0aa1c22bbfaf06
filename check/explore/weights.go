package explore

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Weigher says what a step counts for in one figure of the worst case: by the
// leaf that it enters, whose activities start then, and by its kind. That is the
// same for all edges of one label.
type Weigher struct {
	p       *Product
	weights []int64 // by label
	bare    []int64 // the same without the retries that count where a visit begins; nil where there are none
}

// Weigh adds up what each attempt of an activity counts for, with step for each move and
// retry. A sum that is over 64 bits is graph.Infinite.
func (p *Product) Weigh(step int64, attempt func(*ir.Activity) int64) *Weigher {
	ofLeaf := make([]int64, len(p.Table.Machine.States))
	for _, d := range p.Table.Machine.Dos {
		if d.Fan == nil {
			ofLeaf[d.State.ID] = graph.Sum(ofLeaf[d.State.ID], attempt(d.Activity))
		}
	}
	w := &Weigher{p: p, weights: make([]int64, len(p.labels))}
	if len(p.retried) > 0 {
		w.bare = make([]int64, len(p.labels))
	}
	for i, l := range p.labels {
		bare, retries := int64(0), int64(0)
		add := func(n int64) { bare = graph.Sum(bare, n) }
		if l.Kind == Moved || l.Kind == Retried && !p.CountedOnEntering(l) {
			add(step)
		}
		if l.Kind == Started || l.Kind == Moved {
			add(ofLeaf[l.Into])
		}
		for _, e := range p.begun[l.Begun] {
			d := p.Table.Machine.States[l.Into].Dos[e.Place]
			add(graph.Times(e.Most, attempt(d.Activity)))
			retry := graph.Times(p.retriesEach(d), graph.Sum(step, attempt(d.Activity)))
			retries = graph.Sum(retries, graph.Times(e.Most, retry))
		}
		if d := p.starts(l); d != nil {
			add(attempt(d.Activity))
		}
		w.weights[i] = graph.Sum(bare, retries)
		if w.bare != nil {
			w.bare[i] = bare
		}
	}
	return w
}

// SurePath is a path from the start that adds up to length, the most that any does, and
// rests on no guess; nil where there is none.
func (p *Product) SurePath(w *Weigher, length int64) []int32 {
	if p.sure == nil {
		p.sure = p.keeping(func(e int32) bool { return p.Certain(e) && !p.Label(e).Again })
	}
	most, path := p.sure.longest(w)
	if most != length {
		return nil
	}
	return path
}

// LongestInto is a path from the start into a terminal, or with nil to where the run has
// not ended, by one of the starts that allow lets pass, and the most that any adds up to. It is
// empty where there is none.
func (p *Product) LongestInto(w *Weigher, terminal *ir.State, allow func(e int32) bool) (length int64, path []int32) {
	if terminal == nil {
		return p.keeping(func(e int32) bool {
			to := p.Leaf(p.To[e])
			return allow(e) && (to == nil || to.Kind == ir.Leaf)
		}).longest(w)
	}
	var ends []int32
	for c := range int32(p.Len()) {
		if p.Leaf(c) == terminal {
			ends = append(ends, c)
		}
	}
	leads := p.Reverse().Reach(ends...)
	return p.keeping(func(e int32) bool { return allow(e) && leads[p.To[e]] }).longest(w)
}

// Needed is path up to the last edge that counts.
func (w *Weigher) Needed(path []int32) []int32 {
	n := len(path)
	for n > 1 && w.Of(graph.None, path[n-1]) == 0 {
		n--
	}
	return path[:n]
}

// longest is the longest path from the start along the edges that are kept.
func (k *kept) longest(w *Weigher) (length int64, path []int32) {
	longest := k.all(w)
	if longest.Length(0) == graph.Infinite {
		return graph.Infinite, nil
	}
	return longest.Length(0), longest.Path(0)
}

// kept is a product with some of its edges.
type kept struct {
	p     *Product
	keep  func(e int32) bool
	of    []int32 // by vertex: its component
	parts int     // how many of those there are
}

// keeping is p with the edges that keep lets pass.
func (p *Product) keeping(keep func(e int32) bool) *kept {
	k := &kept{p: p, keep: keep}
	k.of, k.parts = p.ComponentsAlong(func(_, e int32) bool { return keep(e) })
	return k
}

// all is the longest path from each vertex along the edges that are kept.
func (k *kept) all(w *Weigher) *graph.Longest {
	return graph.NewLongest(&k.p.Graph, k.of, k.parts, func(from, e int32) int64 {
		if !k.keep(e) {
			return graph.Absent
		}
		return w.Of(from, e)
	})
}

// Bare is what path counts for without the retries that count where a visit begins; false
// where there are none.
func (w *Weigher) Bare(path []int32) (length int64, ok bool) {
	if w.bare == nil {
		return 0, false
	}
	for _, e := range path {
		length = graph.Sum(length, w.bare[w.p.labelAt[e]])
	}
	return length, true
}

// Of is what edge e counts for.
func (w *Weigher) Of(_, e int32) int64 { return w.weights[w.p.labelAt[e]] }
