package dot

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

// boxLabel is a node's title in bold with its rows below a line.
func boxLabel(n *drawing.Node) string {
	name := "<B>" + paint(ink, stateSize, escape(n.Title)) + "</B>"
	if n.Kind == drawing.Any {
		name = "<I>" + paint(quiet, rowSize+1, escape(n.Title)) + "</I>"
	}
	if len(n.Rows) == 0 {
		return name
	}
	var b strings.Builder
	b.WriteString(`<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2">`)
	align := "CENTER"
	if n.Kind == drawing.Composite {
		align = "LEFT"
	}
	fmt.Fprintf(&b, `<TR><TD ALIGN="%s">%s</TD></TR>`, align, name)
	for _, r := range n.Rows {
		b.WriteString(boxRow(r))
	}
	b.WriteString(`</TABLE>`)
	return b.String()
}

func boxRow(r drawing.Row) string {
	var lines []string
	for i, t := range drawing.Wrap(r.Text, drawing.BoxWidth, 3) {
		if i > 0 {
			t = "   " + t
		}
		lines = append(lines, paint(quiet, rowSize, escape(t)))
	}
	if r.Detail != "" {
		for _, t := range drawing.Wrap(r.Detail, drawing.BoxWidth, 3) {
			lines = append(lines, paint(faint, rowSize-1, escape(t)))
		}
	}
	if r.Stack != "" {
		lines = append(lines, paint(ink, rowSize-1, "<B>"+escape(r.Stack)+"</B>"))
	}
	cell := `<TD ALIGN="LEFT" BALIGN="LEFT">` + strings.Join(lines, `<BR ALIGN="LEFT"/>`) + `</TD>`
	if len(r.Exits) > 0 {
		cell = `<TD ALIGN="LEFT">` + child(cell, r.Exits) + `</TD>`
	}
	if r.Stack != "" {
		cell = `<TD ALIGN="LEFT">` + stacked(cell) + `</TD>`
	}
	return `<TR>` + cell + `</TR>`
}

// child puts the cell of a machine that runs as a child into a box with a double border,
// above its exits.
func child(cell string, exits []drawing.Exit) string {
	var b strings.Builder
	b.WriteString(`<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="2" CELLPADDING="1"><TR>`)
	for i, e := range exits {
		if i > 0 && i%drawing.ExitsInRow == 0 {
			b.WriteString(`</TR><TR>`)
		}
		s := outcomeStyle(e.Outcome)
		fmt.Fprintf(&b, `<TD BORDER="1" STYLE="ROUNDED" COLOR="%s" BGCOLOR="%s">%s</TD>`, s.line, s.fill, paint(quiet, rowSize-1, escape(e.Name)))
	}
	b.WriteString(`</TR></TABLE>`)
	inner := `<TABLE BORDER="1" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2" COLOR="` + quiet + `"><TR>` + cell + `</TR><TR><TD ALIGN="LEFT">` + b.String() + `</TD></TR></TABLE>`
	return `<TABLE BORDER="1" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2" COLOR="` + quiet + `" BGCOLOR="#FFFFFF"><TR><TD>` + inner + `</TD></TR></TABLE>`
}

// stacked puts a cell on the first of several sheets that lie behind each other, of which
// the others show their right and lower edges.
func stacked(cell string) string {
	const sheet = `<TABLE BORDER="%d" CELLBORDER="0" CELLSPACING="0" CELLPADDING="%d" COLOR="` + faint + `"%s><TR>%s</TR></TABLE>`
	out := fmt.Sprintf(sheet, 1, 3, ` BGCOLOR="#FFFFFF"`, cell)
	for range 2 {
		out = fmt.Sprintf(sheet, 1, 2, ` SIDES="RB"`, "<TD>"+out+"</TD>")
	}
	return out
}

// arrowLabel is one block of lines for each label of e, in the colour of its
// kind.
func arrowLabel(e *drawing.Edge) string {
	var b strings.Builder
	b.WriteString(`<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">`)
	for _, l := range e.Labels {
		var lines []string
		for _, line := range l.Lines(drawing.ArrowWidth) {
			color := edgeStyles[l.Kind].text
			if line.Aside {
				color = faint
			}
			lines = append(lines, paint(color, labelSize, escape(line.Text)))
		}
		fmt.Fprintf(&b, `<TR><TD WIDTH="3"></TD><TD ALIGN="LEFT" BALIGN="LEFT">%s</TD><TD WIDTH="3"></TD></TR>`, strings.Join(lines, `<BR ALIGN="LEFT"/>`))
	}
	b.WriteString(`</TABLE>`)
	return b.String()
}

// arrowTip is what a pointer over an arrow shows: the events' documentation,
// or the ends of the arrow.
func arrowTip(e *drawing.Edge) string {
	return cmp.Or(e.Doc, e.From.Title+" to "+e.To.Title)
}
