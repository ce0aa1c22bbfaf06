package golang

import (
	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// planner decides names and finds those that collide.
type planner struct {
	declared  map[string]token.Span // top-level identifiers
	shared    map[*ir.Enum]*enumPlan
	records   map[*ir.Record]*recordPlan // that all machines of a package share
	elsewhere func(from, at token.Span) bool
	list      diag.List
}

func newPlan(machines []*ir.Machine, o codegen.SourceOptions) (*filePlan, diag.List) {
	p := &planner{declared: map[string]token.Span{}, shared: map[*ir.Enum]*enumPlan{}, records: map[*ir.Record]*recordPlan{}, elsewhere: o.Elsewhere}
	f := &filePlan{Package: o.Package, Source: o.Source, Core: o.Core}
	if !o.Core {
		for _, e := range o.Enums {
			f.Enums = append(f.Enums, p.sharedEnum(e))
		}
		for _, r := range o.Records {
			if p.shares(r.Span, r) {
				f.Records = append(f.Records, p.sharedRecord(r))
			}
		}
	}
	for _, m := range machines {
		if o.Core {
			p.refuseFans(m)
		}
		plan := p.machine(m, o.Core)
		if o.Core {
			p.list = append(p.list, withoutJSON(m)...)
		}
		if o.Bounds != nil {
			plan.planBounds(p, o.Bounds(m))
		}
		if !o.Core {
			plan.Definition = string(o.Definition(m))
			plan.planCalls(p, machines, o)
			if o.Embed != nil {
				plan.Embed = o.Embed(m)
			}
			if plan.Embed == "" && o.Text != nil {
				plan.Text = o.Text(m)
			}
		}
		f.Machines = append(f.Machines, plan)
	}
	return f, p.list
}

// refuseFans reports what a core has no place for: it holds the state, the data and the
// counters of a run, and no element of a list that was read on entering.
func (p *planner) refuseFans(m *ir.Machine) {
	for _, d := range m.Dos {
		if d.Fan != nil {
			p.notInCore(m, d.Fan.Span, "a core has no activity that runs for each element of a list", "Leave --core out: the binding to the runtime has all of the machine. Or put the steps of an element into a machine of its own, and give each element a core of that.")
		}
	}
}

// declare takes ident for something of the source. Where it is taken already,
// the two places are reported: the file would not compile.
func (p *planner) declare(ident string, at token.Span) string {
	if first, taken := p.declared[ident]; taken {
		p.list.Add(diag.Diagnostic{
			Rule:     "duplicate-name",
			Severity: diag.Error,
			Span:     at,
			Message:  "this becomes \"" + ident + "\" in Go, which stands for something else already",
			Help:     "Rename one of the two; names in generated Go are joined from the machine's name and the name in the source.",
			Related:  []diag.Related{{Span: first, Message: "the first one that becomes \"" + ident + "\""}},
		})
		return ident
	}
	p.declared[ident] = at
	return ident
}

// reserve declares names with a prefix.
func (p *planner) reserve(at token.Span, prefix string, names ...string) {
	for _, name := range names {
		p.declare(prefix+name, at)
	}
}

// field takes the name of a field of s.
func (p *planner) field(s *structPlan, name string, at token.Span) string {
	p.declare(s.Type+"."+exported(name), at)
	return exported(name)
}

func (p *planner) machine(m *ir.Machine, core bool) *machinePlan {
	name := exported(m.Name)
	plan := &machinePlan{
		src: m, Name: name, low: unexported(name), Doc: m.Doc, Optional: runtimeOptional,
		enum: map[*ir.Enum]*enumPlan{}, rec: map[*ir.Record]*recordPlan{}, ev: map[*ir.Event]*eventPlan{},
	}
	p.reserve(m.Span, name, "State", "Event", "Params", "Data")
	if core {
		plan.Optional = p.declare(name+"Optional", m.Span)
	}
	for _, e := range m.Enums {
		if e.OfFile && !core && (p.shared[e] != nil || p.elsewhere == nil || !p.elsewhere(m.Span, e.Span)) {
			plan.enum[e] = p.sharedEnum(e)
		} else {
			plan.enum[e] = p.enum(m, e)
			plan.Enums = append(plan.Enums, plan.enum[e])
		}
	}
	plan.addRecords(p, core)
	plan.Params = plan.vars(p, name+"Params", "is what a run of "+m.Name+" is started with.", m.Params)
	plan.Data = plan.vars(p, name+"Data", "is the context of a run of "+m.Name+".", m.Fields)
	for _, s := range m.States {
		if s.Kind != ir.Composite {
			plan.States = append(plan.States, statePlan{
				Const: p.declare(name+"State"+pathName(s.Path), s.Span), Path: s.Path, Doc: s.Doc, Outcome: s.Outcome,
				Result: plan.result(p, s), returns: s.Returns})
		}
	}
	handled := handledEvents(m)
	for _, e := range m.Events {
		if e.Terminal != nil && !core {
			plan.addExit(e)
		} else {
			plan.addEvent(p, e, handled[e])
		}
	}
	for _, a := range m.Activities {
		for _, e := range a.Results {
			plan.ev[e].Raised = true
		}
	}
	for _, g := range m.Guards {
		p.declare(name+"Guards."+exported(g.Name), g.Span)
		plan.Guards = append(plan.Guards, &guardPlan{src: g, Name: g.Name, Method: exported(g.Name), Doc: g.Doc, Params: plan.params(g.Params, core)})
	}
	if len(m.Guards) > 0 {
		p.declare(name+"Guards", m.Span)
	}
	if core {
		plan.core = newCorePlan(plan)
		plan.declareCore(p)
	} else {
		plan.binding(p)
	}
	return plan
}

// sharedEnum is the plan of an enum that all machines of a package share.
func (p *planner) sharedEnum(e *ir.Enum) *enumPlan {
	if p.shared[e] == nil {
		p.shared[e] = p.enum(nil, e)
	}
	return p.shared[e]
}

// enum plans an enum: of a machine alone, or with nil of the package.
func (p *planner) enum(m *ir.Machine, e *ir.Enum) *enumPlan {
	name := exported(e.Name)
	if m != nil {
		name = exported(m.Name) + name
		p.declare(unexported(name)+"Names", e.Span) // of a core
	}
	plan := &enumPlan{Type: p.declare(name, e.Span), Doc: e.Doc}
	for _, v := range e.Values {
		plan.Values = append(plan.Values, constPlan{Name: p.declare(plan.Type+exported(v), e.Span), Value: v})
	}
	return plan
}

func (m *machinePlan) addEvent(p *planner, e *ir.Event, handled bool) {
	plan := &eventPlan{
		src: e, Name: e.Name, External: e.External(), Sent: handled && e.External(),
		Const:   p.declare(m.Name+"Event"+pathName(e.Name), e.Span),
		Payload: &structPlan{Type: p.declare(m.Name+pathName(e.Name), e.Span), Doc: e.Doc},
	}
	for _, f := range ir.Declarations(e.Fields) {
		optional := f.Optional && e.Terminal == nil // which returns what is there
		plan.Payload.Fields = append(plan.Payload.Fields, m.field(p.field(plan.Payload, f.Name, f.Span), f, optional))
	}
	m.Events = append(m.Events, plan)
	m.ev[e] = plan
}

func (m *machinePlan) vars(p *planner, typ, doc string, vars []*ir.Var) *structPlan {
	s := &structPlan{Type: typ, Doc: typ + " " + doc}
	for _, v := range ir.Declared(vars) {
		s.Fields = append(s.Fields, m.field(p.field(s, v.Declared(), v.Span), v.Declaration(), v.MayBeUnset()))
	}
	return s
}

// field is of as a field that is called name in Go.
func (m *machinePlan) field(name string, of *ir.Field, optional bool) fieldPlan {
	return fieldPlan{Name: name, JSON: of.Name, Type: m.goTypeOf(of.Type, optional), Doc: of.Doc, Optional: optional, typ: of.Type}
}

// result plans what a run returns that ends in s; nil where that is nothing. All of
// it is set then.
func (m *machinePlan) result(p *planner, s *ir.State) *structPlan {
	if len(s.Returns) == 0 {
		return nil
	}
	typ := p.declare(m.Name+pathName(s.Path)+"Result", s.Span)
	r := &structPlan{Type: typ, Doc: typ + " is what a run of " + m.src.Name + " returns when it ends in " + s.Path + "."}
	var vars []*ir.Var
	for _, ref := range s.Returns {
		vars = append(vars, ref.Var)
	}
	for _, v := range ir.Declarations(vars) {
		r.Fields = append(r.Fields, m.field(exported(v.Name), v, false))
	}
	return r
}

// binding plans what stands between the machine and the runtime.
func (m *machinePlan) binding(p *planner) {
	at := m.src.Span
	p.reserve(at, m.Name, "Machine", "Activities", "Runs", "Run", "Sendable")
	p.reserve(at, m.low, "Definition", "Source")
	p.declare("Register"+m.Name, at)
	for _, e := range m.Events {
		p.declare(e.Payload.Type+".FSMEvent", e.src.Span)
	}
	for _, c := range m.src.Categories {
		if !c.BuiltIn && c.Span != (token.Span{}) {
			m.Failures = append(m.Failures, constPlan{Name: p.declare(m.Name+"Fail"+exported(c.Name), c.Span), Value: c.Name})
		}
	}
	for _, a := range sideEffects(m.src) {
		plan := &activityPlan{Name: a.Name, Method: exported(a.Name), Doc: a.Doc, Params: m.params(a.Params, false)}
		p.declare(m.Name+"Activities."+plan.Method, a.Span)
		for _, e := range a.Results {
			plan.Results = append(plan.Results, m.ev[e])
		}
		if len(plan.Results) > 1 {
			plan.Sum = p.declare(m.Name+plan.Method+"Result", a.Span)
		}
		for _, d := range m.src.Dos {
			if d.Activity == a {
				plan.Runs = append(plan.Runs, d.State.Path)
			}
		}
		m.Activities = append(m.Activities, plan)
	}
}

func (m *machinePlan) params(params []*ir.Param, core bool) []paramPlan {
	taken := map[string]bool{"ctx": true, "attempt": true, "json": true, "time": true}
	for name := range packages {
		taken[name] = taken[name] || core // whose text uses packages beside them
	}
	var out []paramPlan
	for _, q := range ir.Declarations(params) {
		out = append(out, paramPlan{Name: local(q.Name, taken), JSON: q.Name, Type: m.goTypeOf(q.Type, q.Optional), Optional: q.Optional, typ: q.Type})
	}
	return out
}

// handledEvents are the events that some state handles, ignores or defers.
func handledEvents(m *ir.Machine) map[*ir.Event]bool {
	handled := map[*ir.Event]bool{}
	for _, s := range m.States {
		for _, h := range s.Handlers {
			for _, t := range h.Triggers {
				if t.Kind == ir.OnEvent {
					handled[t.Event] = true
				}
			}
		}
		for _, u := range append(s.Ignore[:len(s.Ignore):len(s.Ignore)], s.Defer...) {
			handled[u.Event] = true
		}
	}
	return handled
}
