package golang

import (
	"slices"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// A machine that is called runs as a child: the engine starts it, so a program calls
// nothing of it. It has to be registered before the machine that calls it. One of the same
// package has a function for that; of one of another package the definition stands in the
// file, since the import of that package would need its path, and cycles of folders are
// allowed in the source but not in Go.

// planCalls plans how the machines that m calls are registered; own are those of the file.
func (m *machinePlan) planCalls(p *planner, own []*ir.Machine, o codegen.SourceOptions) {
	away := map[*ir.Machine]bool{}
	for _, a := range m.src.Activities {
		switch callee := a.Machine; {
		case callee == nil:
		case slices.Contains(own, callee) || o.Elsewhere == nil || !o.Elsewhere(m.src.Span, callee.Span):
			m.Calls = append(m.Calls, registering(callee))
		default:
			m.addAway(callee, o.Definition, away)
		}
	}
	if len(m.Away) > 0 {
		p.declare(m.low+"Called", m.src.Span)
	}
}

// registering is the call that registers m without functions for its activities and guards.
func registering(m *ir.Machine) string {
	return "Register" + exported(m.Name) + "(engine" + when(len(sideEffects(m)) > 0, ", nil") + when(len(m.Guards) > 0, ", nil") + ")"
}

// addAway adds the definition of callee, behind those of the machines that it calls.
func (m *machinePlan) addAway(callee *ir.Machine, definition func(*ir.Machine) []byte, known map[*ir.Machine]bool) {
	if known[callee] {
		return
	}
	known[callee] = true
	for _, a := range callee.Activities {
		if a.Machine != nil {
			m.addAway(a.Machine, definition, known)
		}
	}
	m.Away = append(m.Away, string(definition(callee)))
}

// sideEffects are the activities of m that a program does: no machines.
func sideEffects(m *ir.Machine) []*ir.Activity {
	return slices.DeleteFunc(slices.Clone(m.Activities), func(a *ir.Activity) bool { return a.Machine != nil })
}

// addExit plans the event of a child's terminal, which has no name in the binding: its payload
// stands in generated tests alone. A core takes it as it takes any result.
func (m *machinePlan) addExit(e *ir.Event) {
	fields := &structPlan{}
	typ := "struct{ "
	for _, f := range ir.Declarations(e.Fields) { // all of it is there
		field := m.field(exported(f.Name), f, false)
		fields.Fields = append(fields.Fields, field)
		typ += field.Name + " " + field.Type + " `json:" + quote(f.Name) + "`; "
	}
	fields.Type = typ + "}"
	m.ev[e] = &eventPlan{src: e, Name: e.Name, Payload: fields}
}

// notInCore reports something that a core does not have, and what to do instead.
func (p *planner) notInCore(m *ir.Machine, at token.Span, message, help string) {
	p.list.Add(diag.Diagnostic{Rule: "not-yet", Severity: diag.Error, Machine: m.Name, Span: at, Message: message, Help: help})
}

// registerCalls writes what registers the machines that m calls.
func (p *printer) registerCalls(m *machinePlan) {
	for _, call := range m.Calls {
		p.f("if err := %s; err != nil {\nreturn err\n}", call)
	}
	if len(m.Away) > 0 {
		p.f("for _, called := range %sCalled {", m.low)
		p.f("if err := engine.Register(runtime.MustCompile(called), \"\", runtime.Handlers{}); err != nil {\nreturn err\n}\n}")
	}
}

// away writes the definitions of machines of other packages.
func (p *printer) away(m *machinePlan) {
	if len(m.Away) == 0 {
		return
	}
	p.f("// %sCalled are the machines of other packages that run as children, those that are", m.low)
	p.f("// called before those that call them.")
	p.f("var %sCalled = []string{", m.low)
	for _, definition := range m.Away {
		p.f("%s,", jsonLiteral(definition))
	}
	p.f("}\n")
}
