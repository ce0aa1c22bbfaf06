package resolve

import (
	"encoding/json"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// pending is a scenario whose machine has been found, and may not have been resolved.
type pending struct {
	src *ast.Scenario
	r   *resolver // of the machine; nil where there is none
	c   callable
}

// scenariosOf are the scenarios of a file.
type scenariosOf struct {
	file *file
	list []pending
}

// findScenarios finds the machines of the scenarios of f, as long as f knows what it imports.
func (f *file) findScenarios() (out []pending) {
	for src := range ast.Of[*ast.Scenario](f.src.Decls) {
		p := pending{src: src}
		switch c, known := f.callables[textOf(src.Machine)]; {
		case known:
			if c.imp != nil {
				c.imp.Used = true
			}
			p.c, p.r = c, c.file.resolverOf(c.src)
		case present(src.Machine):
			f.noMachine(src.Machine)
		}
		out = append(out, p)
	}
	return out
}

// noMachine reports that no machine is called name, which says nothing of the file.
func (f *file) noMachine(name *ast.Name) {
	broken := f.m.Broken
	here := *f.resolver
	here.file = f
	here.unknownMachine(name)
	f.m.Broken = broken
}

// scenarios resolves scenarios of f, once all machines are resolved. What is wrong with them
// is reported there, and says nothing of their machines.
func (f *file) scenarios(list []pending) (out []*ir.Scenario) {
	titles := map[string]token.Span{}
	for _, p := range list {
		s := &scenarioResolver{out: &ir.Scenario{Span: p.src.Title.Span(), Body: p.src.Span()}}
		out = append(out, s.out)
		if p.r == nil {
			s.out.Broken = true
			s.out.Title, _ = parseString(p.src.Title.Text)
			continue
		}
		s.resolve(f, p, titles)
	}
	return out
}

// literalText reads a string, and reports one that is none.
func (r *resolver) literalText(src *ast.Literal, into *string) {
	if src == nil {
		return
	}
	text, wrong := parseString(src.Text)
	if wrong != nil {
		r.badLiteral(src, wrong)
	}
	*into = text
}

// scenarioResolver resolves one scenario with the names of its machine.
type scenarioResolver struct {
	*resolver
	out *ir.Scenario
}

func (s *scenarioResolver) resolve(f *file, p pending, titles map[string]token.Span) {
	m := p.r.m
	before := *m
	s.out.Machine, s.out.Broken = m, m.Broken || m.Incomplete
	if s.out.Broken && !p.c.file.named {
		f.noteFaults(p.c.imp.Span, p.c.file, nil)
	}
	here := *p.r
	here.unit = f.unit // what is wrong is reported in this file
	s.resolver = &here
	m.Broken, m.Incomplete = false, before.Incomplete
	f.refer(p.src.Machine, ir.MachineName, &m.Span.Start)
	s.title(p.src, titles)
	s.out.Params = s.params(p.src)
	s.out.Lines = s.lines(p.src.Lines)
	s.out.Broken = s.out.Broken || m.Broken
	*m = before
}

// title is told apart from those of other scenarios of the file.
func (s *scenarioResolver) title(src *ast.Scenario, titles map[string]token.Span) {
	s.literalText(src.Title, &s.out.Title)
	if first, taken := titles[s.out.Title]; taken {
		s.report(duplicateName, src.Title.Span(), "a second scenario called "+quote(s.out.Title), "Give each a title of its own.",
			related(first, "the first is here"))
		return
	}
	titles[s.out.Title] = src.Title.Span()
}

// params are the parameters of the run.
func (s *scenarioResolver) params(src *ast.Scenario) []byte {
	return s.object(src.Machine.Span(), "machine "+quote(s.m.Name), "parameter", ir.Declarations(s.m.Params), src.Args, true, func(name *ast.Name, _ *ir.Field) {
		s.referTo(name, s.vars.names[name.Text])
	})
}

// fields are those of an event. Where they are what is expected, some may be left out.
func (s *scenarioResolver) fields(e *ir.Event, at *ast.Name, src *ast.Payload, whole bool) []byte {
	var values []*ast.RecordValue
	if src != nil {
		values = src.Fields
	}
	return s.object(at.Span(), "event "+quote(e.Exit()), "field", ir.Declarations(e.Fields), values, whole, func(name *ast.Name, _ *ir.Field) {
		s.referTo(name, s.payload[e][name.Text])
	})
}

// object is the JSON of values, which are handed over to what takes list.
func (s *scenarioResolver) object(at token.Span, of, kind string, list []*ir.Field, values []*ast.RecordValue, whole bool, refer func(*ast.Name, *ir.Field)) []byte {
	out, seen, known := map[string]json.RawMessage{}, map[string]*ast.Name{}, map[string]*ir.Field{}
	for _, g := range list {
		known[g.Name] = g
	}
	for _, v := range values {
		if !present(v.Name) {
			continue
		}
		g, ok := known[v.Name.Text]
		if first := seen[v.Name.Text]; first != nil {
			s.second(v.Span(), kind+" "+quote(v.Name.Text)+" is given twice", "Remove one of the two.", first.Span())
			continue
		}
		seen[v.Name.Text] = v.Name
		if !ok {
			s.misspelt(unknownName, v.Name.Span(), of+" has no "+kind+" "+quote(v.Name.Text), "Remove it, or declare it.", near(s.resolver, v.Name.Text, known))
			continue
		}
		refer(v.Name, g)
		if text, ok := s.value(v.Value, g.Type, kind+" "+quote(g.Name)); ok && text != nil {
			out[g.Name] = text
		} else if ok && !g.Optional {
			s.mismatch(v.Value.Span(), kind+" "+quote(g.Name)+" is never absent", "Write a value.")
		}
	}
	for _, g := range list {
		if whole && !g.Optional && seen[g.Name] == nil && !s.m.Incomplete {
			s.mismatch(at, of+" is missing its "+kind+" "+quote(g.Name)+", "+diag.Article(named(g.Type)), "Give it a value.")
		}
	}
	text, _ := json.Marshal(out) // of texts that are JSON
	return text
}
