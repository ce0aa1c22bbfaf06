package parse

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// skip goes on from start to where what is around it ends or, at the offset reached or
// behind it, the next item may begin, and gives what lies between.
func (p *parser) skip(lex *lexer.PeekingLexer, start lexer.Checkpoint, reached int) *ast.Bad {
	lex.LoadCheckpoint(start)
	_, oneLine := later[lex.Peek().Value]
	return badUpTo(lex, start, reached, func(t, before *lexer.Token) bool {
		return resumes(lex, before) || oneLine && beginsLine(t, before)
	})
}

// badUpTo goes on from start to where what is around it ends or, at the offset reached or
// behind it, ends says so of a token outside braces and the one before it. It gives what
// lies between, which is a token at least.
func badUpTo(lex *lexer.PeekingLexer, start lexer.Checkpoint, reached int, ends func(t, before *lexer.Token) bool) *ast.Bad {
	lex.LoadCheckpoint(start)
	bad := &ast.Bad{Node: ast.Node{Pos: pos(lex.Peek().Pos), EndPos: pos(lex.Peek().Pos)}}
	var before lexer.Token
	for i, nested := 0, 0; ; i++ {
		t := lex.Peek()
		if t.EOF() || nested == 0 && i > 0 && (is(t, "}") || t.Pos.Offset >= reached && ends(t, &before)) {
			return bad
		}
		switch {
		case is(t, "{"):
			nested++
		case is(t, "}"):
			nested = max(0, nested-1)
		}
		before = *t
		lex.Next()
		bad.EndPos = pos(lex.RawPeek().Pos)
	}
}

// beginsLine reports whether t, behind before, is a word on a new line.
func beginsLine(t, before *lexer.Token) bool {
	return t.Type == tokName && t.Pos.Line != before.Pos.Line
}

// resumes reports whether the next token opens an item, as far as can be told
// in the midst of something wrong. On a line that goes on before must not be
// something that a name follows.
func resumes(lex *lexer.PeekingLexer, before *lexer.Token) bool {
	t := lex.Peek()
	if !opensItem(t) {
		return false
	}
	if t.Type == tokFold {
		return true
	}
	next := second(lex)
	if !fits(t.Value, next) {
		return false
	}
	if beginsLine(t, before) {
		return true
	}
	return t.Value != "ignore" && before.Value != "else" && (before.Type != tokPunct || is(before, "}") || is(before, ")"))
}
