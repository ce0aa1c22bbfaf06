package explore

import (
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// lists follows along a path how many elements the lists of fan-outs have. A configuration may know how many
// are open at the least, and not how many there were: then some paths are of lists that are too long or too
// short, and no runs.
type lists struct {
	p    *Product
	of   []list // by do
	same map[*ir.Var]size
}

// list is how many elements a visit begins with, and how many of them have ended.
type list struct {
	size
	ended int64
}

// size is how many elements there are: of a list that nothing assigns, in all visits.
type size struct{ least, most int64 }

func newLists(p *Product) lists {
	return lists{p, make([]list, len(p.Table.Machine.Dos)), map[*ir.Var]size{}}
}

// fix notes what is known of the list of d, if it stays as it is.
func (l *lists) fix(d *ir.Do, n size) {
	if !d.Fan.List.Assigned {
		l.same[d.Fan.List] = n
	}
}

// begins calls f with each fan-out that begins along an edge with that label.
func (l *lists) begins(label Label, f func(d *ir.Do, n size)) {
	if label.Kind == Started || label.Kind == Moved {
		for _, b := range l.p.begun[label.Begun] {
			d, n := l.p.Table.Machine.States[label.Into].Dos[b.Place], size{b.Least, b.Most}
			if known, ok := l.same[d.Fan.List]; ok && label.Kind == Moved {
				n = size{max(known.least, n.least), min(known.most, n.most)}
			}
			f(d, n)
		}
	}
}

// after is the do of which an element ends along e, if there is one and the run stays, and whether it may have
// more open elements than its configuration says. It fits if there are lists with as many elements.
func (l *lists) after(e int32) (d *ir.Do, more, fit bool) {
	fit = true
	l.begins(l.p.Label(e), func(_ *ir.Do, n size) { fit = fit && n.least <= n.most })
	if d = l.p.endsElement(e); d == nil || l.p.To[e] < 0 {
		return nil, false, fit
	}
	open, more := l.p.openOf(d, l.p.To[e])
	of := &l.of[d.ID]
	n := of.ended + 1 + open
	return d, more, n <= of.most && (n >= of.least || more)
}

// note notes what e does to lists.
func (l *lists) note(e int32) {
	label := l.p.Label(e)
	if label.Kind == Started {
		clear(l.same)
	}
	l.begins(label, func(d *ir.Do, n size) {
		l.of[d.ID] = list{size: n}
		l.fix(d, n)
	})
	d := l.p.endsElement(e)
	if d == nil {
		return
	}
	of := &l.of[d.ID]
	if of.ended++; l.p.To[e] < 0 { // half a step: how many are open after it, only the other half says
		of.least, of.most = 0, math.MaxInt64
	} else if open, more := l.p.openOf(d, l.p.To[e]); open == 0 && !more {
		l.fix(d, size{of.ended, max(of.ended, of.most)}) // of many elements, there may be more whose end changes nothing
	}
}

// fitsLists reports whether there are lists with as many elements as path has of them.
func (p *Product) fitsLists(path []int32) bool {
	l := newLists(p)
	for _, e := range path {
		if _, _, fit := l.after(e); !fit {
			return false
		}
		l.note(e)
	}
	return true
}

// endsElement is the do of which an element ends along e, and the run stays; nil where there is none.
func (p *Product) endsElement(e int32) *ir.Do {
	l := p.Label(e)
	if l.Kind != Stayed || l.Input == graph.None {
		return nil
	}
	if d := p.Table.Case(l.Input).Do; d != nil && d.Fan != nil {
		return d
	}
	return nil
}

// openOf is how many elements of d are open in configuration c at the least, and whether there may be more.
func (p *Product) openOf(d *ir.Do, c int32) (n int64, more bool) {
	v, i := &p.program.Packing.Visits[d.State.ID], slices.Index(d.State.Dos, d)
	switch {
	case v.Counts(i):
		return v.Open(p.words(c), i)
	case v.HasEnded(p.words(c), i):
		return 0, false
	}
	return 1, true
}
