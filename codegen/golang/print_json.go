package golang

import "strings"

// typesUsed imports what a Go type needs.
func (p *printer) typesUsed(typ string) {
	if strings.Contains(typ, "time.") {
		p.use("time")
	}
	if strings.Contains(typ, "json.") {
		p.use("encoding/json")
	}
}

// jsonForms writes the JSON methods of a struct: through a struct of wire
// types, whose own methods write them as the language says.
func (p *printer) jsonForms(m *machinePlan, s *structPlan) {
	defer p.to(p.to(jsonPart))
	p.use("encoding/json")
	wire := unexported(s.Type) + "JSON"
	p.f("// %s is the JSON form of %s.", wire, s.Type)
	p.f("type %s struct {", wire)
	for _, f := range s.Fields {
		p.typesUsed(m.wireType(f.typ))
		if f.Optional {
			p.f("%s %sOptional[%s] `json:%s`", f.Name, m.Name, m.wireType(f.typ), quote(f.JSON+",omitzero"))
		} else {
			p.f("%s %s `json:%s`", f.Name, m.wireType(f.typ), quote(f.JSON))
		}
	}
	p.f("}\n")

	p.f("// MarshalJSON writes the object that the runtime reads: durations as Go's")
	p.f("// strings, times as RFC 3339 in UTC, a nil list as an empty one.")
	p.f("func (s %s) MarshalJSON() ([]byte, error) {", s.Type)
	p.f("w := %s{", wire)
	for _, f := range s.Fields {
		if !f.Optional {
			p.f("%s: %s,", f.Name, m.toWire(f.typ, "s."+f.Name))
		}
	}
	p.f("}")
	for _, f := range s.Fields {
		if f.Optional {
			p.f("if s.%s.Set {\nw.%s = %sOptional[%s]{Value: %s, Set: true}\n}",
				f.Name, f.Name, m.Name, m.wireType(f.typ), m.toWire(f.typ, "s."+f.Name+".Value"))
		}
	}
	if holdsJSON(s) {
		m.wire.json = true
		p.f("return %sEncode(w)\n}\n", m.low)
	} else {
		p.f("return json.Marshal(w)\n}\n")
	}

	p.f("// UnmarshalJSON reads what MarshalJSON writes.")
	p.f("func (s *%s) UnmarshalJSON(data []byte) error {", s.Type)
	p.f("var w %s", wire)
	p.f("if err := json.Unmarshal(data, &w); err != nil {\nreturn err\n}")
	p.f("*s = %s{", s.Type)
	for _, f := range s.Fields {
		if !f.Optional {
			p.f("%s: %s,", f.Name, m.fromWire(f.typ, "w."+f.Name))
		}
	}
	p.f("}")
	for _, f := range s.Fields {
		if f.Optional {
			p.f("if w.%s.Set {\ns.%s = %s{Value: %s, Set: true}\n}", f.Name, f.Name, f.Type, m.fromWire(f.typ, "w."+f.Name+".Value"))
		}
	}
	p.f("return nil\n}\n")
}

// wireTypes writes what the JSON forms of m use.
func (p *printer) wireTypes(m *machinePlan) {
	if m.wire.duration {
		p.use("time", "encoding/json")
		p.f(`// %[1]sDuration has Go's duration string as its JSON form.
type %[1]sDuration time.Duration

func (d %[1]sDuration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

func (d *%[1]sDuration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	v, err := time.ParseDuration(text)
	*d = %[1]sDuration(v)
	return err
}
`, m.low)
	}
	if m.wire.time {
		p.use("time", "encoding/json")
		p.f(`// %[1]sTime has RFC 3339 in UTC, to the microsecond, as its JSON form.
type %[1]sTime time.Time

func (t %[1]sTime) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Time(t).UTC().Format("2006-01-02T15:04:05.000000Z"))
}

func (t *%[1]sTime) UnmarshalJSON(data []byte) error {
	var v time.Time
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*t = %[1]sTime(v.UTC())
	return nil
}
`, m.low)
	}
	if m.wire.list {
		p.f(`// %[1]sList is list, or an empty one in place of nil, which JSON would call null.
func %[1]sList[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
`, m.low)
	}
	if m.wire.each {
		p.f(`// %[1]sEach turns the items of a list into another type.
func %[1]sEach[A, B any](list []A, turn func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = turn(v)
	}
	return out
}
`, m.low)
	}
	if m.wire.json {
		p.use("bytes", "encoding/json")
		p.f(`// %[1]sEncode is json.Marshal without the escapes that are meant for HTML, so that
// a value of type json stays as it came.
func %[1]sEncode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return b.Bytes(), err
}
`, m.low)
	}
}
