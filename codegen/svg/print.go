package svg

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/layout"
)

// margin is what is free around the drawing.
const margin = 16

// printer writes a picture.
type printer struct {
	out  bytes.Buffer
	plan *plan
	ids  map[string]int // how often each was given
	kind string         // the class of the arrow that is written; its texts need none of their own
}

func print(p *plan, sheet string) []byte {
	w := &printer{plan: p, ids: map[string]int{}}
	w.open(p.root.W, p.root.H, p.drawing, sheet)
	for _, t := range p.heading.texts {
		t.room = p.root.W + margin
		w.text(t, margin, margin)
	}
	w.frames(p.drawing.Root)
	for _, e := range p.drawing.Edges {
		if a := p.arrows[e]; a != nil {
			w.arrow(e, a)
		}
	}
	p.drawing.Root.Walk(w.box)
	w.out.WriteString("</svg>\n")
	return w.out.Bytes()
}

// open writes what comes before the contents of a picture of the given size.
func (w *printer) open(width, height int, d *drawing.Drawing, sheet string) {
	width, height = width+2*margin, height+2*margin
	fmt.Fprintf(&w.out, `<svg xmlns="http://www.w3.org/2000/svg" class="machine" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", width, height, width, height, escape(d.Name))
	if sheet != "" {
		fmt.Fprintf(&w.out, "<style>\n%s</style>\n", sheet)
	}
	if d.Doc != "" {
		fmt.Fprintf(&w.out, "<title>%s</title>\n", escape(d.Doc))
	}
	fmt.Fprintf(&w.out, `<rect class="ground" width="%d" height="%d"/>`+"\n", width, height)
}

// group opens a group whose id is made of a prefix and a name, with a title.
func (w *printer) group(prefix, name, class, title string) {
	id := prefix + drawing.Clean(name)
	if w.ids[id]++; w.ids[id] > 1 { // of a broken machine that declares a name twice
		id += "~" + strconv.Itoa(w.ids[id])
	}
	fmt.Fprintf(&w.out, `<g id="%s" class="%s">`, escape(id), class)
	if title != "" {
		fmt.Fprintf(&w.out, "<title>%s</title>", escape(title))
	}
}

// frames writes the borders and headings of the frames in n, the outer ones first.
func (w *printer) frames(n *drawing.Node) {
	for _, c := range n.Children {
		if c.Kind != drawing.Composite {
			continue
		}
		b := w.plan.boxes[c]
		w.group("state-", c.ID, "frame"+depthClass(c)+markClass(c.Mark), tip(c, c.Title, headWidth, 2))
		w.rect(shape{w: b.W, h: b.H, class: "frame", round: 9}, b.At)
		if c.Child {
			w.rect(shape{x: 3, y: 3, w: b.W - 6, h: b.H - 6, class: "inner", round: 7}, b.At)
		}
		for i, e := range w.plan.loops[c] {
			w.loop(e, b, i)
		}
		w.content(w.plan.contents[c], layout.Point{X: b.At.X + frameSide, Y: b.At.Y + frameTop})
		w.out.WriteString("</g>\n")
		w.frames(c)
	}
}

// Where the heading of a frame is, from its corner.
const frameSide, frameTop = 12, 8

// depthClass tells frames in frames apart.
func depthClass(n *drawing.Node) string {
	if n.Depth()%2 == 0 {
		return " even"
	}
	return ""
}

func markClass(m drawing.Mark) string {
	return [...]string{drawing.Unmarked: "", drawing.Taken: " taken", drawing.Current: " current", drawing.Missed: " missed"}[m]
}

// tip is what a pointer over n shows: its documentation, or a name that does not fit into so
// many lines.
func tip(n *drawing.Node, name string, wide, lines int) string {
	if shown := drawing.Wrap(name, wide, lines); n.Doc == "" && strings.Contains(strings.Join(shown, ""), "…") {
		return name
	}
	return n.Doc
}

// box writes n, if it is none with boxes in it.
func (w *printer) box(n *drawing.Node) {
	b := w.plan.boxes[n]
	at := b.At
	switch n.Kind {
	case drawing.Composite:
		return
	case drawing.Start:
		w.group("state-", n.ID, "start"+markClass(n.Mark), "")
		fmt.Fprintf(&w.out, `<circle cx="%d" cy="%d" r="%d"/>`, at.X+b.W/2+margin, at.Y+b.H/2+margin, dotSize/2)
		w.out.WriteString("</g>\n")
		return
	}
	w.group("state-", n.ID, boxClass(n)+markClass(n.Mark), tip(n, n.Title, drawing.BoxWidth, 2))
	if n.Kind == drawing.Choice {
		w.pointed(b)
	} else {
		w.rect(shape{w: b.W, h: b.H, class: "box", round: 7}, at)
	}
	if n.Kind == drawing.Terminal {
		w.rect(shape{x: 3, y: 3, w: b.W - 6, h: b.H - 6, class: "inner", round: 5}, at)
	}
	for i, e := range w.plan.loops[n] {
		w.loop(e, b, i)
	}
	c := w.plan.contents[n]
	at.X += (b.W - c.w) / 2
	at.Y += (b.H - c.h) / 2
	w.content(c, at)
	w.out.WriteString("</g>\n")
}

func boxClass(n *drawing.Node) string {
	switch n.Kind {
	case drawing.Choice:
		return "choice"
	case drawing.Any:
		return "anystate"
	case drawing.Terminal:
		return "terminal " + outcomeClass(n.Outcome)
	}
	return "state"
}

// pointed writes a box with pointed sides: a state that only chooses.
func (w *printer) pointed(b *layout.Box) {
	x, y, cut := b.At.X+margin, b.At.Y+margin, min(10, b.H/2)
	fmt.Fprintf(&w.out, `<path class="box" d="M%d %dH%dL%d %dL%d %dH%dL%d %dZ"/>`,
		x+cut, y, x+b.W-cut, x+b.W, y+b.H/2, x+b.W-cut, y+b.H, x+cut, x, y+b.H/2)
}

func (w *printer) rect(s shape, at layout.Point) {
	if s.class == "rule" {
		fmt.Fprintf(&w.out, `<path class="rule" d="M%d %dh%d"/>`, at.X+s.x+margin, at.Y+s.y+margin, s.w)
		return
	}
	fmt.Fprintf(&w.out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d"`, s.class, at.X+s.x+margin, at.Y+s.y+margin, s.w, s.h)
	if s.round > 0 {
		fmt.Fprintf(&w.out, ` rx="%d"`, s.round)
	}
	w.out.WriteString("/>")
}

