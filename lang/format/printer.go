package format

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// printer turns a tree into lines. It writes pieces of text to the last line
// and keeps a queue of the comments that have not been written: before
// anything whose place in the source is known, the comments that come before
// that place are taken from the queue. So every comment is written once, in
// order, next to what it stood next to, whatever node it is attached to.
type printer struct {
	lines    []line
	comments []*ast.Comment // not yet written
	indent   int            // of the lines that are begun, in columns
	shift    int            // how far right of its canonical place the current element stands in the source
	srcLine  int            // the line of the source on which what was written last ends
	blank    bool           // a blank line comes before the next line, whatever the source says
	flat     bool           // everything goes on the current line
}

// begin starts a line.
func (p *printer) begin() {
	p.lines = append(p.lines, line{indent: p.indent, cells: make([]cell, 1)})
	if p.blank && len(p.lines) > 1 {
		p.last().blank = true
	}
	p.blank = false
}

func (p *printer) last() *line { return &p.lines[len(p.lines)-1] }

// text writes s to the last line; behind a comment it goes on in a
// continuation line. Blanks at either end of a line are dropped.
func (p *printer) text(s string) {
	l := p.last()
	if l.closed() {
		if s = strings.TrimLeft(s, " "); s == "" {
			return
		}
		l = p.continuation()
	}
	c := &l.cells[len(l.cells)-1]
	c.text = append(c.text, s...)
}

// continuation starts a line that goes on with the item of the last one. An
// item on several lines takes no part in the alignment of columns.
func (p *printer) continuation() *line {
	p.last().group = ""
	p.begin()
	p.last().indent += continuationWidth
	return p.last()
}

// cell ends a column, if columns are to be aligned; gap is the least number of
// blanks before the next one.
func (p *printer) cell(gap int) {
	if l := p.last(); p.flat || l.closed() {
		p.text(pad(gap))
	} else {
		l.cells = append(l.cells, cell{gap: gap})
	}
}

// group says that the current line is aligned with neighbours of that group.
func (p *printer) group(name string) {
	if !p.flat {
		p.last().group = name
	}
}

// token writes text, which stands in the source where n stands.
func (p *printer) token(n ast.Any, text string) {
	span := n.Span()
	p.at(span.Start)
	p.text(text)
	p.srcLine = span.End.Line
}

// word writes text, which stands on one line of the source, at pos.
func (p *printer) word(pos token.Pos, text string) {
	p.at(pos)
	p.text(text)
	p.srcLine = pos.Line
}

func (p *printer) name(n *ast.Name) { p.token(n, n.Text) }

// named writes a word of the language, and the name behind it.
func (p *printer) named(word string, n *ast.Name) {
	p.text(word + " ")
	p.name(n)
}

// separated writes elems on the current line.
func separated[T any](p *printer, elems []T, separator string, print func(T)) {
	for i, e := range elems {
		if i > 0 {
			p.text(separator)
		}
		print(e)
	}
}

// filled writes elems behind each other, each on the current line if it fits and
// else on one that goes on with it.
func filled[T ast.Any](p *printer, elems []T, separator string, print func(*printer, T)) {
	for i, e := range elems {
		if i == 0 {
			print(p, e)
			continue
		}
		p.text(separator)
		p.part(e.Span().Start, func(p *printer) { print(p, e) })
	}
}

// part writes a part of an item, of which the first node begins at pos, behind a
// blank, or where it does not fit on a line that goes on with the item.
func (p *printer) part(pos token.Pos, print func(*printer)) {
	if l := p.last(); !p.flat && !l.closed() && l.width()+1+width(flatText(print)) > maxWidth {
		p.breakLine(pos)
	} else {
		p.text(" ")
	}
	print(p)
}

// breakLine starts a line that goes on with the item at pos. Comments before pos
// come first, so that none gets between what is written without a place, such
// as a word of the language, and its node.
func (p *printer) breakLine(pos token.Pos) {
	p.at(pos)
	if !p.last().closed() {
		p.continuation()
	}
}

