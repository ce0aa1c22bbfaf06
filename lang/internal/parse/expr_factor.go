package parse

import (
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// factor takes what operators stand between, and says how deep it is nested.
func (e *exprParser) factor() (ast.Expr, int) {
	start := e.lex.Peek()
	switch start.Type {
	case tokName:
		return e.named(e.lex.Next())
	case tokInt, tokNumber, tokDuration, tokString:
		e.lex.Next()
		return e.literal(start), 1
	case tokPunct:
		switch start.Value {
		case "-":
			e.lex.Next()
			return e.minus(start)
		case "(":
			e.lex.Next()
			x, height := e.climb(orPower)
			if x == nil || !e.punct(")") {
				return nil, 0
			}
			return &ast.Paren{Node: e.node(start), X: x}, height + 1
		case "[":
			e.lex.Next()
			if !e.punct("]") {
				return nil, 0
			}
			return &ast.EmptyList{Node: e.node(start)}, 1
		}
	}
	return e.expected("a value")
}

func (e *exprParser) literal(t *lexer.Token) ast.Expr {
	return &ast.Literal{Node: e.node(t), Text: t.Value}
}

func (e *exprParser) minus(start *lexer.Token) (ast.Expr, int) {
	if e.depth++; e.depth > maxNesting {
		return e.failDeep(start)
	}
	defer func() { e.depth-- }()
	x, height := e.factor()
	if x == nil {
		return nil, 0
	}
	return &ast.Unary{Node: e.node(start), Op: "-", X: x}, height + 1
}

// named is what begins with the name t.
func (e *exprParser) named(t *lexer.Token) (ast.Expr, int) {
	switch t.Value {
	case "true", "false":
		return e.literal(t), 1
	case "now":
		return &ast.Now{Node: e.node(t)}, 1
	case "event":
		return e.eventField(t)
	}
	if reserved[t.Value] {
		return e.fail(t, fmt.Sprintf("%q is not a value", t.Value), unsetHelp(t.Value))
	}
	switch next := e.lex.Peek(); {
	case is(next, "(") && t.Value == "len":
		return e.length(t)
	case is(next, "("):
		return e.call(t)
	case is(next, "."):
		x := e.name(t)
		e.lex.Next()
		sel := e.wantName("a value of the enum")
		if sel == nil {
			return nil, 0
		}
		return &ast.Selector{Node: e.node(t), X: x, Sel: sel}, 1
	}
	return &ast.Ident{Node: e.node(t), Name: t.Value}, 1
}

func unsetHelp(word string) string {
	if word == "set" || word == "unset" {
		return `Ask with "x is set", and clear a field with "x = unset" alone.`
	}
	return "It is a word of the language."
}

func (e *exprParser) eventField(t *lexer.Token) (ast.Expr, int) {
	if !e.punct(".") {
		return nil, 0
	}
	name := e.wantName("a field of the event")
	if name == nil {
		return nil, 0
	}
	return &ast.EventField{Node: e.node(t), Name: name}, 1
}

func (e *exprParser) length(t *lexer.Token) (ast.Expr, int) {
	e.lex.Next()
	arg := e.lex.Peek()
	x, _ := e.factor()
	if x == nil {
		return nil, 0
	}
	switch x.(type) {
	case *ast.Ident, *ast.EventField, *ast.Selector:
	default:
		return e.fail(arg, `"len" takes the name of a field`, "Write a field, a parameter or a field of the event between the parentheses.")
	}
	if !e.punct(")") {
		return nil, 0
	}
	return &ast.Len{Node: e.node(t), X: x}, 2
}

func (e *exprParser) call(t *lexer.Token) (ast.Expr, int) {
	f := e.name(t)
	e.lex.Next()
	var args []ast.Expr
	tallest := 0
	for !is(e.lex.Peek(), ")") {
		if len(args) > 0 && !e.punct(",") {
			return nil, 0
		}
		x, height := e.climb(orPower)
		if x == nil {
			return nil, 0
		}
		args = append(args, x)
		tallest = max(tallest, height)
	}
	e.lex.Next()
	return &ast.Call{Node: e.node(t), Func: f, Args: args}, tallest + 1
}
