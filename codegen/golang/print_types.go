package golang

func outcomeNote(outcome string) string {
	return when(outcome != "", " // terminal: "+outcome)
}

// structs writes the parameters, the data and the payloads, with what they are
// called in JSON where that is asked for.
func (p *printer) structs(m *machinePlan, tags bool) {
	p.structType(m.Params, tags)
	p.structType(m.Data, tags)
	for _, e := range m.Events {
		fallback := "is what event " + e.Name + " carries."
		switch {
		case e.src.Terminal != nil:
			fallback = "is what a child returns that ends in " + e.Name + "."
		case !e.External:
			fallback += " Activities raise it."
		}
		p.docOf(e.Payload.Type, e.Payload.Doc, fallback)
		p.fields(e.Payload, tags)
	}
	for _, s := range m.States {
		if s.Result != nil {
			p.structType(s.Result, tags)
		}
	}
}

func (p *printer) structType(s *structPlan, tags bool) {
	p.doc(s.Doc)
	p.fields(s, tags)
}

// fields writes s without its documentation.
func (p *printer) fields(s *structPlan, tags bool) {
	if len(s.Fields) == 0 {
		p.f("type %s struct{}\n", s.Type)
		return
	}
	p.f("type %s struct {", s.Type)
	for _, f := range s.Fields {
		p.doc(f.Doc)
		if !tags {
			p.f("%s %s", f.Name, f.Type)
			continue
		}
		tag := f.JSON
		if f.Optional {
			tag += ",omitzero"
		}
		p.f("%s %s `json:%s`", f.Name, f.Type, quote(tag))
	}
	p.f("}\n")
}
