package svg

import (
	"fmt"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/layout"
)

// columns is in how many columns a list stands, each so wide.
const columns, columnWidth = 4, 260

// printList writes the states of d as a list: where there are too many for a drawing, or
// none at all.
func printList(d *drawing.Drawing, sheet string) []byte {
	w := &printer{ids: map[string]int{}}
	c := title(d)
	why := "This machine has no states."
	if d.States > 0 {
		why = fmt.Sprintf("This machine has %d states, which are too many for a drawing.", d.States)
	}
	c.line(0, why, rowFont, "row")
	c.h += rowFont.high()
	states := listed(d)
	rows := (len(states) + columns - 1) / columns
	height := c.h + rows*rowFont.high()
	wide := c.w
	if rows > 0 {
		wide = max(wide, columns*columnWidth)
	}
	w.open(wide, height, d, sheet)
	w.content(c, layout.Point{})
	for i, n := range states {
		w.group("state-", n.ID, boxClass(n)+markClass(n.Mark), tip(n, n.ID, drawing.BoxWidth, 1))
		var line content
		line.line(0, drawing.Wrap(n.ID, drawing.BoxWidth, 1)[0], rowFont, "row")
		line.texts[0].room = columnWidth - sideSpace
		w.content(line, layout.Point{X: i / rows * columnWidth, Y: c.h + i%rows*rowFont.high()})
		w.out.WriteString("</g>\n")
	}
	w.out.WriteString("</svg>\n")
	return w.out.Bytes()
}

// listed are the states of d that a run can be in.
func listed(d *drawing.Drawing) []*drawing.Node {
	var out []*drawing.Node
	d.Root.Walk(func(n *drawing.Node) {
		switch n.Kind {
		case drawing.State, drawing.Choice, drawing.Terminal:
			out = append(out, n)
		}
	})
	return out
}
