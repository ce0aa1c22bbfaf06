// Package layouttest looks for what must not be in a placed drawing. Only tests import it.
package layouttest

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/codegen/layout"
)

// Faults says what lies on what in a drawing: boxes, labels and arrows.
func Faults(root *layout.Box, arrows []*layout.Arrow) []string {
	c := &checker{root: area{0, 0, root.W, root.H}}
	c.boxes(root, nil)
	for i, a := range arrows {
		c.label(i, a)
	}
	c.solids()
	for i, a := range arrows {
		c.line(i, a)
	}
	c.lines(arrows)
	return c.faults
}

// area is a rectangle: left, upper, right and lower edge.
type area struct{ x1, y1, x2, y2 int }

func (a area) overlaps(b area) bool { return a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2 }
func (a area) holds(b area) bool {
	return a.x1 <= b.x1 && b.x2 <= a.x2 && a.y1 <= b.y1 && b.y2 <= a.y2
}

// thing is what nothing else may lie on, but for what it holds.
type thing struct {
	area
	name   string
	box    *layout.Box
	arrow  *layout.Arrow
	frames []*layout.Box // in which it stands
}

type checker struct {
	root   area
	things []thing
	faults []string
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func areaOf(b *layout.Box) area { return area{b.At.X, b.At.Y, b.At.X + b.W, b.At.Y + b.H} }

// boxes collects the boxes in b, which stands in the given frames, and looks whether it holds them.
func (c *checker) boxes(b *layout.Box, frames []*layout.Box) {
	for i, child := range b.Boxes {
		name := fmt.Sprintf("box %d of %v", i, b.At)
		c.things = append(c.things, thing{area: areaOf(child), name: name, box: child, frames: frames})
		if !areaOf(b).holds(areaOf(child)) {
			c.fault("%s at %v is not in its frame %v", name, areaOf(child), areaOf(b))
		}
		for j, s := range child.Loops {
			at := child.LoopAt[j]
			loop := thing{area: area{at.X, at.Y, at.X + s.W, at.Y + s.H}, name: name + ", loop", box: child, frames: frames}
			c.things = append(c.things, loop)
			if !areaOf(b).holds(loop.area) {
				c.fault("%s at %v is not in its frame %v", loop.name, loop.area, areaOf(b))
			}
		}
		c.boxes(child, append(frames[:len(frames):len(frames)], child))
	}
}

func (c *checker) label(i int, a *layout.Arrow) {
	if a.Label.H == 0 {
		return
	}
	t := thing{area: area{a.LabelAt.X, a.LabelAt.Y, a.LabelAt.X + a.Label.W, a.LabelAt.Y + a.Label.H}, name: fmt.Sprintf("label %d", i), arrow: a}
	if !c.root.holds(t.area) {
		c.fault("%s at %v is not in the drawing", t.name, t.area)
	}
	c.things = append(c.things, t)
}

// solids looks whether two things lie on each other of which neither is the other's frame.
func (c *checker) solids() {
	for i, a := range c.things {
		for _, b := range c.things[i+1:] {
			if !a.overlaps(b.area) || slices.Contains(b.frames, a.box) || slices.Contains(a.frames, b.box) {
				continue
			}
			if a.arrow != nil && b.box != nil && b.box.Frame && b.holds(a.area) || b.arrow != nil && a.box != nil && a.box.Frame && a.holds(b.area) {
				continue // whether it should be there, the line says
			}
			c.fault("%s %v lies on %s %v", a.name, a.area, b.name, b.area)
		}
	}
}

// line looks whether a runs through something that it has no business in.
func (c *checker) line(i int, a *layout.Arrow) {
	if len(a.Points) < 2 {
		c.fault("arrow %d has %d points", i, len(a.Points))
		return
	}
	if !touches(areaOf(a.From), a.Points[0]) || !touches(areaOf(a.To), a.Points[len(a.Points)-1]) {
		c.fault("arrow %d from %v to %v leads from %v to %v", i, areaOf(a.From), areaOf(a.To), a.Points[0], a.Points[len(a.Points)-1])
	}
	for _, t := range c.things {
		if t.arrow == a || t.box != nil && t.box.Frame && (holds(t.box, a.From) || holds(t.box, a.To)) && t.box != a.From && t.box != a.To {
			continue
		}
		for j := 1; j < len(a.Points); j++ {
			if cuts(a.Points[j-1], a.Points[j], t.area) {
				c.fault("arrow %d runs from %v to %v through %s %v", i, a.Points[j-1], a.Points[j], t.name, t.area)
			}
		}
	}
	for _, pt := range a.Points {
		if !touches(c.root, pt) && !(pt.X >= c.root.x1 && pt.X <= c.root.x2 && pt.Y >= c.root.y1 && pt.Y <= c.root.y2) {
			c.fault("arrow %d is at %v, outside", i, pt)
		}
	}
}

func holds(frame, b *layout.Box) bool {
	return slices.ContainsFunc(frame.Boxes, func(c *layout.Box) bool { return c == b || holds(c, b) })
}

// touches reports whether p is on the upper or the lower edge of a.
func touches(a area, p layout.Point) bool {
	return a.x1 <= p.X && p.X <= a.x2 && (p.Y == a.y1 || p.Y == a.y2)
}

// cuts reports whether the line from p to q leads through the inside of a (Liang and Barsky 1984).
func cuts(p, q layout.Point, a area) bool {
	from, to := 0.0, 1.0
	dx, dy := float64(q.X-p.X), float64(q.Y-p.Y)
	for _, e := range [4][2]float64{
		{-dx, float64(p.X - a.x1)}, {dx, float64(a.x2 - p.X)},
		{-dy, float64(p.Y - a.y1)}, {dy, float64(a.y2 - p.Y)},
	} {
		switch {
		case e[0] == 0 && e[1] <= 0:
			return false
		case e[0] < 0:
			from = max(from, e[1]/e[0])
		case e[0] > 0:
			to = min(to, e[1]/e[0])
		}
	}
	return from < to-1e-9
}

// lines looks whether two arrows run on each other for some way.
func (c *checker) lines(arrows []*layout.Arrow) {
	type run struct {
		arrow    int
		from, to int
	}
	across, along := map[int][]run{}, map[int][]run{}
	for i, a := range arrows {
		for j := 1; j < len(a.Points); j++ {
			p, q := a.Points[j-1], a.Points[j]
			switch {
			case p.Y == q.Y:
				across[p.Y] = append(across[p.Y], run{i, min(p.X, q.X), max(p.X, q.X)})
			case p.X == q.X:
				along[p.X] = append(along[p.X], run{i, min(p.Y, q.Y), max(p.Y, q.Y)})
			}
		}
	}
	for name, runs := range map[string]map[int][]run{"height": across, "column": along} {
		for at, list := range runs {
			for i, a := range list {
				for _, b := range list[i+1:] {
					if a.arrow != b.arrow && a.from < b.to && b.from < a.to {
						c.fault("arrows %d and %d share %s %d", a.arrow, b.arrow, name, at)
					}
				}
			}
		}
	}
}
