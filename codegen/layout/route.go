package layout

import "slices"

// What is free between ranks: at an end of an arrow without a tip, at one with a tip, and
// in all.
const (
	plainEnd = 8
	tipEnd   = 15
	leastGap = 22
)

// setHeights gives all items their heights, and the frame its own.
func (l *level) setHeights() {
	l.bottoms = make([]int, len(l.ranks))
	y := 0
	if l.heading == nil {
		y = l.frame.H
		if l.frame.in != nil {
			y += headingAbove
		}
	}
	for r, items := range l.ranks {
		if r > 0 {
			y += l.gap(r - 1)
		}
		high, top := l.high(r), false
		for _, n := range items {
			top = top || n.kind == heading || n.kind == boxItem && n.box.Frame
		}
		for _, n := range items {
			n.y = y
			if !top {
				n.y += (high - n.h) / 2
			}
			if n.kind == topPort {
				n.y = 0
			}
		}
		y += high
		l.bottoms[r] = y
	}
	l.frame.H = y
}

// headingAbove is how far below the frame's border its heading is.
const headingAbove = 8

// gap is the height between rank r and the next; it notes where the tracks in it begin.
func (l *level) gap(r int) int {
	before, between, after := plainEnd, 0, plainEnd
	for _, n := range l.ranks[r] {
		for _, k := range n.down {
			if k.ends[0] {
				before = tipEnd
			}
			if k.ends[1] {
				after = tipEnd
			}
			between = max(between, k.track*trackGap)
		}
	}
	l.befores = append(l.befores, before)
	return max(before+between+after, leastGap)
}

// settle sets where the boxes in frame are, whose upper left corner is at the given place.
func (p *placer) settle(frame *Box, at Point) {
	frame.At = at
	l := p.level(frame)
	for _, b := range frame.Boxes {
		n := l.items[b]
		corner := Point{at.X + n.x - n.left, at.Y + n.y + (n.h-b.H)/2}
		b.LoopAt = b.LoopAt[:0]
		high := 0
		for _, s := range b.Loops {
			high += s.H
		}
		y := at.Y + n.y + (n.h-high)/2
		for _, s := range b.Loops {
			b.LoopAt = append(b.LoopAt, Point{corner.X + b.W + LoopWide + labelGap, y})
			y += s.H
		}
		if b.Frame {
			p.settle(b, corner)
		} else {
			b.At = corner
		}
	}
}

// draw sets the lines of arrows and the places of their labels.
func (p *placer) draw(arrows []*Arrow) {
	for _, a := range arrows {
		a.Points = nil
		for _, c := range p.pieces[a] {
			l := c.level
			points := l.line(c)
			if a.up {
				slices.Reverse(points)
			}
			for _, pt := range points {
				a.Points = add(a.Points, Point{pt.X + l.frame.At.X, pt.Y + l.frame.At.Y})
			}
			if c.label != nil {
				a.LabelAt = Point{l.frame.At.X + c.label.x + labelGap, l.frame.At.Y + c.label.y}
			}
		}
	}
}

// line is the line of c, seen from its frame, downwards.
func (l *level) line(c *piece) []Point {
	points := []Point{{c.links[0].x1(), c.upper.bottom()}}
	for _, k := range c.links {
		r := k.from.rank
		switch y := l.bottoms[r] + l.befores[r] + k.track*trackGap; {
		case k.track == slanted:
			points = append(points, Point{k.x1(), l.bottoms[r]}, Point{k.x2(), l.bottoms[r+1] - l.high(r+1)})
		case k.x1() != k.x2():
			points = append(points, Point{k.x1(), y}, Point{k.x2(), y})
		}
	}
	last := c.links[len(c.links)-1]
	return append(points, Point{last.x2(), c.lower.top()})
}

func (l *level) high(r int) int {
	high := 0
	for _, n := range l.ranks[r] {
		high = max(high, n.h)
	}
	return high
}

// top and bottom are where the upper and the lower edge of an item's box are.
func (n *item) top() int {
	if n.kind == boxItem {
		return n.y + (n.h-n.box.H)/2
	}
	return n.y
}

func (n *item) bottom() int {
	if n.kind == boxItem {
		return n.top() + n.box.H
	}
	return n.y + n.h
}

// add puts a corner at the end of a line, without those that are none.
func add(line []Point, p Point) []Point {
	n := len(line)
	switch {
	case n > 0 && line[n-1] == p:
		return line
	case n > 1 && (line[n-2].X == p.X && line[n-1].X == p.X || line[n-2].Y == p.Y && line[n-1].Y == p.Y):
		line[n-1] = p
		return line
	}
	return append(line, p)
}

// look notes where the ends of arrows are, for the frames whose borders they cross: the next
// round orders what crosses a border by that.
func (p *placer) look(arrows []*Arrow) {
	for _, a := range arrows {
		frame, _, _ := a.meet()
		for _, ends := range [2][2]*Box{{a.From, a.To}, {a.To, a.From}} {
			x := ends[1].At.X + ends[1].W/2
			b := ends[0]
			if !b.Frame {
				b = b.in
			}
			for ; b != frame; b = b.in {
				p.far[end{b, a}] = x
			}
		}
	}
}
