package parse

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
			return e.minus(e.lex.Next())
		case "(":
			e.lex.Next()
			x, height := e.climb(orPower)
			if x == nil || !e.want(")") {
				return nil, 0
			}
			return &ast.Paren{Node: e.node(start), X: x}, height + 1
		case "[":
			return e.list(e.lex.Next())
		case "{":
			if e.objects {
				return e.object(e.lex.Next())
			}
			if second(e.lex).Type == tokString {
				return e.tooRich(start, "a json", "Keep what it says in fields, and read these")
			}
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
		sel := e.wantName("a value of the enum, a field of the record or a key")
		if sel == nil {
			return nil, 0
		}
		return e.members(t, &ast.Selector{Node: e.node(t), X: x, Sel: sel})
	case is(next, "{") && e.objects:
		return e.record(t)
	case is(next, "{") && e.isRecord(t):
		return e.tooRich(t, "a record", "Compare its fields one by one")
	}
	return &ast.Ident{Node: e.node(t), Name: t.Value}, 1
}

// tooRich is the fault that what begins with t and goes on in the brace that comes next stands
// where that brace begins a block.
func (e *exprParser) tooRich(t *lexer.Token, what, help string) (ast.Expr, int) {
	e.fail(t, what+" where there is a condition or a wait", help+"; behind a condition, a brace begins a block.")
	e.fault.rule = "guard-too-rich"
	e.lex.Next()
	e.braces++
	return nil, 0
}

// isRecord reports whether the name t and the brace behind it are a record, where a brace
// begins a block: the name is spelt as a type, fields follow, and behind the brace that closes
// it comes what never follows a block.
func (e *exprParser) isRecord(t *lexer.Token) bool {
	if r, _ := utf8.DecodeRuneInString(t.Value); !unicode.IsUpper(r) {
		return false
	}
	here := e.lex.MakeCheckpoint()
	defer e.lex.LoadCheckpoint(here)
	e.lex.Next()
	if name := e.lex.Next(); name.Type != tokName || !is(e.lex.Peek(), "=") {
		return false
	}
	skipBraces(e.lex, 1)
	closing, next := previous(e.lex), e.lex.Peek()
	if next.Type == tokName {
		return stepWords[next.Value] && next.Pos.Line == closing.Pos.Line && (next.Value != "else" || e.blockless)
	}
	return next.Type == tokPunct && (powers[next.Value] > 0 || is(next, "->") || is(next, "{") || is(next, ")") || is(next, ","))
}

func unsetHelp(word string) string {
	if word == "set" || word == "unset" {
		return `Ask with "x is set", and clear a field with "x = unset" alone.`
	}
	return "It is a word of the language."
}

func (e *exprParser) eventField(t *lexer.Token) (ast.Expr, int) {
	if !e.want(".") {
		return nil, 0
	}
	name := e.wantName("a field of the event")
	if name == nil {
		return nil, 0
	}
	return e.members(t, &ast.EventField{Node: e.node(t), Name: name})
}

// members are the keys behind x, which begins with the token t.
func (e *exprParser) members(t *lexer.Token, x ast.Expr) (ast.Expr, int) {
	height := 1
	for is(e.lex.Peek(), ".") {
		if height++; height > maxNesting {
			return e.failDeep(e.lex.Peek())
		}
		e.lex.Next()
		sel := e.wantName("a field of the record or a key")
		if sel == nil {
			return nil, 0
		}
		x = &ast.Member{Node: e.node(t), X: x, Sel: sel}
	}
	return x, height
}

// list is `[]` or a list of a json, which begins with the token t.
func (e *exprParser) list(t *lexer.Token) (ast.Expr, int) {
	if e.punct("]") {
		return &ast.EmptyList{Node: e.node(t)}, 1
	}
	e.brackets++
	var items []ast.Expr
	tallest := 0
	for more := true; more; more = e.punct(",") {
		x, height := e.climb(orPower)
		if x == nil {
			return nil, 0
		}
		items = append(items, x)
		if tallest = max(tallest, height+1); tallest > maxNesting {
			return e.failDeep(t)
		}
	}
	if !e.punct("]") {
		return e.expected(`"," or "]"`)
	}
	e.brackets--
	return &ast.List{Node: e.node(t), Items: items}, tallest
}

