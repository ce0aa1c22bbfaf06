package svg

import (
	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

// content is what stands in a box, seen from the box's upper left corner.
type content struct {
	w, h   int
	shapes []shape
	texts  []text
}

// shape is a rectangle.
type shape struct {
	x, y, w, h int
	class      string
	round      int
}

// text is one line of text. Its y is that of the base line.
type text struct {
	x, y  int
	s     string
	font  font
	class string
	room  int           // how wide it may be
	edge  *drawing.Edge // of a row that stands for an arrow
	mid   bool          // x is its middle
}

// headWidth is the width of the drawing's title, in characters.
const headWidth = 60

// What is free around and between texts.
const (
	sideSpace = 12
	edgeSpace = 7
	rowSpace  = 5 // between the title and the rows

	nearEdge  = 3 // how near to the edge of its box a text comes in a reader's wider font,
	nearArrow = 8 // and how far a label goes into what the layout leaves free behind it
)

// line adds a line of text at the lower end of c.
func (c *content) line(x int, s string, f font, class string) *text {
	s = clean(s)
	w, _ := width(s, f)
	c.texts = append(c.texts, text{x: x, y: c.h + f.size, s: s, font: f, class: class})
	c.h += f.high()
	c.w = max(c.w, x+w)
	return &c.texts[len(c.texts)-1]
}

// wrapped adds lines of about so many characters.
func (c *content) wrapped(s string, wide, lines int, f font, class string) {
	for _, t := range drawing.Wrap(s, wide, lines) {
		c.line(0, t, f, class)
	}
}

// put adds what is in o to c, with its corner at the given place.
func (c *content) put(o content, x, y int) {
	for _, s := range o.shapes {
		s.x, s.y = s.x+x, s.y+y
		c.shapes = append(c.shapes, s)
	}
	for _, t := range o.texts {
		t.x, t.y = t.x+x, t.y+y
		c.texts = append(c.texts, t)
	}
	c.w, c.h = max(c.w, x+o.w), max(c.h, y+o.h)
}

// boxed is what stands in the box of n: its title, and its rows and stubs below a line.
func boxed(n *drawing.Node, stubs []*drawing.Edge) content {
	var c content
	c.h = edgeSpace
	f, class := nameFont, "name"
	if n.Kind == drawing.Any {
		f, class = rowFont, "any"
	}
	c.wrapped(n.Title, drawing.BoxWidth, 2, f, class)
	titles := len(c.texts)
	rows := rowsOf(n, stubs)
	if len(rows.texts)+len(rows.shapes) > 0 {
		c.h += 3
		ruler := c.h
		c.put(rows, 0, c.h+rowSpace)
		c.shapes = append(c.shapes, shape{x: -sideSpace, y: ruler, w: c.w + 2*sideSpace, class: "rule"})
	}
	c.h += edgeSpace
	for i := range c.texts[:titles] {
		c.texts[i].x, c.texts[i].mid = c.w/2, true
	}
	return c.padded(sideSpace)
}

// padded is c with so much room to its left and right; its texts learn how much they have.
func (c content) padded(side int) content {
	var out content
	out.put(c, side, 0)
	out.w = c.w + 2*side
	for i := range out.texts {
		t := &out.texts[i]
		if t.room == 0 && t.mid {
			t.room = c.w + 2*(side-nearEdge)
		} else if t.room == 0 {
			t.room = out.w - nearEdge - t.x
		}
	}
	return out
}

// headed is the heading of a frame: its title with its rows below, to the left.
func headed(n *drawing.Node, stubs []*drawing.Edge) content {
	var c content
	c.wrapped(n.Title, headWidth, 2, nameFont, "name")
	if rows := rowsOf(n, stubs); rows.h > 0 {
		c.put(rows, 0, c.h+2)
	}
	return c.padded(4)
}

// rowsOf are the rows of n, and one for each arrow that is drawn as a row.
func rowsOf(n *drawing.Node, stubs []*drawing.Edge) content {
	var c content
	bordered := false
	for i, r := range n.Rows {
		o := row(r)
		switch borders := len(o.shapes) > 0; {
		case i > 0 && (borders || bordered):
			c.h += 6
		case i > 0:
			c.h += 2
		}
		bordered = len(o.shapes) > 0
		c.put(o, 0, c.h)
	}
	for _, e := range stubs {
		if c.h > 0 {
			c.h += 2
		}
		c.put(stub(e), 0, c.h)
	}
	return c
}

// row is a row of a node: an activity that runs for each element of a list on a stack, and a
// machine that runs as a child in a double border with its exits.
func row(r drawing.Row) content {
	var c content
	for i, t := range drawing.Wrap(r.Text, drawing.BoxWidth, 3) {
		x := 0
		if i > 0 {
			x = 8
		}
		c.line(x, t, rowFont, "row")
	}
	if r.Detail != "" {
		c.wrapped(r.Detail, drawing.BoxWidth, 3, noteFont, "note")
	}
	if r.Stack != "" {
		c.line(0, r.Stack, countFont, "count")
	}
	if len(r.Exits) > 0 {
		c = child(c, r.Exits)
	}
	if r.Stack != "" {
		c = stacked(c)
	}
	return c
}

// child puts c, a call of a machine, into a double border, above its exits.
func child(c content, exits []drawing.Exit) content {
	var inner content
	inner.put(c, 0, 0)
	x, y := 0, c.h+4
	for i, e := range exits {
		if i > 0 && i%drawing.ExitsInRow == 0 {
			x, y = 0, y+20
		}
		var pill content
		pill.h = 2
		pill.line(6, e.Name, noteFont, "exit")
		pill.w, pill.h = pill.w+6, 17
		pill.texts[0].room = pill.w - 6
		pill.shapes = []shape{{w: pill.w, h: pill.h, class: "exit " + outcomeClass(e.Outcome), round: 5}}
		inner.put(pill, x, y)
		x += pill.w + 4
	}
	var out content
	out.put(inner.padded(6), 0, 6)
	out.h += 6
	out.shapes = append([]shape{
		{w: out.w, h: out.h, class: "child"},
		{x: 2, y: 2, w: out.w - 4, h: out.h - 4, class: "child"},
	}, out.shapes...)
	return out
}

// stacked puts c on the first of several sheets that lie behind each other.
func stacked(c content) content {
	const step, sheets = 4, 3
	inner := c.padded(5)
	var out content
	for i := range sheets {
		at := (sheets - 1 - i) * step
		out.shapes = append(out.shapes, shape{x: at, y: at, w: inner.w, h: inner.h + 8, class: "sheet"})
	}
	out.put(inner, 0, 4)
	out.w, out.h = inner.w+(sheets-1)*step, inner.h+8+(sheets-1)*step
	return out
}

// outcomeClass is the class of what has an outcome.
func outcomeClass(outcome string) string {
	switch outcome {
	case "success", "failure":
		return outcome
	}
	return "cancelled"
}

// labelled are the labels of e, one below the other.
func labelled(e *drawing.Edge) content {
	var c content
	for i, l := range e.Labels {
		if i > 0 {
			c.h += 3
		}
		for _, line := range l.Lines(drawing.ArrowWidth) {
			f, class := rowFont, kindClass(l.Kind)
			if line.Aside {
				f, class = noteFont, "note"
			}
			c.line(0, line.Text, f, class)
		}
	}
	for i := range c.texts {
		c.texts[i].room = c.w + nearArrow
	}
	return c
}

// stub is an arrow as a row of the box from which it leads: when it is taken, and where to.
func stub(e *drawing.Edge) content {
	var c content
	to := " → " + drawing.Wrap(e.To.Title, drawing.BoxWidth, 1)[0]
	for _, l := range e.Labels {
		lines := l.Lines(drawing.BoxWidth)
		for i, line := range lines {
			f, class := rowFont, kindClass(l.Kind)
			if line.Aside {
				f, class = noteFont, "note"
			} else if i+1 == len(lines) || lines[i+1].Aside {
				line.Text += to
			}
			c.line(0, line.Text, f, class).edge = e
		}
	}
	return c
}

// kindClass is the class of an arrow and its label.
func kindClass(k drawing.EdgeKind) string {
	return [...]string{
		drawing.Initial: "initial", drawing.Normal: "normal", drawing.Else: "else", drawing.Timer: "timer",
		drawing.Cancel: "cancel", drawing.Failure: "failed", drawing.Retry: "retry",
	}[k]
}
