package resolve

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// doneWord stands in a scenario for what an activity says that has nothing to say.
const doneWord = "done"

func (s *scenarioResolver) lines(list []ast.Line) (out []*ir.ScenarioLine) {
	for _, src := range list {
		line := &ir.ScenarioLine{Span: src.Span(), Element: -1}
		out = append(out, line)
		switch src := src.(type) {
		case *ast.Send:
			s.send(src, line)
		case *ast.Ending:
			s.ending(src, line)
		case *ast.Wait:
			line.Kind = ir.WaitLine
			line.Wait = s.number(src.For, parseDuration)
		case *ast.CancelLine:
			line.Kind = ir.CancelRunLine
		case *ast.Answer:
			s.answer(src, line)
		case *ast.Expect:
			s.expect(src, line)
		case *ast.Repeat:
			line.Kind, line.Count = ir.RepeatLine, s.number(src.Count, parseInt)
			line.Lines = s.lines(src.Lines)
		default:
			s.lost()
		}
	}
	return out
}

// number is the value of a literal.
func (s *scenarioResolver) number(src *ast.Literal, parse func(string, bool) (int64, *fault)) int64 {
	if src == nil {
		s.lost()
		return 0
	}
	n, wrong := parse(src.Text, false)
	if wrong != nil {
		s.badLiteral(src, wrong)
	}
	return n
}

func (s *scenarioResolver) send(src *ast.Send, line *ir.ScenarioLine) {
	line.Kind, line.Name, line.Refused = ir.SendLine, textOf(src.Event), src.Refused
	e, exact, ok := guess(s.resolver, s.events, src.Event)
	if !ok || !exact {
		return
	}
	if !e.External() && !src.Refused {
		s.mismatch(src.Event.Span(), "event "+quote(e.Name)+" is raised by activities, and cannot be sent",
			"Write `"+e.Raisers[0].Name+" -> "+e.Name+"`, or `refused` behind the line where that is what you test.")
		return
	}
	line.Data = s.fields(e, src.Event, src.Payload, true)
}

// dos are those that name means.
func (s *scenarioResolver) dos(name *ast.Name) []*ir.Do {
	if !present(name) {
		s.lost()
		return nil
	}
	out := s.dosOf(name)
	if len(out) == 0 {
		s.lost()
	}
	return out
}

// attempt notes which attempt line speaks of, and gives the dos that it may be of.
func (s *scenarioResolver) attempt(name *ast.Name, index *ast.Literal, line *ir.ScenarioLine) []*ir.Do {
	line.Do = textOf(name)
	dos := s.dos(name)
	if index == nil {
		return dos
	}
	line.Element = int(min(s.number(index, parseInt), ir.MaxElements))
	if len(dos) > 0 && !slices.ContainsFunc(dos, func(d *ir.Do) bool { return d.Fan != nil }) {
		s.mismatch(index.Span(), quote(line.Do)+" runs once, and not for each element of a list", "Leave the index out.")
	}
	return dos
}

func (s *scenarioResolver) ending(src *ast.Ending, line *ir.ScenarioLine) {
	line.Kind = map[string]ir.LineKind{
		ast.Returns: ir.ResultLine, ast.Fails: ir.FailureLine, ast.Checkpoints: ir.CheckpointLine, ast.IsLost: ir.LostLine,
	}[src.Kind]
	dos := s.attempt(src.Do, src.Index, line)
	line.Costs = s.used(src.Costs)
	if len(dos) == 0 {
		return
	}
	switch line.Kind {
	case ir.ResultLine:
		s.result(dos, src, line)
	case ir.FailureLine:
		s.failure(dos, src, line)
	}
}

// used are costs that the machine, or one that it calls, declares.
func (s *scenarioResolver) used(list []*ast.Cost) (out []ir.Cost) {
	for _, c := range list {
		if !present(c.Name) {
			s.lost()
			continue
		}
		if _, exact, ok := guess(s.resolver, s.costs, c.Name); !ok || !exact {
			continue
		}
		s.referShared(c.Name, ir.CostName, s.firstCosts)
		if i := slices.IndexFunc(out, func(o ir.Cost) bool { return o.Name == c.Name.Text }); i >= 0 {
			s.second(c.Name.Span(), "cost "+quote(c.Name.Text)+" is listed twice", "Remove one of the two.", out[i].Span)
			continue
		}
		if amount := s.ratOf(c.Amount, nil); amount != nil {
			out = append(out, ir.Cost{Name: c.Name.Text, Amount: amount, Span: c.Span()})
		}
	}
	return out
}

func (s *scenarioResolver) result(dos []*ir.Do, src *ast.Ending, line *ir.ScenarioLine) {
	if !present(src.Name) {
		s.lost()
		return
	}
	results := map[string]*ir.Event{}
	silent := false
	for _, d := range dos {
		silent = silent || d.Activity.Silent()
		for _, e := range d.Activity.Results {
			// Machines under one label may have terminals of one name, with other fields.
			if old := results[e.Exit()]; old == nil || !fits(old, src.Payload) {
				results[e.Exit()] = e
			}
		}
	}
	name := src.Name.Text
	if e := results[name]; e != nil {
		line.Name = e.Exit()
		s.referResult(src.Name, e)
		line.Data = s.fields(e, src.Name, src.Payload, true)
		return
	}
	if name == doneWord && silent {
		if src.Payload != nil {
			s.mismatch(src.Payload.Span(), quote(line.Do)+" has nothing to say", "Remove the fields.")
		}
		return
	}
	help := "Write `" + line.Do + " -> done`: it has nothing to say."
	if len(results) > 0 {
		help = "It ends with " + alternatives(results) + "."
	}
	s.misspelt(unknownName, src.Name.Span(), quote(line.Do)+" does not end with "+quote(name), help, near(s.resolver, name, results))
}

