package parse

import (
	"math"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// comment is a comment with what tells to which node it belongs.
type comment struct {
	*ast.Comment
	alone bool // nothing stands before it on its line
}

// comment keeps t if it is a comment.
func (m *matcher) comment(t *lexer.Token) {
	if t.Type == tokComment {
		m.comments = append(m.comments, comment{&ast.Comment{Pos: pos(t.Pos), Text: t.Value}, t.Pos.Line != m.last[0].Pos.Line})
	}
}

// attacher gives each comment to a node, in one pass over the tree in the order
// of the source, as starlark-go's assignComments does.
//
// A comment on a line of its own belongs before the next node inside the
// innermost node around it, the outermost that begins there; where none
// follows it is inside the node around it. A comment behind something belongs
// to the node that ended last on its line: of several that end at one place the
// outermost that began on that line, or the outermost of all if none did. Where
// no node ended on the line it is inside the node around it.
type attacher struct {
	comments []comment
	ended    ast.Any // the node to which a comment behind it belongs
}

// until attaches the comments before offset: those alone on their line with
// own, the others to what stands before them.
func (a *attacher) until(offset int, around ast.Any, own func(*ast.Comment)) {
	for len(a.comments) > 0 && a.comments[0].Pos.Offset < offset {
		c := a.comments[0]
		a.comments = a.comments[1:]
		switch {
		case c.alone:
			own(c.Comment)
		case a.ended != nil && a.ended.Span().End.Line == c.Pos.Line:
			to := commentsOf(a.ended)
			to.Suffix = append(to.Suffix, c.Comment)
		default:
			to := commentsOf(around)
			to.Inside = append(to.Inside, c.Comment)
		}
	}
}

// enter attaches the comments before child, which stands in around.
func (a *attacher) enter(around, child ast.Any) {
	a.until(child.Span().Start.Offset, around, func(c *ast.Comment) {
		to := commentsOf(child)
		to.Before = append(to.Before, c)
	})
}

// leave attaches the comments before the end of n, whose children are done.
func (a *attacher) leave(n ast.Any) {
	end := n.Span().End.Offset
	if _, file := n.(*ast.File); file {
		end = math.MaxInt
	}
	a.until(end, n, func(c *ast.Comment) {
		to := commentsOf(n)
		to.Inside = append(to.Inside, c)
	})
	a.end(n)
}

// end notes that n has ended.
func (a *attacher) end(n ast.Any) {
	if a.ended == nil {
		a.ended = n
		return
	}
	s, last := n.Span(), a.ended.Span()
	began := s.Start.Line == s.End.Line
	lastBegan := last.Start.Line == last.End.Line
	if s.End.Line > last.End.Line || began || !lastBegan || s.End.Offset > last.End.Offset {
		a.ended = n
	}
}

func commentsOf(n ast.Any) *ast.Comments {
	b := n.Base()
	if b.Comments == nil {
		b.Comments = &ast.Comments{}
	}
	return b.Comments
}
