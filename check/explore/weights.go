package explore

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A Weigher says what a step counts for in one figure of the worst case: by the
// leaf that it enters, whose activities start then, and by its kind.
type Weigher struct {
	p      *Product
	ofLeaf []int64 // by state ID: entering it
	move   int64   // a move, on top
	retry  func(*ir.Do) int64
}

// Steps counts moves and retries.
func (p *Product) Steps() *Weigher {
	return &Weigher{p: p, ofLeaf: make([]int64, len(p.Table.Machine.States)), move: 1, retry: func(*ir.Do) int64 { return 1 }}
}

// Attempts adds up what each attempt of an activity counts for.
func (p *Product) Attempts(of func(*ir.Activity) int64) *Weigher {
	w := &Weigher{p: p, ofLeaf: make([]int64, len(p.Table.Machine.States)), retry: func(d *ir.Do) int64 { return of(d.Activity) }}
	for _, d := range p.Table.Machine.Dos {
		w.ofLeaf[d.State.ID] += of(d.Activity)
	}
	return w
}

// Of is what edge e counts for.
func (w *Weigher) Of(_, e int32) int64 {
	switch l := w.p.Label(e); l.Kind {
	case Started:
		return w.ofLeaf[w.p.Leaf(w.p.To[e]).ID]
	case Moved:
		return w.move + w.ofLeaf[w.p.Leaf(w.p.To[e]).ID]
	case Retried:
		return w.retry(w.p.Table.Case(l.Input).Do)
	}
	return 0
}