// content writes what stands in a box. The lines of an arrow that is drawn as a row are a
// group of their own.
func (w *printer) content(c content, at layout.Point) {
	for _, s := range c.shapes {
		w.rect(s, at)
	}
	var open *drawing.Edge
	for _, t := range c.texts {
		if t.edge != open {
			if open != nil {
				w.out.WriteString("</g>")
			}
			if open = t.edge; open != nil {
				w.edge("stub", open)
			}
		}
		w.text(t, at.X+margin, at.Y+margin)
	}
	if open != nil {
		w.out.WriteString("</g>")
		w.kind = ""
	}
}

// edge opens the group of an arrow.
func (w *printer) edge(class string, e *drawing.Edge) {
	w.kind = kindClass(e.Kind)
	w.group("arrow-", e.ID(), class+" "+w.kind+markClass(e.Mark), tipOf(e))
}

// text writes a line. Where a reader's font could make it too long for its room, or its
// width is not known, its length is given.
func (w *printer) text(t text, x, y int) {
	w.out.WriteString("<text")
	if t.class != w.kind {
		fmt.Fprintf(&w.out, ` class="%s"`, t.class)
	}
	fmt.Fprintf(&w.out, ` x="%d" y="%d"`, x+t.x, y+t.y)
	switch long, known := width(t.s, t.font); {
	case !known:
		fmt.Fprintf(&w.out, ` textLength="%d" lengthAdjust="spacingAndGlyphs"`, long)
	case t.room > 0 && long*6/5 > t.room:
		fmt.Fprintf(&w.out, ` textLength="%d"`, long) // by less between the letters
	}
	fmt.Fprintf(&w.out, ">%s</text>", escape(t.s))
}

// escape makes text fit to stand between tags or in an attribute.
func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(drawing.Clean(text))) // a Builder never fails
	return b.String()
}
