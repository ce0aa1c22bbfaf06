package parse

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// step parses a step for participle.
func (p *parser) step(lex *lexer.PeekingLexer) (ast.Step, error) {
	switch t := lex.Peek(); {
	case is(t, "->"):
		return p.grammar.goTo(lex)
	case is(t, "{"):
		return p.grammar.stay(lex)
	case t.Type != tokName:
	case t.Value == "retry":
		return p.grammar.retry(lex)
	case t.Value == "reject":
		lex.Next()
		return &ast.Reject{Node: node(lex, t)}, nil
	case t.Value == "ignore":
		lex.Next()
		return &ast.IgnoreStep{Node: node(lex, t)}, nil
	}
	return nil, participle.NextMatch
}

// node is a node from start up to what was taken last.
func node(lex *lexer.PeekingLexer, start *lexer.Token) ast.Node {
	return ast.Node{Pos: pos(start.Pos), EndPos: pos(lex.RawPeek().Pos)}
}

// effect parses an effect for participle. A field may be called "publish".
func (p *parser) effect(lex *lexer.PeekingLexer) (ast.Effect, error) {
	switch t := lex.Peek(); {
	case t.Type != tokName:
		return nil, participle.NextMatch
	case t.Value == "publish" && !is(second(lex), "="):
		return p.grammar.publish(lex)
	}
	return p.grammar.assign(lex)
}
