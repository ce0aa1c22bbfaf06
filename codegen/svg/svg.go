// Package svg draws a machine as an SVG picture, without the help of another program.
//
// The picture depends on the drawing alone, and the same drawing gives the same bytes.
// Each state is a group with the id "state-" and its path, each arrow one with the id
// "arrow-" and drawing.Edge.ID, also where it is drawn as a row of its box: a page that
// shows a run lights them by the classes "taken" and "current", and the picture is not
// made again. There are no inline styles, which a page's policy may forbid; all colours are
// in one sheet, as variables.
package svg

import (
	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/layout"
)

// Target makes an .svg file of a machine.
var Target = codegen.Target{
	Name:  "svg",
	Print: func(d *drawing.Drawing, o codegen.Options) []byte { return Print(d, Sheet(o.Theme)) },
}

// mostStates is how many states a picture shows: nobody reads more, and a browser is slow
// with them.
const mostStates = 2000

// Print draws d. The sheet stands in the picture; it may be empty where the picture becomes
// part of a page that has it.
func Print(d *drawing.Drawing, sheet string) []byte {
	if d.States > mostStates || len(d.Root.Children) == 0 {
		return printList(d, sheet)
	}
	p := planned(d)
	return print(p, sheet)
}

// plan is a drawing with the places of all it shows.
type plan struct {
	drawing  *drawing.Drawing
	root     *layout.Box
	heading  content
	boxes    map[*drawing.Node]*layout.Box
	contents map[*drawing.Node]content
	arrows   map[*drawing.Edge]*layout.Arrow
	edges    map[*layout.Arrow]*drawing.Edge
	labels   map[*drawing.Edge]content
	loops    map[*drawing.Node][]*drawing.Edge
	stubs    map[*drawing.Node][]*drawing.Edge
}

// planned places what d shows. Arrows that would lead too far become rows; without them,
// others may lead far.
func planned(d *drawing.Drawing) *plan {
	way := mainWay(d)
	stubs := crowded(d, way)
	p := sized(d, way, stubs)
	ranks := farRanks
	if d.States <= wideStates {
		ranks = mostRanks
	}
	for range mostRounds {
		far := layout.Far(p.root, p.inOrder(), ranks, mostRanks)
		if len(far) == 0 {
			break
		}
		for _, a := range far {
			stubs[p.edges[a]] = true
		}
		p = sized(d, way, stubs)
	}
	layout.Place(p.root, p.inOrder())
	return p
}

// mostRounds is how often a drawing is searched for arrows that lead far.
const mostRounds = 4

// inOrder are the arrows of the layout, in the order of the drawing.
func (p *plan) inOrder() []*layout.Arrow {
	var arrows []*layout.Arrow
	for _, e := range p.drawing.Edges {
		if a := p.arrows[e]; a != nil {
			arrows = append(arrows, a)
		}
	}
	return arrows
}

// sized is what d shows, with the sizes of all and no places. The arrows in stubs are rows.
func sized(d *drawing.Drawing, way, stubs map[*drawing.Edge]bool) *plan {
	p := &plan{
		drawing: d, boxes: map[*drawing.Node]*layout.Box{}, contents: map[*drawing.Node]content{},
		arrows: map[*drawing.Edge]*layout.Arrow{}, edges: map[*layout.Arrow]*drawing.Edge{}, labels: map[*drawing.Edge]content{},
		loops: map[*drawing.Node][]*drawing.Edge{}, stubs: map[*drawing.Node][]*drawing.Edge{},
	}
	for _, e := range d.Edges {
		switch {
		case stubs[e]:
			p.stubs[e.From] = append(p.stubs[e.From], e)
		case e.From == e.To:
			p.labels[e] = labelled(e)
			p.loops[e.From] = append(p.loops[e.From], e)
		default:
			p.labels[e] = labelled(e)
		}
	}
	p.root = p.box(d.Root)
	p.heading = title(d)
	p.root.Size = layout.Size{W: p.heading.w, H: p.heading.h}
	for _, e := range d.Edges {
		if stubs[e] || e.From == e.To {
			continue
		}
		label := p.labels[e]
		a := &layout.Arrow{From: p.boxes[e.From], To: p.boxes[e.To], Label: layout.Size{W: label.w, H: label.h}, Weight: weight(e, way), Back: e.Back}
		p.arrows[e], p.edges[a] = a, e
	}
	return p
}

// weight is how much e ought to be short and straight.
func weight(e *drawing.Edge, way map[*drawing.Edge]bool) int {
	switch {
	case way[e]:
		return layout.Main
	case e.Kind == drawing.Initial:
		return 8
	case e.Kind == drawing.Normal && !e.Back:
		return 2
	}
	return 1
}

// dotSize is how wide the dot is from which a frame begins.
const dotSize = 12

// box is n for the layout, with all that stands in it.
func (p *plan) box(n *drawing.Node) *layout.Box {
	b := &layout.Box{Frame: n.Kind == drawing.Composite, Bottom: n.Kind == drawing.Terminal}
	p.boxes[n] = b
	var c content
	switch n.Kind {
	case drawing.Start:
		b.Dot, c.w, c.h = true, dotSize, dotSize
	case drawing.Composite:
		c = headed(n, p.stubs[n])
	default:
		c = boxed(n, p.stubs[n])
	}
	p.contents[n] = c
	b.Size = layout.Size{W: c.w, H: c.h}
	for _, e := range p.loops[n] {
		b.Loops = append(b.Loops, layout.Size{W: p.labels[e].w, H: p.labels[e].h})
	}
	for _, child := range n.Children {
		b.Boxes = append(b.Boxes, p.box(child))
	}
	return b
}

// title is the heading of the drawing.
func title(d *drawing.Drawing) content {
	var c content
	c.wrapped(d.Title, headWidth, 4, headFont, "head")
	c.h += 4
	return c
}
