// Package mermaid prints a drawing as a Mermaid state diagram
// (stateDiagram-v2), which Markdown renderers show in place.
//
// What it writes was checked by hand against mermaid 11.17.2: every golden file
// under testdata passes mermaid.parse, and mermaid.render in jsdom with made-up
// text sizes, names equal to Mermaid's keywords and labels made of its
// punctuation included.
//
// Mermaid has no tooltips without links and no style for single arrows of a
// state diagram: documentation is left out, and a highlighted run shows in the
// states alone.
package mermaid

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

// Target makes a .mmd file of a machine.
var Target = codegen.Target{
	Name:  "mermaid",
	Print: func(d *drawing.Drawing, _ codegen.Options) []byte { return Print(d) },
}

// classes are the styles of states, in the order in which they are written. No
// line may hold a semicolon: Mermaid would take it for the end of an entity.
var classes = []struct{ name, style string }{
	{"success", "fill:#E3F4E8,stroke:#2E7D4F,stroke-width:3px,color:#1F2933"},
	{"failure", "fill:#FBE9E7,stroke:#B5473C,stroke-width:3px,color:#1F2933"},
	{"cancelled", "fill:#ECEFF1,stroke:#6B7780,stroke-width:3px,color:#1F2933"},
	{"choice", "fill:#FFF8E6,stroke:#A8832B,color:#1F2933"},
	{"anystate", "fill:#FFFFFF,stroke:#9AA5B1,stroke-dasharray:4 3,color:#52606D"},
	{"taken", "fill:#E6F0FF,stroke:#1F5FBF,stroke-width:2px,color:#1F2933"},
	{"current", "fill:#FFF1C9,stroke:#C77700,stroke-width:4px,color:#1F2933"},
}

// Print writes d for Mermaid.
func Print(d *drawing.Drawing) []byte {
	p := &printer{inside: map[*drawing.Node][]*drawing.Edge{}, members: map[string][]string{}}
	for _, e := range d.Edges {
		frame := d.Root
		if e.From.Parent == e.To.Parent {
			frame = e.From.Parent
		}
		p.inside[frame] = append(p.inside[frame], e)
	}
	fmt.Fprintf(&p.out, "---\ntitle: %s\n---\nstateDiagram-v2\n", strconv.QuoteToASCII(d.Title))
	p.line(1, "direction TB")
	p.contents(d.Root, 1)
	p.classes()
	return p.out.Bytes()
}

// printer holds a text in the making.
type printer struct {
	out bytes.Buffer
	// inside holds the arrows to be written in each frame: those between two
	// of its direct children. All others stand at the top, because Mermaid
	// would move a state into the frame in which an arrow names it.
	inside  map[*drawing.Node][]*drawing.Edge
	members map[string][]string // from a class to the states that have it
}

func (p *printer) line(depth int, format string, args ...any) {
	p.out.WriteString(strings.Repeat("    ", depth))
	fmt.Fprintf(&p.out, format, args...)
	p.out.WriteByte('\n')
}

// contents prints the states and the arrows in the frame n.
func (p *printer) contents(n *drawing.Node, depth int) {
	if len(n.Rows) > 0 && !slices.ContainsFunc(n.Children, isAny) {
		title := "any state"
		if slices.ContainsFunc(n.Children, func(c *drawing.Node) bool { return c.Child }) {
			title = n.Title // a leaf, with the machines that it runs
		}
		p.node(&drawing.Node{ID: n.ID + ".(any)", Kind: drawing.Any, Title: title, Parent: n}, depth)
	}
	for _, c := range n.Children {
		if c.Kind != drawing.Start {
			p.node(c, depth)
		}
	}
	for _, e := range p.inside[n] {
		p.edge(e, depth)
	}
}

func isAny(n *drawing.Node) bool { return n.Kind == drawing.Any }

func (p *printer) node(n *drawing.Node, depth int) {
	p.class(n)
	if n.Kind != drawing.Composite {
		p.line(depth, `state "%s" as %s`, escape(n.Title), id(n))
		for _, r := range rowsOf(n) {
			p.line(depth, "%s : %s", id(n), lines(rowText(r)))
		}
		return
	}
	p.line(depth, `state "%s" as %s {`, escape(n.Title), id(n))
	p.line(depth+1, "direction TB")
	p.contents(n, depth+1)
	p.line(depth, "}")
}

// rowsOf are the rows of n. Those of a composite stand in the box for any state
// in it, as a frame of Mermaid's holds a title only.
func rowsOf(n *drawing.Node) []drawing.Row {
	if n.Kind == drawing.Any {
		return append(slices.Clip(n.Rows), n.Parent.Rows...)
	}
	return n.Rows
}

// rowText is a row on one line. Mermaid draws no box within a box, so that of an activity that
// runs for the elements of a list the number stands before it.
func rowText(r drawing.Row) string {
	text := r.Text
	if r.Stack != "" {
		text = r.Stack + ": " + text
	}
	text = strings.TrimSuffix(text+", "+r.Detail, ", ")
	for i, e := range r.Exits {
		if i == 0 {
			text += ", ends in "
		} else {
			text += " | "
		}
		text += e.Name
	}
	return text
}

// rowWidth is in characters.
const rowWidth = 40

// lines is text as a label of as many lines as it needs.
func lines(text string) string {
	wrapped := drawing.Wrap(text, rowWidth, 4)
	for i, l := range wrapped {
		wrapped[i] = escape(l)
	}
	return strings.Join(wrapped, "<br/>")
}

func (p *printer) edge(e *drawing.Edge, depth int) {
	if e.Kind == drawing.Initial {
		p.line(depth, "[*] --> %s", id(e.To))
		return
	}
	var label []string
	for _, l := range e.Labels {
		for _, line := range l.Lines(drawing.ArrowWidth) {
			label = append(label, escape(line.Text))
		}
	}
	p.line(depth, "%s --> %s : %s", id(e.From), id(e.To), strings.Join(label, "<br/>"))
}

// class notes the class of n, of which it has one at most.
func (p *printer) class(n *drawing.Node) {
	class := ""
	switch {
	case n.Mark == drawing.Current:
		class = "current"
	case n.Kind == drawing.Terminal:
		class = n.Outcome
	case n.Mark == drawing.Taken:
		class = "taken"
	case n.Kind == drawing.Choice:
		class = "choice"
	case n.Kind == drawing.Any:
		class = "anystate"
	}
	if class != "" {
		p.members[class] = append(p.members[class], id(n))
	}
}

// classes prints the classes that some state has, each with one line a state,
// so that a new state adds a line.
func (p *printer) classes() {
	for _, c := range classes {
		if len(p.members[c.name]) > 0 {
			p.line(1, "classDef %s %s", c.name, c.style)
		}
		for _, name := range p.members[c.name] {
			p.line(1, "class %s %s", name, c.name)
		}
	}
}
