package parse

import (
	"fmt"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// maxComparisons is how many comparisons a guard may have.
const maxComparisons = 64

// exprGrammar is what this file and expr_factor.go parse; the rest of the grammar stands in the
// struct tags of package ast.
const exprGrammar = `Expr = And ("||" And)* .
And = Unary ("&&" Unary)* .
Unary = "!" Unary | Compare .
Compare = ("event" ".")? Place "is" "not"? "set" | Sum (("==" | "!=" | "<" | "<=" | ">" | ">=") Sum)? .
Sum = Term (("+" | "-") Term)* .
Term = Factor ("*" Factor)* .
Factor = <int> | <number> | <duration> | <string> | "true" | "false" | "[" (Expr ("," Expr)*)? "]" | "{" (Pair ("," Pair)* ","?)? "}" | "now" | Place | "event" "." Place | RecordLit | "len" "(" (Place | "event" "." Place) ")" | <name> "(" (Expr ("," Expr)*)? ")" | "(" Expr ")" | "-" Factor .
Pair = <string> ":" Expr .
Place = <name> ("." <name>)* .
RecordLit = <name> "{" (<name> "=" Expr ","?)* "}" .`

// Binding powers of the binary operators.
const (
	orPower = 1 + iota
	andPower
	comparePower
	sumPower
	termPower
)

var powers = map[string]int{
	"||": orPower, "&&": andPower,
	"==": comparePower, "!=": comparePower, "<": comparePower, "<=": comparePower, ">": comparePower, ">=": comparePower,
	"+": sumPower, "-": sumPower, "*": termPower,
}

// expr parses an expression for participle. One that is wrong is reported and
// becomes a *ast.BadExpr as a whole.
func (p *parser) expr(lex *lexer.PeekingLexer) (ast.Expr, error) {
	start := *lex.Peek()
	if is(&start, ")") {
		return nil, participle.NextMatch // an empty list of arguments
	}
	behind := previous(lex)
	e := exprParser{cursor: cursor{lex: lex}, objects: holdsValues(behind), blockless: behind != nil && behind.Value == "require"}
	from := pos(lex.RawPeek().Pos)
	x, _ := e.climb(orPower)
	if e.fault == nil && e.comparisons > maxComparisons {
		e.fault = &fault{
			message: fmt.Sprintf("an expression of more than %d comparisons", maxComparisons),
			help:    "Compute a part of it into a field first, or declare a host guard.",
		}
		e.fault.span = x.Span()
	}
	if e.fault == nil {
		return x, nil
	}
	p.report(*e.fault)
	bad := &ast.BadExpr{Node: ast.Node{Pos: from, EndPos: from}}
	if e.braces > 0 {
		skipBraces(lex, e.braces)
		e.brackets = 0
	}
	if skipExpr(lex, e.braces > 0, e.brackets) || lex.Peek().Pos.Offset > start.Pos.Offset {
		bad.Pos = pos(start.Pos)
		bad.EndPos = pos(lex.RawPeek().Pos)
	}
	p.behindBad[lex.Peek().Pos.Offset] = true
	return bad, nil
}

// exprParser parses one expression by precedence climbing (Richards and
// Whitby-Strevens, BCPL, 1979): an operand, then as many operators as bind at
// least as strongly as asked, each with its right side. Each method returns a
// node with the height of its tree, or nil once fault is set.
type exprParser struct {
	cursor
	objects     bool // a brace begins an object, or behind a name a record; else it begins what follows the expression
	blockless   bool // it stands behind "require", and "else" follows it
	braces      int  // of objects and records, that are open
	brackets    int  // of lists, that are open
	depth       int  // of the calls of factor
	comparisons int
	fault       *fault
}

func (e *exprParser) climb(power int) (ast.Expr, int) {
	start := e.lex.Peek()
	x, height := e.operand(power)
	for x != nil {
		op := e.lex.Peek()
		p := powers[op.Value]
		if p < power || op.Type != tokPunct {
			return x, height
		}
		if p == comparePower {
			if e.comparisons++; compares(x) {
				return e.fail(op, "comparisons cannot be chained", `Compare twice, and join the two with "&&".`)
			}
		}
		e.lex.Next()
		y, h := e.climb(p + 1)
		if y == nil {
			return nil, 0
		}
		if height = max(height, h) + 1; height > maxNesting {
			return e.failDeep(op)
		}
		x = &ast.Binary{Node: e.node(start), Op: op.Value, X: x, Y: y}
	}
	return nil, 0
}

// compares reports whether x is a comparison without parentheses.
func compares(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Binary:
		return powers[x.Op] == comparePower
	case *ast.IsSet:
		return true
	}
	return false
}

// operand is what stands beside an operator of the given power.
func (e *exprParser) operand(power int) (ast.Expr, int) {
	start := e.lex.Peek()
	if e.depth++; e.depth > maxNesting {
		return e.failDeep(start)
	}
	defer func() { e.depth-- }()
	if is(start, "!") {
		return e.not(start, power)
	}
	x, height := e.factor()
	if next := e.lex.Peek(); x != nil && next.Type == tokName && next.Value == "is" {
		return e.isSet(start, x, height, power)
	}
	return x, height
}

// not is `!` and what it denies, which is a whole comparison.
func (e *exprParser) not(start *lexer.Token, power int) (ast.Expr, int) {
	if power > comparePower {
		return e.fail(start, `"!" cannot stand beside an operator that binds more strongly`, "Put what it denies in parentheses together with it.")
	}
	e.lex.Next()
	x, height := e.climb(comparePower)
	if x == nil {
		return nil, 0
	}
	return &ast.Unary{Node: e.node(start), Op: "!", X: x}, height + 1
}

