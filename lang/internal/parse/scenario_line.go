package parse

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// lineWords open the lines of a scenario.
var lineWords = []string{"send", "wait", "cancel", "guard", "expect", "repeat"}

// anyLine is the line that begins with t. A word that opens one is the name of an
// activity before what only follows that.
func (s *scenarioParser) anyLine(t *lexer.Token) ast.Line {
	if t.Type != tokName {
		s.wrongLine(t)
		return nil
	}
	if !s.namesActivity() {
		switch t.Value {
		case "send":
			return s.send()
		case "wait":
			s.next()
			n := &ast.Wait{For: s.literal(tokDuration, aDuration)}
			if t := s.lex.Peek(); n.For == nil && t.Type == tokInt {
				s.advise("Write a unit behind the number, as in " + t.Value + "s.")
			}
			n.Node = s.node(t)
			return n
		case "cancel":
			s.next()
			return &ast.CancelLine{Node: s.node(t)}
		case "guard":
			return s.answer()
		case "expect":
			return s.expect()
		case "repeat":
			return s.repeat()
		}
	}
	return s.ending()
}

func (s *scenarioParser) send() *ast.Send {
	start := s.next()
	n := &ast.Send{Event: s.name(anEvent), Payload: s.payload()}
	n.Refused = !s.namesActivity() && s.word(ast.ExpectRefused)
	n.Node = s.node(start)
	return n
}

// namesActivity reports whether the next token is the name of an activity by what follows.
func (s *scenarioParser) namesActivity() bool {
	next := second(s.lex)
	return is(next, "->") || is(next, "[") || next.Type == tokName && next.Value == ast.Fails
}

// attempt is the name of an activity, and the index of the element that it runs for; nil for none.
func (s *scenarioParser) attempt() (name *ast.Name, index *ast.Literal) {
	name = s.name(anActivity)
	if s.punct("[") {
		index = s.literal(tokInt, anInt)
		s.want("]", `"]"`)
	}
	return name, index
}

func (s *scenarioParser) ending() ast.Line {
	start := s.lex.Peek()
	n := &ast.Ending{}
	n.Do, n.Index = s.attempt()
	t := s.lex.Peek()
	switch {
	case s.punct(ast.Returns):
		n.Name, n.Payload = s.name(`a result of the activity, or "done"`), s.payload()
	case s.word(ast.Fails):
		n.Name = s.name("a category of failure")
		if s.lex.Peek().Type == tokString {
			n.Message = s.literal(tokString, aString)
		}
		if t := s.lex.Peek(); n.Name == nil && t.Type == tokString {
			s.advise(`Write the category before the message, as in "fails unknown".`)
		}
	case s.word(ast.Checkpoints), s.word(ast.IsLost):
	case n.Index == nil && !s.failed:
		if word, ok := nearest(start, lineWords); ok && word != start.Value {
			s.wrongLine(start)
			return nil
		}
		s.expected(`"->", "fails", "checkpoint" or "lost"`)
		s.advise(meantLine(start, t))
	default:
		s.expected(`"->", "fails", "checkpoint" or "lost"`)
	}
	n.Kind = t.Value
	if n.Kind != ast.IsLost {
		n.Costs = s.costs()
	}
	n.Node = s.node(start)
	return n
}

// lineHabits are words that begin a line elsewhere, and the one that is meant.
var lineHabits = map[string]string{
	"after": "wait", "sleep": "wait", "advance": "wait", "assert": "expect", "check": "expect", "then": "expect",
	"event": "send", "on": "send", "given": "", "when": "", "and": "",
}

// meantLine is advice about a line that begins with the name start, and goes on with found as no line does.
func meantLine(start, found *lexer.Token) string {
	meant, habit := lineHabits[start.Value]
	switch {
	case found.Pos.Line != start.Pos.Line:
		return ""
	case habit && meant == "":
		return "Leave \"" + start.Value + "\" out."
	case habit:
		return "Write \"" + meant + "\" instead."
	case is(found, "{"):
		return "Write \"send " + start.Value + " { … }\" for an event from outside."
	case found.Type == tokName:
		return "Write \"" + start.Value + " -> …\" with an event or \"done\", or \"" + start.Value + " fails …\"."
	}
	return ""
}

