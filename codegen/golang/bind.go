package golang

import (
	"fmt"
	"slices"
	"strings"
)

// binding writes what a program calls of a machine that the runtime runs.
func (p *printer) binding(m *machinePlan) {
	p.stateNames(m)
	p.eventNames(m)
	for _, e := range m.Enums {
		p.enumNames(e)
	}
	p.failures(m)
	p.bounds(m)
	p.records(m.Records, true)
	p.structs(m, true)
	p.events(m)
	p.guards(m)
	p.activities(m)
	p.register(m)
	p.runs(m)
	p.away(m)
	p.definition(m)
}

// names writes constants of a type of strings, and of no type where typ is empty.
func (p *printer) names(doc, typ string, values []constPlan) {
	p.f("// %s\nconst (", doc)
	for _, v := range values {
		p.f("%s %s = %s", v.Name, typ, quote(v.Value))
	}
	p.f(")\n")
}

func (p *printer) stateNames(m *machinePlan) {
	typ := m.Name + "State"
	p.docOf(typ, m.Doc, "is a state of machine "+m.src.Name+"; the zero value is none.")
	p.f("type %s string\n", typ)
	p.f("// The states of %s, in the order of the source.", m.src.Name)
	p.f("const (")
	for _, s := range m.States {
		p.doc(s.Doc)
		p.f("%s %s = %s%s", s.Const, typ, quote(s.Path), outcomeNote(s.Outcome))
	}
	p.f(")\n")
	p.f("// MachineName is the name in the source.")
	p.f("func (%s) MachineName() string { return %s }\n", typ, quote(m.src.Name))
}

func (p *printer) eventNames(m *machinePlan) {
	if len(m.Events) == 0 {
		return
	}
	typ := m.Name + "Event"
	p.f("// %s names an event of machine %s; the zero value is none.", typ, m.src.Name)
	p.f("type %s string\n", typ)
	var values []constPlan
	for _, e := range m.Events {
		values = append(values, constPlan{e.Const, e.Name})
	}
	p.names("The events of "+m.src.Name+", in the order of the source.", typ, values)
}

func (p *printer) enumNames(e *enumPlan) {
	p.docOf(e.Type, e.Doc, "is one of the values below; the zero value is none.")
	p.f("type %s string\n", e.Type)
	p.names("The values of "+e.Type+".", e.Type, e.Values)
}

func (p *printer) failures(m *machinePlan) {
	if len(m.Failures) == 0 {
		return
	}
	p.names("The categories of failure that "+m.src.Name+" declares, for runtime.Fail.", "", m.Failures)
}

// events writes what makes an event of a payload.
func (p *printer) events(m *machinePlan) {
	first := true
	for _, e := range m.Events {
		if !e.Sent && !e.Raised {
			continue
		}
		if first {
			p.f("// FSMEvent is the name of the event. Events that are sent have it, and those that activities raise.")
			first = false
		}
		p.f("func (%s) FSMEvent() string { return %s }", e.Payload.Type, quote(e.Name))
	}
	sent := slices.DeleteFunc(slices.Clone(m.Events), func(e *eventPlan) bool { return !e.Sent })
	p.f("")
	p.sealed(m.Name+"Sendable", "is an event that may be sent to a run of "+m.src.Name, sent)
}

// sealed writes an interface that is one of some events and nothing else.
func (p *printer) sealed(typ, what string, events []*eventPlan) {
	var names []string
	for _, e := range events {
		names = append(names, e.Payload.Type)
	}
	list := ": " + strings.Join(names, ", ")
	if len(names) == 0 {
		list = "; there is none"
	}
	p.doc(typ + " " + what + list + ".")
	p.f("type %s interface {\nFSMEvent() string\n%s()\n}\n", typ, unexported(typ))
	for _, name := range names {
		p.f("func (%s) %s() {}", name, unexported(typ))
	}
	p.f("")
}

// signature is the parameters of a method, after those that all have.
func signature(params []paramPlan) string {
	var b strings.Builder
	for _, q := range params {
		fmt.Fprintf(&b, ", %s %s", q.Name, q.Type)
	}
	return b.String()
}

// results is what an activity's method returns.
func (a *activityPlan) results() string {
	switch len(a.Results) {
	case 0:
		return "error"
	case 1:
		return "(" + a.Results[0].Payload.Type + ", error)"
	}
	return "(" + a.Sum + ", error)"
}

func (p *printer) activities(m *machinePlan) {
	if len(m.Activities) == 0 {
		return
	}
	p.f("// %sActivities do the work of %s. Each method is one attempt: it may be", m.Name, m.src.Name)
	p.f("// called again for the same execution, with the same attempt.Key. Its context is")
	p.f("// cancelled when the run has moved on. An error is a failure of category unknown,")
	p.f("// unless it says another.")
	p.f("type %sActivities interface {", m.Name)
	for _, a := range m.Activities {
		p.doc(a.Doc)
		runs := when(len(a.Runs) > 0, " // in "+strings.Join(a.Runs, ", "))
		p.f("%s(ctx context.Context, attempt *runtime.Attempt%s) %s%s", a.Method, signature(a.Params), a.results(), runs)
	}
	p.f("}\n")
	for _, a := range m.Activities {
		if a.Sum != "" {
			p.sealed(a.Sum, "is what activity "+a.Name+" raises", a.Results)
		}
	}
}