// object is an object of a json, which begins with the token t.
func (e *exprParser) object(t *lexer.Token) (ast.Expr, int) {
	e.braces++
	var pairs []*ast.Pair
	tallest := 1
	for !e.punct("}") {
		pair, height := e.pair()
		if pair == nil {
			return nil, 0
		}
		pairs = append(pairs, pair)
		if tallest = max(tallest, height+1); tallest > maxNesting {
			return e.failDeep(t)
		}
		if !e.punct(",") && !is(e.lex.Peek(), "}") {
			return e.expected(`"," or "}"`)
		}
	}
	e.braces--
	return &ast.Object{Node: e.node(t), Pairs: pairs}, tallest
}

// pair is a key and its value.
func (e *exprParser) pair() (*ast.Pair, int) {
	t := e.lex.Peek()
	if t.Type == tokName {
		help := fmt.Sprintf("Write it between quotes: %q.", t.Value)
		if e.lex.Next(); is(e.lex.Peek(), "=") {
			help = recordHelp(strconv.Quote(t.Value))
		}
		e.fail(t, fmt.Sprintf("the key %q is no string", t.Value), help)
		return nil, 0
	}
	if t.Type != tokString {
		e.expected(`a key between quotes, or "}"`)
		return nil, 0
	}
	e.lex.Next()
	key := &ast.Literal{Node: e.node(t), Text: t.Value}
	if !e.want(":") {
		return nil, 0
	}
	x, height := e.climb(orPower)
	if x == nil {
		return nil, 0
	}
	return &ast.Pair{Node: e.node(t), Key: key, Value: x}, height
}

// recordHelp tells one who wrote an equals sign behind a key what a record looks like.
func recordHelp(key string) string {
	return fmt.Sprintf("Write a record behind its type, as in Order { %s = … }, and a json as in {%s: …}.", strings.Trim(key, `"`), key)
}

// record is a record whose type is the token t.
func (e *exprParser) record(t *lexer.Token) (ast.Expr, int) {
	typ := e.name(t)
	e.lex.Next()
	e.braces++
	var fields []*ast.RecordValue
	tallest := 1
	for !e.punct("}") {
		start := e.lex.Peek()
		name := e.wantName("a field of the record")
		if name == nil || !e.want("=") {
			return nil, 0
		}
		x, height := e.climb(orPower)
		if x == nil {
			return nil, 0
		}
		if tallest = max(tallest, height+1); tallest > maxNesting {
			return e.failDeep(t)
		}
		fields = append(fields, &ast.RecordValue{Node: e.node(start), Name: name, Value: x})
		e.punct(",")
	}
	e.braces--
	return &ast.RecordLit{Node: e.node(t), Type: typ, Fields: fields}, tallest
}

func (e *exprParser) length(t *lexer.Token) (ast.Expr, int) {
	e.lex.Next()
	arg := e.lex.Peek()
	x, _ := e.factor()
	if x == nil {
		return nil, 0
	}
	switch x.(type) {
	case *ast.Ident, *ast.EventField, *ast.Selector, *ast.Member:
	default:
		return e.fail(arg, `"len" takes the name of a field`, "Write a field, a parameter or a field of the event between the parentheses.")
	}
	if !e.want(")") {
		return nil, 0
	}
	return &ast.Len{Node: e.node(t), X: x}, 2
}

func (e *exprParser) call(t *lexer.Token) (ast.Expr, int) {
	f := e.name(t)
	e.lex.Next()
	var args []ast.Expr
	tallest := 0
	for !e.punct(")") {
		if len(args) > 0 && !e.want(",") {
			return nil, 0
		}
		x, height := e.climb(orPower)
		if x == nil {
			return nil, 0
		}
		args = append(args, x)
		tallest = max(tallest, height)
	}
	return &ast.Call{Node: e.node(t), Func: f, Args: args}, tallest + 1
}
