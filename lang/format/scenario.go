package format

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
)

func (p *printer) scenario(s *ast.Scenario) {
	p.text("scenario ")
	p.literal(s.Title)
	p.text(" of ")
	p.name(s.Machine)
	if len(s.Args) > 0 {
		p.text("(")
		filled(p, s.Args, ",", (*printer).recordValue)
		p.text(")")
	}
	p.text(" ")
	body(p, s.EndPos, s.Lines, p.scenarioLine)
}

func (p *printer) scenarioLine(l ast.Line) {
	switch l := l.(type) {
	case *ast.Send:
		p.named("send", l.Event)
		p.payload(l.Event, l.Payload)
		if l.Refused {
			p.text(" refused")
		}
	case *ast.Ending:
		p.ending(l)
	case *ast.Wait:
		p.text("wait ")
		p.literal(l.For)
	case *ast.CancelLine:
		p.token(l, "cancel")
	case *ast.Answer:
		p.named("guard", l.Guard)
		p.text(" = ")
		p.literal(l.Value)
	case *ast.Expect:
		p.expect(l)
	case *ast.Repeat:
		p.text("repeat ")
		p.literal(l.Count)
		p.text(" ")
		body(p, l.EndPos, l.Lines, p.scenarioLine)
	default:
		panic(unprintable(l))
	}
	p.srcLine = l.Span().End.Line
}

// attempt is the name of an activity, and the index of the element that it runs for.
func (p *printer) attempt(name *ast.Name, index *ast.Literal) {
	p.name(name)
	if index != nil {
		p.text("[")
		p.literal(index)
		p.text("]")
	}
}

func (p *printer) ending(l *ast.Ending) {
	p.attempt(l.Do, l.Index)
	p.text(" " + l.Kind)
	if l.Name != nil {
		p.text(" ")
		p.name(l.Name)
		p.payload(l.Name, l.Payload)
	}
	p.given(" ", l.Message)
	if len(l.Costs) > 0 {
		p.text(" cost ")
		filled(p, l.Costs, ",", (*printer).cost)
	}
}

func (p *printer) expect(l *ast.Expect) {
	p.text("expect ")
	switch l.Kind {
	case "":
		p.expr(l.X)
		return
	case ast.ExpectAttempt:
		p.text("attempt ")
		p.literal(l.Count)
		p.text(" of ")
		p.attempt(l.Name, l.Index)
		return
	}
	p.text(l.Kind)
	if l.Name != nil {
		p.text(" ")
		p.attempt(l.Name, l.Index)
		p.payload(l.Name, l.Payload)
	}
}

// payload is the fields behind the name of an event, if there are any.
func (p *printer) payload(of *ast.Name, n *ast.Payload) {
	if n == nil {
		return
	}
	p.text(" ")
	braced(p, of.Pos, n.EndPos, n.Fields, (*printer).recordValue, nil)
}
