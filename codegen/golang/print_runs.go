package golang

// runs writes the typed door to the runs of a machine on an engine.
func (p *printer) runs(m *machinePlan) {
	p.use("context", "encoding/json")
	runs, run := m.Name+"Runs", m.Name+"Run"

	p.f("// %s starts runs of %s, sends them events and looks at them.", runs, m.src.Name)
	p.f("type %s struct{ Engine *runtime.Engine }\n", runs)

	p.f("// %s is a run as it stood when it was looked at. State is the last leaf or", run)
	p.f("// terminal that it entered.")
	p.f("type %s struct {", run)
	p.f("runtime.View")
	p.f("State %sState", m.Name)
	p.f("Params %sParams", m.Name)
	p.f("Data %sData\n}\n", m.Name)

	p.f("// Start starts a run; an empty id is replaced by a new one. The run is durable")
	p.f("// when Start returns. The error is runtime.ErrExists where the id is taken.")
	p.f("func (r %s) Start(ctx context.Context, id string, params %sParams) (%s, error) {", runs, m.Name, run)
	p.f("data, err := runtime.EncodeJSON(params)\nif err != nil {\nreturn %s{}, err\n}", run)
	p.f("return read%s(r.Engine.Start(ctx, %s, id, data))\n}\n", run, quote(m.src.Name))

	p.f("// Get looks at a run.")
	p.f("func (r %s) Get(ctx context.Context, id string) (%s, error) {", runs, run)
	p.f("return read%s(r.Engine.Get(ctx, id))\n}\n", run)

	for _, e := range m.Events {
		if e.Send != "" {
			p.send(m, e)
		}
	}
	p.f("// read%s gives a view its types.", run)
	p.f("func read%s(view runtime.View, err error) (%s, error) {", run, run)
	p.f("if err != nil {\nreturn %s{}, err\n}", run)
	p.use("fmt")
	p.f("if view.Machine != %s {\nreturn %s{}, fmt.Errorf(\"run %%q is one of machine %%q\", view.Run, view.Machine)\n}", quote(m.src.Name), run)
	p.f("run := %s{View: view}", run)
	p.f("if err := run.State.UnmarshalText([]byte(view.State)); err != nil {\nreturn %s{}, err\n}", run)
	p.f("if err := json.Unmarshal(view.Params, &run.Params); err != nil {\nreturn %s{}, err\n}", run)
	p.f("return run, json.Unmarshal(view.Data, &run.Data)\n}\n")
}

func (p *printer) send(m *machinePlan, e *eventPlan) {
	runs, run := m.Name+"Runs", m.Name+"Run"
	p.docOf(e.Send, e.Payload.Doc, "sends "+e.Name+" to a run. A refused event is a *runtime.Rejected.")
	p.f("func (r %s) %s(ctx context.Context, id string, event %s, options ...runtime.SendOption) (%s, error) {", runs, e.Send, e.Payload.Type, run)
	p.f("data, err := runtime.EncodeJSON(event)\nif err != nil {\nreturn %s{}, err\n}", run)
	p.f("return read%s(r.Engine.Send(ctx, id, runtime.NewEvent(%s, data, options...)))\n}\n", run, quote(e.Name))
}
