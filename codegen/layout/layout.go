// Package layout places boxes, frames around boxes and the arrows between them: sizes in,
// coordinates out. It knows nothing of machines, nor of how a drawing is written.
//
// It draws in layers, from top to bottom (Sugiyama, Tagawa and Toda 1981; Gansner et al.
// 1993). Each frame is a drawing of its own, made from the inside out, in which a frame
// is a box like another: what stands in it is in its way for no one outside. An arrow that
// crosses frames is a piece in each, and the pieces meet on the frames' edges. So that they
// meet well, all is done twice: the second time it is known what the other ends are near to.
//
//	turn.go    which arrows lead up, so that the others lead down
//	level.go   one frame: what stands in it, and what passes through it
//	rank.go    the rank of each item; long arrows get an item on each
//	order.go   the order in a rank
//	ports.go   where on a box an arrow begins
//	place.go   the place in a rank
//	track.go   the heights of what runs sideways between two ranks
//	route.go   the heights of the ranks, and the lines
//
// Nothing lies on anything else, whatever comes in: each item of a rank has a column
// of its own, an arrow passes a rank in the column of its own item, and between ranks there
// is nothing but arrows.
package layout

import (
	"cmp"
	"slices"
)

// Point is a place: X to the right, Y down.
type Point struct{ X, Y int }

// Size is how large something is.
type Size struct{ W, H int }

// Box is something with a place: a box, or where Frame is set a frame around Boxes.
type Box struct {
	Size          // of a box; of a frame that of its heading, until it is placed
	Frame  bool   // with a border and a heading, and Boxes within
	Boxes  []*Box // in the order in which they should stand
	Loops  []Size // labels of the arrows from the box to itself, which stand to the right of it
	Bottom bool   // without arrows it stands in the last rank, and not in the first
	Dot    bool   // a small box that may stand beside the heading of its frame

	At     Point   // the upper left corner; set by Place
	LoopAt []Point // and those of the labels of Loops

	in    *Box // the frame in which it stands
	depth int  // in how many frames it does
}

// Arrow leads from one box to another one that does not stand in it, nor it in the other.
type Arrow struct {
	From, To *Box
	Label    Size // none if its height is 0
	Weight   int  // how much it ought to be short and straight: 1 for most
	Back     bool // should lead up

	// Place sets these.
	Points  []Point // the corners of the line, From first
	LabelAt Point   // the upper left corner of the label
	up      bool
}

// Far are the arrows that would lead over more than so many ranks, and the farthest of the
// others as long as all together lead over more than so many in total; but none of the main
// way. A drawing is better, and much sooner made, without them: each rank that an arrow
// passes has an item for it.
func Far(root *Box, arrows []*Arrow, ranks, total int) []*Arrow {
	p := newPlacer(root, arrows, nil)
	for _, l := range p.levels {
		l.measure()
		l.rank()
	}
	long := make(map[*Arrow]int, len(arrows))
	sum := 0
	for _, a := range arrows {
		for _, c := range p.pieces[a] {
			long[a] = max(long[a], c.lower.rank-c.upper.rank)
		}
		sum += long[a]
	}
	inOrder := slices.Clone(arrows)
	slices.SortStableFunc(inOrder, func(a, b *Arrow) int { return cmp.Compare(long[b], long[a]) })
	var far []*Arrow
	for _, a := range inOrder {
		if a.Weight < Main && (long[a] > ranks || sum > total) {
			far = append(far, a)
			sum -= long[a]
		}
	}
	return far
}

// Place sets the places of all boxes in root, which is a frame without a border, and of the
// arrows, and the size of root.
func Place(root *Box, arrows []*Arrow) {
	far := map[end]int{}
	heading := map[*Box]Size{}
	headings(root, heading)
	for range rounds {
		for b, size := range heading {
			b.Size = size
		}
		p := newPlacer(root, arrows, far)
		p.place(root)
		p.settle(root, Point{})
		p.draw(arrows)
		p.look(arrows)
	}
}

// newPlacer prepares a round of placing.
func newPlacer(root *Box, arrows []*Arrow, far map[end]int) *placer {
	adopt(root)
	turn(arrows)
	p := &placer{far: far, levels: map[*Box]*level{}, pieces: map[*Arrow][]*piece{}}
	p.divide(arrows)
	return p
}

// rounds is how often all is placed: once from the inside, and once knowing the outside.
const rounds = 2

// headings notes the sizes of all frames' headings: placing a frame gives it its own size.
func headings(b *Box, sizes map[*Box]Size) {
	if b.Frame {
		sizes[b] = b.Size
	}
	for _, c := range b.Boxes {
		headings(c, sizes)
	}
}

// adopt tells the boxes in b where they stand.
func adopt(b *Box) {
	for _, c := range b.Boxes {
		c.in, c.depth = b, b.depth+1
		adopt(c)
	}
}

// meet finds the innermost frame in which both ends of a stand, and the boxes directly in
// it in which they do.
func (a *Arrow) meet() (frame, from, to *Box) {
	from, to = a.From, a.To
	for from.in != to.in {
		if from.depth >= to.depth {
			from = from.in
		} else {
			to = to.in
		}
	}
	return from.in, from, to
}
