package golang

import (
	"fmt"
	"strings"
)

const runtimePath = "github.com/fsmc-dev/fsmc/runtime"

// binding writes what stands between the machine and the runtime.
func (p *printer) binding(m *machinePlan) {
	p.to(apiPart)
	p.use(runtimePath)
	p.definition(m)
	p.failures(m)
	p.activities(m)
	p.register(m)
	p.runs(m)
}

func (p *printer) definition(m *machinePlan) {
	p.to(jsonPart)
	p.f("// %sDefinition is the compiled machine.", m.low)
	p.f("const %sDefinition = %s\n", m.low, jsonLiteral(m.Definition))
	p.f("// %sSource is the text from which the machine was compiled.", m.low)
	p.f("const %sSource = %s\n", m.low, literal(m.Text))
	p.to(apiPart)
	p.use("sync")
	p.f("// %sMachine is machine %s as the runtime runs it.", m.Name, m.src.Name)
	p.f("var %sMachine = sync.OnceValue(func() *runtime.Machine { return runtime.MustCompile(%sDefinition) })\n", m.Name, m.low)
}

func (p *printer) failures(m *machinePlan) {
	for _, c := range m.Failures {
		p.f("// %s is a failure of category %s, which an activity returns as its error.", c.Name, c.Value)
		p.f("func %s(message string) error { return runtime.Fail(%s, message) }\n", c.Name, quote(c.Value))
	}
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
	p.f("// %sActivities do the work of %s. Each method is one attempt: it may be", m.Name, m.src.Name)
	p.f("// called again for the same execution, with the same attempt.Key. Its context is")
	p.f("// cancelled when the run has moved on. An error is a failure of category unknown,")
	p.f("// unless it says another.")
	p.f("type %sActivities interface {", m.Name)
	for _, a := range m.Activities {
		p.use("context")
		if a.Doc != "" {
			p.doc(a.Doc)
		}
		p.f("%s(ctx context.Context, attempt *runtime.Attempt%s) %s%s", a.Method, signature(a.Params), a.results(), runsIn(a.Runs))
		for _, q := range a.Params {
			p.typesUsed(q.Type)
		}
	}
	p.f("}\n")
	for _, a := range m.Activities {
		if a.Sum != "" {
			p.sum(a)
		}
	}
}

func runsIn(states []string) string {
	if len(states) == 0 {
		return ""
	}
	return " // in " + strings.Join(states, ", ")
}

// sum writes the sealed interface of an activity's results.
func (p *printer) sum(a *activityPlan) {
	var names []string
	for _, e := range a.Results {
		names = append(names, e.Payload.Type)
	}
	p.f("// %s is one of %s.", a.Sum, strings.Join(names, ", "))
	p.f("type %s interface{ %s() runtime.Result }\n", a.Sum, unexported(a.Sum))
	for _, e := range a.Results {
		p.f("func (e %s) %s() runtime.Result { return runtime.Result{Event: %s, Data: e} }\n", e.Payload.Type, unexported(a.Sum), quote(e.Name))
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
		if g.Doc != "" {
			p.doc(g.Doc)
		}
		p.f("%s(%s) (bool, error)", g.Method, strings.TrimPrefix(signature(g.Params), ", "))
		for _, q := range g.Params {
			p.typesUsed(q.Type)
		}
	}
	p.f("}\n")
}

