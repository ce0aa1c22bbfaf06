package parse

import (
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// scenarioGrammar is what this file and scenario_line.go parse.
const scenarioGrammar = `Scenario = "scenario" <string> "of" Name ("(" Given ("," Given)* ")")? "{" Line* "}" .
Given = Name "=" Expr .
Line = Send | Ending | Wait | "cancel" | Answer | Expect | Repeat .
Send = "send" Name Payload? "refused"? .
Payload = "{" (Given ","?)* "}" .
Attempt = Name ("[" <int> "]")? .
Ending = Attempt (("->" Name Payload? | "fails" Name <string>? | "checkpoint") ("cost" Cost ("," Cost)*)? | "lost") .
Wait = "wait" <duration> .
Answer = "guard" Name "=" ("true" | "false") .
Expect = "expect" ("refused" | "ended" | "halted" | "attempt" <int> "of" Attempt | "published" Name Payload? | "waiting" Attempt | Expr) .
Repeat = "repeat" <int> "{" Line* "}" .`

// Words for what a scenario expects.
const (
	aScenarioLine = `a line of a scenario: "send", "wait", "cancel", "guard", "expect", "repeat" or an activity`
	anActivity    = "the name of an activity"
	aString       = "a text between double quotes"
)

// scenario parses the scenario that the next token opens, by hand: what is wrong with a
// line is reported there, and the lines behind it are parsed. The result is nil where its
// head is wrong.
func (p *parser) scenario(lex *lexer.PeekingLexer) ast.Decl {
	start := lex.MakeCheckpoint()
	s := &scenarioParser{direct: &direct{p, cursor{lex: lex}}}
	n := s.head()
	if s.failed {
		s.tell()
		return p.skip(lex, start, lex.Peek().Pos.Offset)
	}
	return n
}

// scenarioParser parses a scenario. Once it has failed it takes nothing more, until what
// is wrong has been reported.
type scenarioParser struct {
	*direct
	fault *fault // nil where what is wrong has been reported
}

func (s *scenarioParser) head() *ast.Scenario {
	start := s.lex.Next()
	n := &ast.Scenario{Title: s.literal(tokString, "a title between double quotes")}
	s.want("of", `"of" and the name of a machine`)
	n.Machine = s.name("the name of a machine")
	if s.punct("(") {
		for more := true; more; more = s.punct(",") {
			n.Args = append(n.Args, s.given("a parameter"))
		}
		s.want(")", `"," or ")"`)
	}
	n.Lines = s.lines()
	n.Node = s.node(start)
	return n
}

// lines are those between braces.
func (s *scenarioParser) lines() []ast.Line {
	s.want("{", `"{"`)
	var list []ast.Line
	for !s.failed && !s.is("}") && !s.lex.Peek().EOF() {
		list = append(list, s.line())
	}
	s.want("}", `"}"`)
	return list
}

// line is the next line. One that is wrong is reported, and given up to the end of its line.
func (s *scenarioParser) line() ast.Line {
	first := s.lex.Peek()
	start := s.lex.MakeCheckpoint()
	n := s.anyLine(first)
	if !s.failed {
		return n
	}
	s.tell()
	s.failed, s.fault = false, nil
	return s.giveUp(start)
}

// tell reports what is wrong, unless that has been done: an expression reports for itself.
func (s *scenarioParser) tell() {
	if s.fault != nil {
		s.report(*s.fault)
	}
}

// giveUp goes on from start to where the next line begins, and gives what lies between.
func (s *scenarioParser) giveUp(start lexer.Checkpoint) *ast.Bad {
	return badUpTo(s.lex, start, s.lex.Peek().Pos.Offset, func(t, before *lexer.Token) bool { return t.Pos.Line != before.Pos.Line })
}

func (s *scenarioParser) is(what string) bool {
	t := s.lex.Peek()
	return !s.failed && (is(t, what) || t.Type == tokName && t.Value == what)
}

// expected fails because something else stands where what is expected.
func (s *scenarioParser) expected(what string) {
	if s.failed {
		return
	}
	f := unexpected(s.lex.Peek(), previous(s.lex), what, "")
	s.failed, s.fault = true, &f
}

// advise adds help to what is wrong.
func (s *scenarioParser) advise(help string) {
	if s.fault != nil && s.fault.help == "" {
		s.fault.help = help
	}
}

// want takes a word or an operator.
func (s *scenarioParser) want(text, what string) {
	if !s.punct(text) && !s.word(text) {
		s.expected(what)
	}
}

func (s *scenarioParser) name(what string) *ast.Name {
	if s.lex.Peek().Type != tokName {
		s.expected(what)
	}
	if s.failed {
		return nil
	}
	return s.direct.name()
}

func (s *scenarioParser) literal(kind lexer.TokenType, what string) *ast.Literal {
	if s.lex.Peek().Type != kind {
		s.expected(what)
	}
	if s.failed {
		return nil
	}
	return s.direct.literal(kind, kind)
}

// given is `name = value`.
func (s *scenarioParser) given(what string) *ast.RecordValue {
	start := s.lex.Peek()
	n := &ast.RecordValue{Name: s.name(what + `, as in "name = value"`)}
	s.want("=", `"="`)
	n.Value = s.expr()
	n.Node = s.node(start)
	return n
}

// expr is an expression. One that is wrong has been reported.
func (s *scenarioParser) expr() ast.Expr {
	if s.failed {
		return nil
	}
	if s.lex.Peek().EOF() || is(s.lex.Peek(), ")") || is(s.lex.Peek(), "}") {
		s.expected("a value")
		return nil
	}
	x, _ := s.parser.expr(s.lex)
	if _, bad := x.(*ast.BadExpr); bad || x == nil {
		s.failed = true
	}
	return x
}

// payload is the fields in braces, nil where there are none.
func (s *scenarioParser) payload() *ast.Payload {
	start := s.lex.Peek()
	if !s.punct("{") {
		return nil
	}
	n := &ast.Payload{}
	for !s.failed && !s.is("}") {
		n.Fields = append(n.Fields, s.given("a field"))
		s.punct(",")
	}
	s.want("}", `a field or "}"`)
	n.Node = s.node(start)
	return n
}

// wrongLine fails because no line begins with t.
func (s *scenarioParser) wrongLine(t *lexer.Token) {
	f := fault{span: span(t), message: "unexpected " + describe(t) + " in a scenario", help: "Write " + aScenarioLine + "."}
	switch word, ok := nearest(t, lineWords); {
	case ok && t.Value != word:
		f.help = "Did you mean " + strconv.Quote(word) + "?"
	case is(t, "="):
		f.help = `Write "==" to compare.`
	case is(t, ","):
		f.help = "Give each its own line."
	case is(t, "("):
		f.help = "Write fields in braces."
	}
	s.failed, s.fault = true, &f
}
