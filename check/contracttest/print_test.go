package contracttest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Text prints m as a source text, each item on a line of its own, and remembers
// the lines.
func (m *Machine) Text() string {
	m.link()
	p := &printer{m: m}
	p.machine()
	return p.b.String()
}

type printer struct {
	m      *Machine
	b      strings.Builder
	line   int
	indent int
}

// put prints one line and returns its number.
func (p *printer) put(format string, args ...any) int {
	p.line++
	p.b.WriteString(strings.Repeat("    ", p.indent))
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
	return p.line
}

func (p *printer) open(format string, args ...any) int {
	n := p.put(format+" {", args...)
	p.indent++
	return n
}

func (p *printer) shut() {
	p.indent--
	p.put("}")
}

func (p *printer) machine() {
	m := p.m
	head := "machine M"
	if params := p.listed(m.params()); params != nil {
		head += "(" + strings.Join(params, ", ") + ")"
	}
	m.Root.line = p.open("%s", head)
	if m.hasEnum() {
		p.put("enum Color { Red, Green, Blue }")
	}
	p.shape()
	if m.Failures != nil {
		p.put("failures { %s }", strings.Join(m.Failures, ", "))
	}
	p.context()
	p.events()
	p.activities()
	for _, h := range m.Hosts {
		p.put("guard %s()", h)
	}
	p.asserts()
	if m.Budget != nil {
		if text := m.Budget.text(); text != "" {
			p.put("%s", text)
		}
	}
	p.members(m.Root)
	p.shut()
}

// params are those that are handed over.
func (m *Machine) params() (list []*Field) {
	for _, f := range m.Fields {
		if f.Param && !f.Own {
			list = append(list, f)
		}
	}
	return list
}

// listed writes fields with their types, records as one, in the line that comes next.
func (p *printer) listed(fields []*Field) (list []string) {
	for _, f := range fields {
		f.line = p.line + 1
		switch r := f.In; {
		case r == nil:
			list = append(list, f.Name+" "+typeText(f))
		case f == r.head() && r.Around == nil:
			list = append(list, r.Name+" "+p.m.recordType(r))
		}
	}
	return list
}

// recordType is the type of r.
func (m *Machine) recordType(r *Record) string {
	name := "Rec"
	if m.Shape.Inner != nil && len(r.Inside) == 0 {
		name = "Inner"
	}
	if r.Absent {
		name += "?"
	}
	return name
}

// shape declares the records.
func (p *printer) shape() {
	s := p.m.Shape
	if s == nil {
		return
	}
	declared := func(fields []*Field) (list []string) {
		for _, f := range fields {
			list = append(list, f.Name+" "+typeText(f))
		}
		return list
	}
	rec := declared(s.Places)
	if s.Inner != nil {
		p.put("record Inner { %s }", strings.Join(declared(s.Inner), ", "))
		rec = append(rec, "in Inner?")
	}
	p.put("record Rec { %s }", strings.Join(rec, ", "))
}

// startText is what r is at the start, with all that it then has.
func (m *Machine) startText(r *Record) string {
	var list []string
	for _, f := range r.Places {
		if f.Start != unset {
			list = append(list, last(f.Name)+" = "+literal(f.Kind, f.Start))
		}
	}
	for _, in := range r.Inside {
		if in.head().Start != unset {
			list = append(list, last(in.Name)+" = "+m.startText(in))
		}
	}
	return strings.TrimSuffix(m.recordType(r), "?") + " { " + strings.Join(list, ", ") + " }"
}

// last is the last part of the name of a place.
func last(name string) string { return name[strings.LastIndex(name, ".")+1:] }

func (p *printer) context() {
	m := p.m
	if !slices.ContainsFunc(m.Fields, func(f *Field) bool { return !f.Param }) {
		return
	}
	held, starts := inRecord(m.Fields)
	if held != nil {
		p.put("record Held { %s }", strings.Join(held, ", "))
	}
	p.open("context")
	record := 0
	if held != nil {
		record = p.put("held Held = Held { %s }", strings.Join(starts, ", "))
	}
	for _, f := range m.Fields {
		switch {
		case f.Param:
			continue
		case f.In != nil:
			p.field(f.In, f)
			continue
		case strings.HasPrefix(f.Name, "held."):
			f.line = record
			continue
		}
		text := f.Name + " " + typeText(f)
		if f.Start != unset {
			text += " = " + literal(f.Kind, f.Start)
		}
		f.line = p.put("%s", text)
	}
	p.shut()
}

