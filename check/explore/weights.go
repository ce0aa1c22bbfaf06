package explore

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A Weigher says what a step counts for in one figure of the worst case: by the
// leaf that it enters, whose activities start then, and by its kind. That is the
// same for all edges of one label.
type Weigher struct {
	p       *Product
	weights []int64 // by label
}

// Steps counts moves and retries.
func (p *Product) Steps() *Weigher {
	return p.weigher(1, func(*ir.Activity) int64 { return 0 })
}

// Attempts adds up what each attempt of an activity counts for.
func (p *Product) Attempts(of func(*ir.Activity) int64) *Weigher { return p.weigher(0, of) }

// weigher counts step for each move and retry, and attempt for each attempt.
func (p *Product) weigher(step int64, attempt func(*ir.Activity) int64) *Weigher {
	ofLeaf := make([]int64, len(p.Table.Machine.States))
	for _, d := range p.Table.Machine.Dos {
		ofLeaf[d.State.ID] += attempt(d.Activity)
	}
	w := &Weigher{p: p, weights: make([]int64, len(p.labels))}
	for i, l := range p.labels {
		switch l.Kind {
		case Started:
			w.weights[i] = ofLeaf[l.Into]
		case Moved:
			w.weights[i] = step + ofLeaf[l.Into]
		case Retried:
			w.weights[i] = step
		}
		if d := p.starts(l); d != nil {
			w.weights[i] += attempt(d.Activity)
		}
	}
	return w
}

// SurePath is a path from the start that adds up to length, the most that any does, and
// rests on no guess; nil where there is none.
func (p *Product) SurePath(w *Weigher, length int64) []int32 {
	var numbers []int32 // by edge of sure: its number in p
	keep := func(_, e int32) bool { return p.Certain(e) && !p.Label(e).Again }
	for e := range int32(len(p.To)) {
		if keep(graph.None, e) {
			numbers = append(numbers, e)
		}
	}
	sure := p.Filter(keep)
	of, n := sure.Components()
	longest := graph.NewLongest(sure, of, n, func(from, e int32) int64 { return w.Of(from, numbers[e]) })
	if longest.Length[0] != length {
		return nil
	}
	path := longest.Path(0)
	for i, e := range path {
		path[i] = numbers[e]
	}
	return path
}

// Of is what edge e counts for.
func (w *Weigher) Of(_, e int32) int64 { return w.weights[w.p.labelAt[e]] }
