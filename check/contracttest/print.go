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
	var params []string
	for _, f := range m.Fields {
		if f.Param && !f.Own {
			f.line = p.line + 1
			params = append(params, f.Name+" "+typeText(f))
		}
	}
	head := "machine M"
	if params != nil {
		head += "(" + strings.Join(params, ", ") + ")"
	}
	m.Root.line = p.open("%s", head)
	if m.hasEnum() {
		p.put("enum Color { Red, Green, Blue }")
	}
	if m.Failures != nil {
		p.put("failures { %s }", strings.Join(m.Failures, ", "))
	}
	if slices.ContainsFunc(m.Fields, func(f *Field) bool { return !f.Param }) {
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
	for _, e := range m.Events {
		if e.Exit != "" {
			continue
		}
		var fields []string
		if of, _ := inRecord(e.Fields); of != nil {
			p.put("record Of%s { %s }", e.Name, strings.Join(of, ", "))
			e.line = p.put("event %s { of Of%s }", e.Name, e.Name)
			continue
		}
		for _, f := range e.Fields {
			fields = append(fields, f.Name+" "+typeText(f))
		}
		if fields == nil {
			e.line = p.put("event %s", e.Name)
		} else {
			e.line = p.put("event %s { %s }", e.Name, strings.Join(fields, ", "))
		}
	}
	for _, a := range m.Acts {
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
	for _, h := range m.Hosts {
		p.put("guard %s()", h)
	}
	for _, a := range m.Asserts {
		var names []string
		for _, b := range a.B {
			names = append(names, b.path())
		}
		switch a.Op {
		case "most":
			a.line = p.put("assert %s at most %d", a.A.path(), a.N)
		case "leads":
			a.line = p.put("assert %s leads to %s", a.A.path(), strings.Join(names, " | "))
		default:
			a.line = p.put("assert %s %s %s", a.A.path(), a.Op, names[0])
		}
	}
	if m.Budget != nil {
		if text := m.Budget.text(); text != "" {
			p.put("%s", text)
		}
	}
	p.members(m.Root)
	p.shut()
}

// inRecord writes those of fields that are places of a record: its fields, and with
// their defaults.
func inRecord(fields []*Field) (declared, starts []string) {
	for _, f := range fields {
		if _, name, ok := strings.Cut(f.Name, "."); ok && !f.Own {
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
	for _, f := range all {
		if f.Kind == Enum {
			return true
		}
	}
	return false
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
		return fmt.Sprintf("[%d..%d]bool", f.Lo, f.Hi)
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