// field declares a record with its first place.
func (p *printer) field(r *Record, f *Field) {
	if f == r.head() && r.Around == nil {
		text := r.Name + " " + p.m.recordType(r)
		if f.Start != unset {
			text += " = " + p.m.startText(r)
		}
		r.line = p.put("%s", text)
	}
	f.line = r.root().line
}

func (p *printer) events() {
	for _, e := range p.m.Events {
		if e.Exit != "" {
			continue
		}
		if of, _ := inRecord(e.Fields); of != nil {
			p.put("record Of%s { %s }", e.Name, strings.Join(of, ", "))
			e.line = p.put("event %s { of Of%s }", e.Name, e.Name)
			continue
		}
		if fields := p.listed(e.Fields); fields == nil {
			e.line = p.put("event %s", e.Name)
		} else {
			e.line = p.put("event %s { %s }", e.Name, strings.Join(fields, ", "))
		}
	}
}

func (p *printer) activities() {
	for _, a := range p.m.Acts {
		if a.Child != nil {
			continue
		}
		text := "activity " + a.Name + "()"
		for i, e := range a.Events {
			text += []string{" -> ", " | "}[min(i, 1)] + e.Name
		}
		if a.Fails != nil {
			text += " fails " + cmp.Or(strings.Join(a.Fails, ", "), "none")
		}
		text += a.costText()
		p.put("%s", text)
	}
}

func (p *printer) asserts() {
	for _, a := range p.m.Asserts {
		var names []string
		for _, b := range a.B {
			names = append(names, b.path())
		}
		switch a.Op {
		case "most":
			a.line = p.put("assert %s at most %d", a.A.path(), a.N)
		case "leads":
			about := "done "
			if a.Done != nil {
				about += a.Done.Name
			} else {
				about = a.A.path()
			}
			a.line = p.put("assert %s leads to %s", about, strings.Join(names, " | "))
		default:
			a.line = p.put("assert %s %s %s", a.A.path(), a.Op, names[0])
		}
	}
}

// inRecord writes those of fields that are places of a record: its fields, and with
// their defaults.
func inRecord(fields []*Field) (declared, starts []string) {
	for _, f := range fields {
		if _, name, ok := strings.Cut(f.Name, "."); ok && !f.Own && f.In == nil {
			declared = append(declared, name+" "+typeText(f))
			if f.Start != unset {
				starts = append(starts, name+" = "+literal(f.Kind, f.Start))
			}
		}
	}
	return declared, starts
}

func (m *Machine) hasEnum() bool {
	all := m.Fields
	for _, e := range m.Events {
		all = append(all[:len(all):len(all)], e.Fields...)
	}
	return slices.ContainsFunc(all, func(f *Field) bool { return f.Kind == Enum })
}

func typeText(f *Field) string {
	if f.Absent {
		here := *f
		here.Absent = false
		return typeText(&here) + "?"
	}
	switch f.Kind {
	case Bool:
		return "bool"
	case Enum:
		return "Color"
	case Int:
		return fmt.Sprintf("int %d..%d", f.Lo, f.Hi)
	case List:
		return fmt.Sprintf("[%d..%d]%s", f.Lo, f.Hi, cmp.Or(f.Items, "bool"))
	}
	return fmt.Sprintf("duration %ds..%ds", f.Lo, f.Hi)
}

func literal(k Kind, v int) string {
	switch k {
	case Bool:
		return fmt.Sprint(v == 1)
	case Enum:
		return []string{"Color.Red", "Color.Green", "Color.Blue"}[v]
	case Duration:
		return fmt.Sprintf("%ds", v)
	case Text:
		return []string{`"a"`, `"b"`, `"c"`}[v]
	case List:
		return "[]"
	}
	return fmt.Sprint(v)
}
