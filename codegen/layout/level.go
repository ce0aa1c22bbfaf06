package layout

import "slices"

// placer holds one round of placing.
type placer struct {
	levels map[*Box]*level
	pieces map[*Arrow][]*piece // of each arrow, From first
	far    map[end]int         // how far to the right an arrow's other end was, seen from a frame's border
}

// end is where an arrow crosses the border of a frame, or ends at it.
type end struct {
	frame *Box
	arrow *Arrow
}

// level is what is drawn in one frame.
type level struct {
	frame   *Box
	heading *item // nil unless arrows must find a way around it
	items   map[*Box]*item
	ports   map[*Arrow]*item // where arrows meet the frame's border
	nodes   []*item          // all but those of long arrows
	pieces  []*piece
	ranks   [][]*item
	bottoms []int // the height of the lower edge of each rank
	befores []int // how far below it the first track is
}

// item is what has a column of its own in a rank. Its axis is the line of an arrow, or the
// middle of a box.
type item struct {
	kind        kind
	box         *Box
	rank, pos   int
	left, right int // from the axis to the edges
	h           int
	x, y        int // the axis, and the upper edge
	up, down    []*link
	hint        int // of a port: its place among the others, once that is known
}

type kind int

const (
	boxItem  kind = iota
	label         // of an arrow, which runs along its left edge
	pass          // where a long arrow passes a rank
	topPort       // where an arrow comes in from above
	lastPort      // where one comes in from below
	heading
)

// link is the part of an arrow between two ranks.
type link struct {
	from, to *item
	out, in  int // where it leaves and reaches them, from their axes
	weight   int
	ends     [2]bool // has the tip of an arrow at its upper, at its lower end
	track    int     // the height at which it runs sideways, counted from above
}

// piece is the part of an arrow in one frame, from its upper to its lower end.
type piece struct {
	arrow        *Arrow
	level        *level
	upper, lower *item
	label        *item
	links        []*link
}

// divide finds the pieces of all arrows.
func (p *placer) divide(arrows []*Arrow) {
	for _, a := range arrows {
		frame, from, to := a.meet()
		for b := a.From; b != from; b = b.in {
			l := p.level(b.in)
			p.piece(l, a, l.items[b], l.port(a, a.up))
		}
		l := p.level(frame)
		p.piece(l, a, l.items[from], l.items[to])
		var inner []*Box
		for b := a.To; b != to; b = b.in {
			inner = append(inner, b)
		}
		for _, b := range slices.Backward(inner) {
			l := p.level(b.in)
			p.piece(l, a, l.port(a, !a.up), l.items[b])
		}
		for _, b := range [2]*Box{a.From, a.To} {
			if b.Frame { // a place on the border for an arrow that ends there
				p.level(b).port(a, (b == a.To) != a.up)
			}
		}
	}
}

// piece adds the piece of a between two items, the first of which is nearer to a.From.
func (p *placer) piece(l *level, a *Arrow, first, second *item) {
	c := &piece{arrow: a, level: l, upper: first, lower: second}
	if a.up {
		c.upper, c.lower = second, first
	}
	if a.Label.H > 0 && len(p.pieces[a]) == 0 {
		c.label = &item{kind: label, left: labelBefore, right: a.Label.W + labelAfter, h: a.Label.H}
		l.nodes = append(l.nodes, c.label)
	}
	p.pieces[a] = append(p.pieces[a], c)
	l.pieces = append(l.pieces, c)
}

// What is free to the left of a line and to the right of its label, and how far apart the
// two are.
const (
	labelBefore = 8
	labelGap    = 7
	labelAfter  = labelGap + 3
)

// level is the one of a frame, with items for what stands in it.
func (p *placer) level(frame *Box) *level {
	l := p.levels[frame]
	if l == nil {
		l = &level{frame: frame, items: map[*Box]*item{}, ports: map[*Arrow]*item{}}
		p.levels[frame] = l
		for _, b := range frame.Boxes {
			n := &item{kind: boxItem, box: b}
			l.items[b] = n
			l.nodes = append(l.nodes, n)
		}
	}
	return l
}

// port is where a meets the border of the frame.
func (l *level) port(a *Arrow, top bool) *item {
	n := l.ports[a]
	if n == nil {
		n = &item{kind: lastPort, left: passWide, right: passWide}
		if top {
			n.kind = topPort
		}
		l.ports[a] = n
		l.nodes = append(l.nodes, n)
	}
	return n
}

// passWide is how much room there is on either side of a line.
const passWide = 6

// place places what stands in frame, after what stands in the frames in it.
func (p *placer) place(frame *Box) {
	for _, b := range frame.Boxes {
		if b.Frame {
			p.place(b)
		}
	}
	l := p.level(frame)
	for a, n := range l.ports {
		n.hint = p.far[end{frame, a}]
	}
	l.measure()
	l.rank()
	l.lengthen()
	p.framePorts(l)
	l.order(len(p.far) > 0)
	l.boxPorts()
	l.placeItems()
	l.straighten()
	l.setTracks()
	l.setHeights()
}

// measure sets the sizes of boxes, which are known now, and puts the heading in the way of
// arrows that pass it.
func (l *level) measure() {
	above, below := map[*item]int{}, map[*item]int{}
	passes := false
	for _, c := range l.pieces {
		below[c.upper]++
		above[c.lower]++
		passes = passes || c.upper.kind == topPort
	}
	for _, n := range l.nodes {
		if n.kind != boxItem {
			continue
		}
		if b := n.box; !b.Frame && !b.Dot {
			b.W = max(b.W, portGap*max(above[n], below[n])+2*portMargin)
		}
		n.fit()
	}
	if passes && l.frame.H > 0 {
		l.heading = &item{kind: heading, right: l.frame.W, h: l.frame.H}
		l.nodes = append(l.nodes, l.heading)
	}
}

// fit gives n the size of its box with its loops.
func (n *item) fit() {
	b := n.box
	n.left, n.right, n.h = b.W/2, b.W-b.W/2, b.H
	wide, high := 0, 0
	for _, s := range b.Loops {
		wide, high = max(wide, s.W), high+s.H
	}
	if len(b.Loops) > 0 {
		n.right += LoopWide + labelGap + wide
		n.h = max(n.h, high)
	}
}

// LoopWide is how far an arrow from a box to itself leads away from it.
const LoopWide = 16
