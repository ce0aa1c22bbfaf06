package explore

import (
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
	return p.weigher(1, make([]int64, len(p.Table.Machine.States)), func(*ir.Do) int64 { return 1 })
}

// Attempts adds up what each attempt of an activity counts for.
func (p *Product) Attempts(of func(*ir.Activity) int64) *Weigher {
	ofLeaf := make([]int64, len(p.Table.Machine.States))
	for _, d := range p.Table.Machine.Dos {
		ofLeaf[d.State.ID] += of(d.Activity)
	}
	return p.weigher(0, ofLeaf, func(d *ir.Do) int64 { return of(d.Activity) })
}

// weigher counts ofLeaf where a leaf is entered, by state ID, and move on top for
// a move.
func (p *Product) weigher(move int64, ofLeaf []int64, retry func(*ir.Do) int64) *Weigher {
	w := &Weigher{p: p, weights: make([]int64, len(p.labels))}
	for i, l := range p.labels {
		switch l.Kind {
		case Started:
			w.weights[i] = ofLeaf[l.Into]
		case Moved:
			w.weights[i] = move + ofLeaf[l.Into]
		case Retried:
			if move > 0 || !l.Vain { // as a step it counts all the same
				w.weights[i] = retry(p.Table.Case(l.Input).Do)
			}
		}
	}
	return w
}

// Of is what edge e counts for.
func (w *Weigher) Of(_, e int32) int64 { return w.weights[w.p.edges[e]] }