// isSet goes on with x where `is set` or `is not set` follows. A field called
// "is" may follow too: what comes behind it tells.
func (e *exprParser) isSet(start *lexer.Token, x ast.Expr, height, power int) (ast.Expr, int) {
	here := e.lex.MakeCheckpoint()
	word := e.lex.Next()
	not := e.word("not")
	if !e.word("set") {
		if not {
			return e.expected(`"set"`)
		}
		e.lex.LoadCheckpoint(here)
		return x, height
	}
	names := placeNames(x)
	if names == nil || power > comparePower {
		return e.fail(word, `only a field can be asked whether it "is set"`, "Write the name of a field or parameter alone before it.")
	}
	e.comparisons++
	return &ast.IsSet{Node: e.node(start), Event: ofEvent(x), Name: names[0], Inner: names[1:], Not: not}, 1
}

// ofEvent reports whether x, a place, is one of the event.
func ofEvent(x ast.Expr) bool {
	if m, ok := x.(*ast.Member); ok {
		return ofEvent(m.X)
	}
	_, ok := x.(*ast.EventField)
	return ok
}

// placeNames are the names of a place, without the word `event`; nil where x is none.
func placeNames(x ast.Expr) []*ast.Name {
	switch x := x.(type) {
	case *ast.EventField:
		return []*ast.Name{x.Name}
	case *ast.Ident:
		return []*ast.Name{{Node: ast.Node{Pos: x.Pos, EndPos: x.EndPos}, Text: x.Name}}
	case *ast.Selector:
		return []*ast.Name{x.X, x.Sel}
	case *ast.Member:
		if names := placeNames(x.X); names != nil {
			return append(names, x.Sel)
		}
	}
	return nil
}

// name is the token t, which has just been taken, as a name.
func (e *exprParser) name(t *lexer.Token) *ast.Name {
	return &ast.Name{Node: e.node(t), Text: t.Value}
}

func (e *exprParser) wantName(what string) *ast.Name {
	if t := e.lex.Peek(); t.Type == tokName {
		return e.name(e.lex.Next())
	}
	e.expected(what)
	return nil
}

// want takes the next token if it is s, and fails if not.
func (e *exprParser) want(s string) bool {
	if e.punct(s) {
		return true
	}
	e.expected(fmt.Sprintf("%q", s))
	return false
}

func (e *exprParser) fail(t *lexer.Token, message, help string) (ast.Expr, int) {
	e.fault = &fault{span: span(t), message: message, help: help}
	return nil, 0
}

func (e *exprParser) failDeep(t *lexer.Token) (ast.Expr, int) {
	e.fault = tooDeep(t)
	return nil, 0
}

// expected fails because the next token is not what is expected.
func (e *exprParser) expected(what string) (ast.Expr, int) {
	found, behind := e.lex.Peek(), previous(e.lex)
	help := ""
	switch {
	case behind != nil && is(behind, "<") && is(found, ">"):
		help = `Write "!=" for "not equal".`
	case what == `"="` && is(found, ":"):
		help = `Write "=" instead: a field of a record is given "name = value".`
	case what == `":"` && is(found, "=") && behind != nil && behind.Type == tokString:
		help = recordHelp(behind.Value)
	}
	f := unexpected(found, behind, what, help)
	e.fault = &f
	return nil, 0
}

// previous is the token taken last, nil for none.
func previous(lex *lexer.PeekingLexer) *lexer.Token {
	taken := lex.Range(0, lex.RawCursor())
	for i := len(taken) - 1; i >= 0; i-- {
		if !elided(taken[i].Type) {
			return &taken[i]
		}
	}
	return nil
}

// holdsValues reports whether an expression behind t is a value and no condition or
// wait: behind those, a brace begins a block.
func holdsValues(t *lexer.Token) bool { return t != nil && (is(t, "=") || is(t, "(") || is(t, ",")) }

// skipBraces goes behind the braces that close those of so many objects and records.
func skipBraces(lex *lexer.PeekingLexer, open int) {
	for open > 0 && !lex.Peek().EOF() {
		switch t := lex.Next(); {
		case is(t, "{"):
			open++
		case is(t, "}"):
			open--
		}
	}
}

// skipExpr goes to where the expression that holds the next token seems to
// end, and reports whether it took anything; moved says that some of it was taken,
// and brackets how many lists are open.
func skipExpr(lex *lexer.PeekingLexer, moved bool, brackets int) bool {
	var before lexer.Token
	if moved {
		before = *previous(lex)
	}
	for depth := 0; ; moved = true {
		t := lex.Peek()
		switch {
		case t.EOF(), is(t, "{"), is(t, "}"), is(t, "->"):
			return moved
		case moved && depth == 0 && beginsLine(t, &before) && (before.Type != tokPunct || is(&before, "}") || is(&before, "]")):
			return moved // no operator joins it to what comes before
		case is(t, "("):
			depth++
		case is(t, ")"):
			if depth == 0 {
				return moved
			}
			depth--
		case is(t, "["):
			brackets++
		case is(t, "]"):
			brackets--
		case depth == 0 && (is(t, ",") && brackets <= 0 || t.Type == tokName && endsExpr(lex)),
			depth > 0 && t.Type == tokName && is(second(lex), "="):
			return moved
		}
		before = *t
		lex.Next()
	}
}

// endsExpr reports whether the next token, a name, cannot belong to the
// expression before it.
func endsExpr(lex *lexer.PeekingLexer) bool {
	t := lex.Peek()
	if stepWords[t.Value] {
		return true
	}
	_, opens := items[t.Value]
	next := second(lex)
	return is(next, "=") || opens && next.Type == tokName
}

// is reports whether t is the operator or bracket s.
func is(t *lexer.Token, s string) bool { return t.Type == tokPunct && t.Value == s }