func (p *printer) guards(m *machinePlan) {
	if len(m.Guards) == 0 {
		return
	}
	p.f("// %sGuards answer what %s asks the host. They answer by their arguments alone,", m.Name, m.src.Name)
	p.f("// and soon: the step waits for them.")
	p.f("type %sGuards interface {", m.Name)
	for _, g := range m.Guards {
		p.doc(g.Doc)
		p.f("%s(%s) (bool, error)", g.Method, strings.TrimPrefix(signature(g.Params), ", "))
	}
	p.f("}\n")
}

// register writes the function that gives machine and activities to an engine.
func (p *printer) register(m *machinePlan) {
	params := when(len(m.Activities) > 0, ", activities "+m.Name+"Activities") + when(len(m.Guards) > 0, ", guards "+m.Name+"Guards")
	p.f("// Register%s lets engine run machine %s.", m.Name, m.src.Name)
	if params != "" {
		p.f("// What is nil is left to others: the engine starts runs, sends to them, fires")
		p.f("// their timers and delivers what they publish.")
	}
	if len(m.Calls)+len(m.Away) > 0 {
		p.f("// The machines that it calls are registered first; those that do their work")
		p.f("// register them with their activities, before or after.")
	}
	p.f("func Register%s(engine *runtime.Engine%s) error {", m.Name, params)
	p.registerCalls(m)
	if params == "" {
		p.f("return engine.Register(%sMachine(), %sSource, runtime.Handlers{})\n}\n", m.Name, m.low)
		return
	}
	p.f("var handlers runtime.Handlers")
	if len(m.Activities) > 0 {
		p.f("if activities != nil {\nhandlers.Activities = map[string]runtime.ActivityFunc{")
		for _, a := range m.Activities {
			p.f("%s: runtime.ActivityOf(activities.%s%s),", quote(a.Name), a.Method, jsonNames(a.Params))
		}
		p.f("}\n}")
	}
	if len(m.Guards) > 0 {
		p.f("if guards != nil {\nhandlers.Guards = map[string]runtime.GuardFunc{")
		for _, g := range m.Guards {
			p.f("%s: runtime.GuardOf(guards.%s%s),", quote(g.Name), g.Method, jsonNames(g.Params))
		}
		p.f("}\n}")
	}
	p.f("return engine.Register(%sMachine(), %sSource, handlers)\n}\n", m.Name, m.low)
}

// jsonNames are the names of parameters as further arguments of a call.
func jsonNames(params []paramPlan) string {
	var b strings.Builder
	for _, q := range params {
		b.WriteString(", " + quote(q.JSON))
	}
	return b.String()
}

// runs writes the typed door to the runs of a machine on an engine.
func (p *printer) runs(m *machinePlan) {
	p.f("// %[1]sRuns starts runs of %[2]s, sends them events and looks at them:", m.Name, m.src.Name)
	p.f("// %sRuns{Engine: engine}.", m.Name)
	p.f("type %[1]sRuns = runtime.Runs[%[1]sState, %[1]sParams, %[1]sData, %[1]sSendable]\n", m.Name)
	p.f("// %sRun is a run as it stood when it was looked at.", m.Name)
	p.f("type %[1]sRun = runtime.Run[%[1]sState, %[1]sParams, %[1]sData]\n", m.Name)
	for _, s := range m.States {
		if s.Result != nil {
			p.f("// FSMTerminal is the terminal that hands it back, for runtime.ResultOf.")
			p.f("func (%s) FSMTerminal() %sState { return %s }\n", s.Result.Type, m.Name, s.Const)
		}
	}
}

// definition writes the compiled machine, and the text from which it was compiled.
func (p *printer) definition(m *machinePlan) {
	p.f("// %sMachine is machine %s as the runtime runs it.", m.Name, m.src.Name)
	p.f("var %sMachine = sync.OnceValue(func() *runtime.Machine { return runtime.MustCompile(%sDefinition) })\n", m.Name, m.low)
	p.f("// %sSource is the text from which the machine was compiled.", m.low)
	if m.Embed != "" {
		p.embeds = true
		p.f("//\n//go:embed %s\nvar %sSource string\n", m.Embed, m.low)
	} else {
		p.f("const %sSource = %s\n", m.low, literal(m.Text))
	}
	p.f("// %sDefinition is the compiled machine.", m.low)
	p.f("const %sDefinition = %s\n", m.low, jsonLiteral(m.Definition))
}
