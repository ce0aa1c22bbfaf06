package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// line is one line of output before its columns are aligned.
type line struct {
	indent    int
	blank     bool   // a blank line comes before it
	cells     []cell // at least one
	group     string // cells are aligned with those of neighbours in the same group; "" for none
	comment   string // behind the line
	column    int    // where the author put comment, counted from 0
	isComment bool   // the line is a comment
	opens     bool   // the line opens a block
	closes    bool   // the line closes one
}

// cell is a stretch of a line that begins at a column of its run.
type cell struct {
	gap  int // least number of blanks before it
	text []byte
}

// closed reports whether nothing can be written behind l.
func (l *line) closed() bool { return l.isComment || l.comment != "" }

func (l *line) empty() bool { return len(l.cells) == 1 && len(l.cells[0].text) == 0 }

// suffix puts c behind l. shift is how far the item stands right of its
// canonical place in the source.
func (l *line) suffix(c *ast.Comment, shift int) {
	code := l.code(nil)
	extra := len(code) - utf8.RuneCount(code) // columns of the source are bytes
	l.comment, l.column = commentText(c), c.Pos.Column-1-shift-extra
}

// width is the width of l before alignment, in columns.
func (l *line) width() int { return utf8.RuneCount(l.code(nil)) }

// code is l without its comment. stops are the columns in which its cells
// begin, counted from the indentation; nil puts them close together.
func (l *line) code(stops []int) []byte {
	out := []byte(pad(l.indent))
	column := 0
	for i, c := range l.cells {
		if i > 0 && len(c.text) == 0 {
			continue
		}
		gap := c.gap
		if stops != nil {
			gap = stops[i] - column
		}
		out = append(out, pad(gap)...)
		out = append(out, c.text...)
		column += gap + utf8.RuneCount(c.text)
	}
	return bytes.TrimRight(out, " ")
}

// render aligns lines and joins them.
func render(lines []line) []byte {
	code := make([][]byte, len(lines))
	runs(lines, aligned, func(from, to int) {
		stops := tabStops(lines[from:to])
		for i := from; i < to; i++ {
			code[i] = lines[i].code(stops)
		}
	})
	runs(lines, commented, func(from, to int) {
		if lines[from].comment == "" {
			return
		}
		column := commentColumn(lines[from:to], code[from:to])
		for i := from; i < to; i++ {
			gap := column - utf8.RuneCount(code[i])
			code[i] = append(code[i], pad(gap)+lines[i].comment...)
		}
	})
	var out []byte
	for i, l := range lines {
		if l.blank {
			out = append(out, '\n')
		}
		out = append(append(out, code[i]...), '\n')
	}
	return out
}

// runs calls do for each longest stretch of lines of which each belongs to the
// one before it.
func runs(lines []line, belongs func(a, b *line) bool, do func(from, to int)) {
	from := 0
	for i := 1; i <= len(lines); i++ {
		if i < len(lines) && !lines[i].blank && lines[i].indent == lines[i-1].indent && belongs(&lines[i-1], &lines[i]) {
			continue
		}
		if from < i {
			do(from, i)
		}
		from = i
	}
}

func aligned(a, b *line) bool { return a.group != "" && a.group == b.group }

// commented reports whether the comments behind a and b are one column. What
// opens or closes a block has its comment to itself.
func commented(a, b *line) bool {
	return a.comment != "" && b.comment != "" && !a.opens && !a.closes && !b.opens && !b.closes
}

// tabStops are the columns in which the cells of a run begin. As in a
// tabwriter a cell counts for the width of its column only where another
// follows it on its line.
func tabStops(run []line) []int {
	var widths, gaps []int
	for i := range run {
		cells := run[i].cells
		for len(cells) > 1 && len(cells[len(cells)-1].text) == 0 {
			cells = cells[:len(cells)-1]
		}
		for len(widths) < len(cells) {
			widths, gaps = append(widths, 0), append(gaps, 0)
		}
		for j, c := range cells {
			if len(c.text) > 0 {
				gaps[j] = max(gaps[j], c.gap)
			}
			if j < len(cells)-1 {
				widths[j] = max(widths[j], utf8.RuneCount(c.text))
			}
		}
	}
	stops := make([]int, len(widths))
	for j := 1; j < len(stops); j++ {
		stops[j] = stops[j-1] + widths[j-1] + gaps[j]
	}
	return stops
}

// commentColumn is the column in which the comments behind a run of lines
// begin: the author's, where several lines share one that is far enough to the
// right, or one blank behind the longest line.
func commentColumn(run []line, code [][]byte) int {
	least := 0
	for _, c := range code {
		least = max(least, utf8.RuneCount(c)+1)
	}
	author := run[0].column
	same := !slices.ContainsFunc(run, func(l line) bool { return l.column != author })
	if len(run) > 1 && same && author > least {
		return author
	}
	return least
}

// pad is a stretch of n blanks.
func pad(n int) string { return strings.Repeat(" ", n) }