// element writes an element of a list on lines of its own, with the comments
// above and behind it; next is where in the source the next element begins.
func (p *printer) element(n ast.Any, next int, print func()) {
	span := n.Span()
	p.lead(span.Start.Offset)
	p.blankLine(span.Start.Line)
	p.begin()
	outer := p.shift
	p.shift = span.Start.Column - 1 - p.indent
	p.srcLine = span.Start.Line
	print()
	p.trail(span.End, next)
	p.shift = outer
}

// braced writes elems in braces. They go on the current line where the author
// wrote them on one line, from open to end, and there is room; else each gets a
// line, closed by what after says (nil for nothing).
func braced[T ast.Any](p *printer, open, end token.Pos, elems []T, print func(*printer, T), after func(i int) string) {
	bracketed(p, open, end, elems, print, after, blockBraces)
}

// brackets are what elements stand in, and what parts them from it on one line.
type brackets struct{ open, close, blank string }

var (
	blockBraces  = brackets{"{", "}", " "}
	objectBraces = brackets{"{", "}", ""}
	listBrackets = brackets{"[", "]", ""}
)

// bracketed is braced with any brackets.
func bracketed[T ast.Any](p *printer, open, end token.Pos, elems []T, print func(*printer, T), after func(i int) string, in brackets) {
	if len(elems) == 0 && !p.commentBefore(end) {
		p.text(in.open + in.close)
		p.srcLine = end.Line
		return
	}
	inline := func(p *printer) {
		p.text(in.open + in.blank)
		separated(p, elems, ", ", func(e T) { print(p, e) })
		p.text(in.blank + in.close)
	}
	if len(elems) > 0 && p.fits(open, end, inline) {
		p.inline(inline)
		p.srcLine = end.Line
		return
	}
	lines(p, end, elems, func(e T) { print(p, e) }, after, in)
}

// lines writes elems in brackets, one a line.
func lines[T ast.Any](p *printer, end token.Pos, elems []T, print func(T), after func(i int) string, in brackets) {
	brace := end.Offset - 1
	p.text(in.open)
	p.last().group, p.last().opens = "", true
	first := offsetOfNext(elems, -1, brace)
	p.suffix(p.srcLine, first)
	if len(elems) > 0 && p.behindBrace(elems[0], first) {
		p.srcLine = p.comments[0].Pos.Line
		p.suffix(p.srcLine, first)
	}
	p.indent += indentWidth
	for i, e := range elems {
		p.element(e, offsetOfNext(elems, i, brace), func() {
			print(e)
			if after != nil {
				p.text(after(i))
			}
		})
	}
	p.lead(brace)
	p.indent -= indentWidth
	p.blank = false
	p.begin()
	p.text(in.close)
	p.last().closes = true
	p.srcLine = end.Line
}

// behindBrace reports whether the next comment, if it comes before offset,
// stands behind a brace that begins its line, and not above first, the first
// element in the braces, as what documents that.
func (p *printer) behindBrace(first ast.Any, offset int) bool {
	if len(p.comments) == 0 || p.comments[0].Pos.Offset >= offset {
		return false
	}
	above := first.Base().Comments
	return above == nil || !slices.Contains(above.Before, p.comments[0])
}

// offsetOfNext is where the element behind elems[i] begins, or end if that is
// the last one.
func offsetOfNext[T ast.Any](elems []T, i, end int) int {
	if i+1 < len(elems) {
		return elems[i+1].Span().Start.Offset
	}
	return end
}

// fits reports whether what print writes may go on the current line: the
// author wrote it on one line, no comment comes between, and there is room.
func (p *printer) fits(from, to token.Pos, print func(*printer)) bool {
	if p.flat {
		return true
	}
	if from.Line != to.Line || p.commentBefore(to) {
		return false
	}
	return p.last().width()+width(flatText(print)) <= maxWidth
}

// inline writes on the current line, whatever the room.
func (p *printer) inline(print func(*printer)) {
	outer := p.flat
	p.flat = true
	print(p)
	p.flat = outer
}

// flatText is what print writes, on one line and without comments.
func flatText(print func(*printer)) string {
	p := &printer{flat: true}
	p.begin()
	print(p)
	return string(p.last().cells[0].text)
}

func width(s string) int { return utf8.RuneCountInString(s) }

// unprintable is the panic for a node that no text without errors gives.
func unprintable(n any) string { return fmt.Sprintf("format: a %T has no canonical form", n) }