// fits reports whether e has the fields that are given, and no other that must be.
func fits(e *ir.Event, given *ast.Payload) bool {
	left := map[string]bool{} // whether it may be absent
	for _, f := range ir.Declarations(e.Fields) {
		left[f.Name] = f.Optional
	}
	if given != nil {
		for _, v := range given.Fields {
			if _, ok := left[textOf(v.Name)]; !ok {
				return false
			}
			delete(left, v.Name.Text)
		}
	}
	for _, optional := range left {
		if !optional {
			return false
		}
	}
	return true
}

// referResult notes what the name of a result means.
func (s *scenarioResolver) referResult(name *ast.Name, e *ir.Event) {
	if e.Terminal != nil {
		s.refer(name, ir.TerminalName, &e.Span.Start)
		return
	}
	s.referTo(name, e)
}

// alternatives are the keys of known, in words.
func alternatives[T any](known map[string]T) string {
	var names []string
	for name := range known {
		names = append(names, quote(name))
	}
	slices.Sort(names)
	return strings.Join(names, " or ")
}

func (s *scenarioResolver) failure(dos []*ir.Do, src *ast.Ending, line *ir.ScenarioLine) {
	s.literalText(src.Message, &line.Message)
	if !present(src.Name) {
		s.lost()
		return
	}
	line.Name = src.Name.Text
	known := map[string]*ir.Category{}
	for _, d := range dos {
		for _, c := range s.m.FailuresOf(d) {
			known[c.Name] = c
		}
	}
	if c := known[line.Name]; c != nil {
		s.referTo(src.Name, c)
		return
	}
	s.misspelt(unknownName, src.Name.Span(), quote(line.Do)+" does not fail with "+quote(line.Name), "It fails with "+alternatives(known)+".",
		near(s.resolver, line.Name, known))
}

func (s *scenarioResolver) answer(src *ast.Answer, line *ir.ScenarioLine) {
	line.Kind, line.Name = ir.AnswerLine, textOf(src.Guard)
	line.Yes = src.Value != nil && src.Value.Text == "true"
	guess(s.resolver, s.guards, src.Guard)
}

func (s *scenarioResolver) expect(src *ast.Expect, line *ir.ScenarioLine) {
	switch src.Kind {
	case ast.ExpectRefused:
		line.Kind = ir.ExpectRefusedLine
	case ast.ExpectEnded:
		line.Kind = ir.ExpectEndedLine
	case ast.ExpectHalted:
		line.Kind = ir.ExpectHaltedLine
	case ast.ExpectAttempt:
		line.Kind, line.Count = ir.ExpectAttemptLine, s.number(src.Count, parseInt)
		s.attempt(src.Name, src.Index, line)
	case ast.ExpectWaiting:
		line.Kind = ir.ExpectWaitingLine
		s.attempt(src.Name, src.Index, line)
	case ast.ExpectPublished:
		line.Kind, line.Name = ir.ExpectPublishedLine, textOf(src.Name)
		if e, exact, ok := guess(s.resolver, s.events, src.Name); ok && exact {
			line.Data = s.fields(e, src.Name, src.Payload, false)
		}
	default:
		s.condition(src.X, line)
	}
}

// condition is a state, or what has to be true.
func (s *scenarioResolver) condition(src ast.Expr, line *ir.ScenarioLine) {
	if path := pathOf(src); path != nil && (s.inSight(s.root, path.Names[0].Text) || s.bearers()[path.Names[0].Text] != nil) {
		line.Kind, line.State = ir.ExpectStateLine, s.loneTarget(s.root, path)
		return
	}
	if id, ok := src.(*ast.Ident); ok && s.vars.names[id.Name] == nil {
		if nearest := near(s.resolver, id.Name, s.bearers()); nearest != "" || near(s.resolver, id.Name, s.vars.names) == "" {
			s.misspelt(unknownName, src.Span(), "unknown state or field "+quote(id.Name), "Name a state, or write what has to be true.", nearest)
			return
		}
	}
	line.Kind = ir.ExpectLine
	e := s.expr(src, scope{})
	if isBad(e) {
		s.lost()
		return
	}
	if e.Type().Kind != ir.Bool {
		s.mismatch(e.Span(), "what is expected is a state or a bool, and this is "+diag.Article(named(e.Type())), "Compare it with something.")
		return
	}
	if calls := ir.GuardCalls(e); len(calls) > 0 {
		name := calls[0].Guard.Name
		s.mismatch(calls[0].At, "a scenario cannot ask host guard "+quote(name), "Say what it answers, `guard "+name+" = true`, and expect the state that follows.")
		return
	}
	line.Cond = e
}

// pathOf is src as a path of names; nil where it is none.
func pathOf(src ast.Expr) *ast.Path {
	path := &ast.Path{}
	if src == nil {
		return nil
	}
	path.Pos, path.EndPos = src.Span().Start, src.Span().End
	switch src := src.(type) {
	case *ast.Ident:
		path.Names = []*ast.Name{{Node: src.Node, Text: src.Name}}
	case *ast.Selector:
		path.Names = []*ast.Name{src.X, src.Sel}
	case *ast.Member:
		inner := pathOf(src.X)
		if inner == nil {
			return nil
		}
		path.Names = append(inner.Names, src.Sel)
	default:
		return nil
	}
	return path
}