// costs are what an attempt has used; nil where nothing is said of it.
func (s *scenarioParser) costs() (list []*ast.Cost) {
	if !s.is("cost") || s.opensLine() {
		return nil
	}
	s.next()
	for more := true; more; more = s.punct(",") {
		start := s.lex.Peek()
		n := &ast.Cost{Name: s.name("the name of a cost")}
		if t := s.lex.Peek(); t.Type == tokNumber {
			n.Amount = s.literal(tokNumber, "")
		} else {
			n.Amount = s.literal(tokInt, "an amount such as 0.5")
		}
		n.Node = s.node(start)
		list = append(list, n)
	}
	return list
}

// opensLine reports whether the next token is the name of an activity that opens the next
// line: "cost lost", and not "cost lost 0.5".
func (s *scenarioParser) opensLine() bool {
	here := s.lex.MakeCheckpoint()
	defer s.lex.LoadCheckpoint(here)
	s.lex.Next()
	next := *s.lex.Peek()
	s.lex.Next()
	third := s.lex.Peek()
	amount := third.Type == tokInt || third.Type == tokNumber
	return is(&next, "->") || is(&next, "[") || !amount && next.Type == tokName && (next.Value == ast.Fails || next.Value == ast.Checkpoints || next.Value == ast.IsLost)
}

func (s *scenarioParser) answer() *ast.Answer {
	start := s.next()
	n := &ast.Answer{Guard: s.name("the name of a guard")}
	s.want("=", `"="`)
	if s.is("true") || s.is("false") {
		n.Value = s.literal(tokName, "")
	} else {
		s.expected(`"true" or "false"`)
	}
	n.Node = s.node(start)
	return n
}

func (s *scenarioParser) expect() *ast.Expect {
	start := s.next()
	n := &ast.Expect{}
	behind := second(s.lex)
	named := behind.Type == tokName && behind.Value != "is"
	switch {
	case s.is(ast.ExpectRefused), s.is(ast.ExpectEnded), s.is(ast.ExpectHalted):
		n.Kind = s.next().Value
	case s.is(ast.ExpectAttempt) && behind.Type == tokInt:
		n.Kind = s.next().Value
		n.Count = s.literal(tokInt, anInt)
		s.want("of", `"of"`)
		n.Name, n.Index = s.attempt()
	case s.is(ast.ExpectPublished) && named:
		n.Kind = s.next().Value
		n.Name, n.Payload = s.name(anEvent), s.payload()
	case s.is(ast.ExpectWaiting) && named:
		n.Kind = s.next().Value
		n.Name, n.Index = s.attempt()
	default:
		n.X = s.expr()
		if t := s.lex.Peek(); s.is("=") || s.is(",") || s.is("(") { // what is expected is not known
			s.wrongLine(t)
		}
	}
	s.behindExpect(n)
	n.Node = s.node(start)
	return n
}

// behindExpect fails where what follows n on its line opens no other one.
func (s *scenarioParser) behindExpect(n *ast.Expect) {
	t := s.lex.Peek()
	next := second(s.lex).Value
	if s.failed || t.Type != tokName || t.Pos.Line != previous(s.lex).Pos.Line || slices.Contains(lineWords, t.Value) ||
		s.namesActivity() || next == ast.Checkpoints || next == ast.IsLost {
		return
	}
	help := "An \"expect\" takes a state, a condition, or \"refused\", \"ended\", \"halted\", \"attempt 2 of a\", \"published E { f = 1 }\" or \"waiting a\"."
	switch {
	case n.Kind == ast.ExpectPublished && next == "=":
		help = "Write the fields in braces: \"published " + n.Name.Text + " { " + t.Value + " = … }\"."
	case t.Value == "is":
		help = "Write \"==\" to compare: \"is\" stands before \"set\" and \"not set\"."
	}
	s.failed, s.fault = true, &fault{span: span(t), message: "unexpected " + describe(t) + " behind what is expected", help: help}
}

func (s *scenarioParser) repeat() *ast.Repeat {
	start := s.next()
	n := &ast.Repeat{Count: s.literal(tokInt, anInt), Lines: s.lines()}
	n.Node = s.node(start)
	return n
}
