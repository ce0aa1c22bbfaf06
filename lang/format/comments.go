package format

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// commentBefore reports whether a comment that comes before pos is still to be
// written.
func (p *printer) commentBefore(pos token.Pos) bool {
	return len(p.comments) > 0 && p.comments[0].Pos.Offset < pos.Offset
}

// take is the next comment if it comes before offset, nil if not.
func (p *printer) take(offset int) *ast.Comment {
	if len(p.comments) == 0 || p.comments[0].Pos.Offset >= offset {
		return nil
	}
	c := p.comments[0]
	p.comments = p.comments[1:]
	return c
}

// at writes the comments that come before pos in the midst of an item: behind
// the line, or on lines of their own.
func (p *printer) at(pos token.Pos) {
	for c := p.take(pos.Offset); c != nil; c = p.take(pos.Offset) {
		if l := p.last(); c.Pos.Line == p.srcLine && !l.closed() && !l.empty() {
			l.suffix(c, p.shift)
			continue
		}
		if !p.last().empty() {
			p.continuation()
		}
		p.comment(c)
		p.srcLine = c.Pos.Line
	}
}

// lead writes the comments that come before offset, each on its own line. One
// that stood within the last element, or behind it on a line that now has
// another, gets a blank line below it: it does not document what follows.
func (p *printer) lead(offset int) {
	for c := p.take(offset); c != nil; c = p.take(offset) {
		displaced := c.Pos.Line <= p.srcLine
		p.blankLine(c.Pos.Line)
		p.begin()
		p.comment(c)
		p.srcLine = max(p.srcLine, c.Pos.Line)
		p.blank = displaced
	}
}

// comment fills the last line with c.
func (p *printer) comment(c *ast.Comment) {
	l := p.last()
	l.cells[0].text = []byte(commentText(c))
	l.isComment = true
}

// trail writes the comment behind an element that ends at end, if there is one
// before next. One within the element, behind its last word, becomes one.
func (p *printer) trail(end token.Pos, next int) {
	if p.commentBefore(end) {
		p.suffix(p.srcLine, next)
	} else {
		p.suffix(end.Line, next)
	}
	p.srcLine = max(p.srcLine, end.Line)
}

// suffix writes the next comment behind the last line if it stands on that
// line of the source and before offset.
func (p *printer) suffix(srcLine, offset int) {
	if len(p.comments) == 0 || p.comments[0].Pos.Line != srcLine || p.last().closed() {
		return
	}
	if c := p.take(offset); c != nil {
		p.last().suffix(c, p.shift)
	}
}

// blankLine keeps one of the blank lines that the source has before line, but
// none at the start of a block.
func (p *printer) blankLine(srcLine int) {
	if len(p.lines) == 0 {
		return
	}
	if l := p.last(); l.opens && l.comment == "" {
		return
	}
	if srcLine > p.srcLine+1 {
		p.blank = true
	}
}

func commentText(c *ast.Comment) string { return strings.TrimRight(c.Text, " \t\r") }