// register writes the function that gives machine and activities to an engine.
func (p *printer) register(m *machinePlan) {
	guards := ""
	if len(m.Guards) > 0 {
		guards = ", guards " + m.Name + "Guards"
	}
	activities := "activities " + m.Name + "Activities"
	if len(m.Activities) == 0 {
		activities = "_ " + m.Name + "Activities"
	}
	var without []string
	if len(m.Activities) > 0 {
		without = append(without, "activities == nil")
	}
	if len(m.Guards) > 0 {
		without = append(without, "guards == nil")
	}
	p.f("// Register%s lets engine run machine %s with these activities.", m.Name, m.src.Name)
	if len(without) > 0 {
		p.f("// Given nil, the engine leaves them to others: it starts runs, sends to them,")
		p.f("// fires their timers and delivers what they publish.")
	}
	p.f("func Register%s(engine *runtime.Engine, %s%s) error {", m.Name, activities, guards)
	if len(without) > 0 {
		p.f("if %s {\nreturn engine.Register(%sMachine(), %sSource, runtime.Handlers{})\n}", strings.Join(without, " && "), m.Name, m.low)
	}
	p.f("return engine.Register(%sMachine(), %sSource, runtime.Handlers{", m.Name, m.low)
	if len(m.Activities) > 0 {
		p.f("Activities: map[string]runtime.ActivityFunc{")
		for _, a := range m.Activities {
			p.activityFunc(m, a)
		}
		p.f("},")
	}
	if len(m.Guards) > 0 {
		p.use("context", "encoding/json")
		p.f("Guards: map[string]runtime.GuardFunc{")
		for _, g := range m.Guards {
			data := "data"
			if len(g.Params) == 0 {
				data = "_"
			}
			p.f("%s: func(_ context.Context, %s json.RawMessage) (bool, error) {", quote(g.Name), data)
			p.decodeArgs(g.Args, g.Params, "data", "false, ")
			p.f("return guards.%s(%s)\n},", g.Method, strings.TrimPrefix(m.arguments(g.Params), ", "))
		}
		p.f("},")
	}
	p.f("})\n}\n")
	p.to(jsonPart)
	for _, a := range m.Activities {
		p.argsType(m, a.Args, a.Params)
	}
	for _, g := range m.Guards {
		p.argsType(m, g.Args, g.Params)
	}
	p.to(apiPart)
}

// activityFunc writes the untyped function behind a typed method.
func (p *printer) activityFunc(m *machinePlan, a *activityPlan) {
	p.f("%s: func(ctx context.Context, attempt *runtime.Attempt) (runtime.Result, error) {", quote(a.Name))
	p.decodeArgs(a.Args, a.Params, "attempt.Args", "runtime.Result{}, ")
	call := fmt.Sprintf("activities.%s(ctx, attempt%s)", a.Method, m.arguments(a.Params))
	switch len(a.Results) {
	case 0:
		p.f("return runtime.Result{}, %s", call)
	case 1:
		p.f("event, err := %s", call)
		p.f("return runtime.Result{Event: %s, Data: event}, err", quote(a.Results[0].Name))
	default:
		p.f("result, err := %s", call)
		p.use("errors")
		p.f("switch {\ncase err != nil:\nreturn runtime.Result{}, err\ncase result == nil:")
		p.f("return runtime.Result{}, errors.New(%s)\n}", quote("activity "+quote(a.Name)+" returned neither a result nor an error"))
		p.f("return result.%s(), nil", unexported(a.Sum))
	}
	p.f("},")
}

// decodeArgs writes the reading of arguments, where there are any.
func (p *printer) decodeArgs(typ string, params []paramPlan, from, zero string) {
	if len(params) == 0 {
		return
	}
	p.use("encoding/json")
	p.f("var args %s", typ)
	p.f("if err := json.Unmarshal(%s, &args); err != nil {\nreturn %serr\n}", from, zero)
}

// arguments are the decoded arguments of a call.
func (m *machinePlan) arguments(params []paramPlan) string {
	var b strings.Builder
	for _, q := range params {
		b.WriteString(", " + m.fromWire(q.typ, "args."+exported(q.JSON)))
	}
	return b.String()
}

func (p *printer) argsType(m *machinePlan, typ string, params []paramPlan) {
	if len(params) == 0 {
		return
	}
	p.f("type %s struct {", typ)
	for _, q := range params {
		p.typesUsed(m.wireType(q.typ))
		p.f("%s %s `json:%s`", exported(q.JSON), m.wireType(q.typ), quote(q.JSON))
	}
	p.f("}\n")
}
