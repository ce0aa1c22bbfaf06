package golang

// states writes the state type, its constants and its text forms.
func (p *printer) states(m *machinePlan) {
	typ := m.Name + "State"
	p.docOf(typ, m.Doc, "is a state of machine "+m.src.Name+".")
	p.f("type %s uint16\n", typ)
	p.f("// The states of %s, in the order of the source.", m.src.Name)
	p.f("const (")
	for i, s := range m.States {
		if s.Doc != "" {
			p.doc(s.Doc)
		}
		start := ""
		if i == 0 {
			start = " " + typ + " = iota"
		}
		p.f("%s%s%s", s.Const, start, outcomeNote(s.Outcome))
	}
	p.f(")\n")
	var names []string
	for _, s := range m.States {
		names = append(names, s.Path)
	}
	p.textForms(typ, m.low+"StateNames", names)
	p.f("// Terminal reports whether a run in s has ended.")
	p.f("func (s %s) Terminal() bool { return s.Outcome() != \"\" }\n", typ)
	p.f("// Outcome is \"success\", \"failure\" or \"cancelled\" for a terminal state, and empty for another.")
	p.f("func (s %s) Outcome() string {", typ)
	p.f("switch s {")
	for _, outcome := range []string{"success", "failure", "cancelled"} {
		list := ""
		for _, s := range m.States {
			if s.Outcome == outcome {
				list += ", " + s.Const
			}
		}
		if list != "" {
			p.f("case %s:\nreturn %s", list[2:], quote(outcome))
		}
	}
	p.f("}\nreturn \"\"\n}\n")
}

func outcomeNote(outcome string) string {
	if outcome == "" {
		return ""
	}
	return " // terminal: " + outcome
}

// textForms writes String and the text methods of a small integer type whose
// values are names; the empty name stands for a number that is no value.
func (p *printer) textForms(typ, table string, names []string) {
	p.use("strconv", "fmt")
	p.f("var %s = [...]string{", table)
	for _, n := range names {
		p.f("%s,", quote(n))
	}
	p.f("}\n")
	none, first := "", ""
	if names[0] == "" {
		none, first = "v == 0 || ", " && i > 0"
	}
	p.f(`// String is the name in the source.
func (v %[1]s) String() string {
	if %[3]sint(v) >= len(%[2]s) {
		return "%[1]s(" + strconv.Itoa(int(v)) + ")"
	}
	return %[2]s[v]
}

// MarshalText is the name in the source.
func (v %[1]s) MarshalText() ([]byte, error) {
	if %[3]sint(v) >= len(%[2]s) {
		return nil, fmt.Errorf("there is no %%s", v)
	}
	return []byte(%[2]s[v]), nil
}

// UnmarshalText takes a name of the source.
func (v *%[1]s) UnmarshalText(text []byte) error {
	for i, name := range %[2]s {
		if name == string(text)%[4]s {
			*v = %[1]s(i)
			return nil
		}
	}
	return fmt.Errorf("there is no %[1]s %%q", text)
}
`, typ, table, none, first)
}

// events writes the event type and its constants.
func (p *printer) events(m *machinePlan) {
	if len(m.Events) == 0 {
		return
	}
	typ := m.Name + "Event"
	p.f("// %s names an event of machine %s.", typ, m.src.Name)
	p.f("type %s uint16\n", typ)
	p.f("// The events of %s, in the order of the source.", m.src.Name)
	p.f("const (")
	var names []string
	for i, e := range m.Events {
		start := ""
		if i == 0 {
			start = " " + typ + " = iota"
		}
		p.f("%s%s", e.Const, start)
		names = append(names, e.Name)
	}
	p.f(")\n")
	p.textForms(typ, m.low+"EventNames", names)
}

// enum writes a type declared by its values, which are its JSON form. The zero
// value is none of them, so that one that was forgotten is refused.
func (p *printer) enum(e *enumPlan) {
	p.docOf(e.Type, e.Doc, "is one of the values below; the zero value is none.")
	p.f("type %s uint16\n", e.Type)
	p.f("// The values of %s.", e.Type)
	p.f("const (")
	names := []string{""}
	for i, v := range e.Values {
		start := ""
		if i == 0 {
			start = " " + e.Type + " = iota + 1"
		}
		p.f("%s%s", v.Name, start)
		names = append(names, v.Value)
	}
	p.f(")\n")
	p.textForms(e.Type, unexported(e.Type)+"Names", names)
}

// structs writes the parameters, the data and the payloads.
func (p *printer) structs(m *machinePlan) {
	p.structType(m, m.Params)
	p.structType(m, m.Data)
	for _, e := range m.Events {
		fallback := "is what event " + e.Name + " carries."
		if !e.External {
			fallback += " Activities raise it."
		}
		named := *e.Payload
		named.Doc = ""
		p.docOf(named.Type, e.Payload.Doc, fallback)
		p.structType(m, &named)
	}
	for _, f := range m.Data.Fields {
		if f.Optional {
			p.optional(m.Name + "Optional")
			break
		}
	}
}

func (p *printer) structType(m *machinePlan, s *structPlan) {
	if s.Doc != "" {
		p.doc(s.Doc)
	}
	if len(s.Fields) == 0 {
		p.f("type %s struct{}\n", s.Type)
		return
	}
	p.f("type %s struct {", s.Type)
	for _, f := range s.Fields {
		if f.Doc != "" {
			p.doc(f.Doc)
		}
		p.typesUsed(f.Type)
		tag := f.JSON
		if f.Optional {
			tag += ",omitzero"
		}
		p.f("%s %s `json:%s`", f.Name, f.Type, quote(tag))
	}
	p.f("}\n")
	if !plainStruct(s) {
		p.jsonForms(m, s)
	}
}

// optional writes the type of fields that may be unset.
func (p *printer) optional(typ string) {
	p.use("encoding/json")
	p.f("// %s is a field that may be unset.", typ)
	p.f("type %s[T any] struct {\nValue T\nSet bool\n}\n", typ)
	p.f("// IsZero reports whether the field is unset; its JSON form is absent then.")
	p.f("func (o %s[T]) IsZero() bool { return !o.Set }\n", typ)
	p.f("// MarshalJSON is the JSON form of the value.")
	p.f("func (o %s[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }\n", typ)
	p.f("// UnmarshalJSON sets the field.")
	p.f("func (o *%s[T]) UnmarshalJSON(data []byte) error {\no.Set = true\nreturn json.Unmarshal(data, &o.Value)\n}\n", typ)
}
