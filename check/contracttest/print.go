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
		if a.Cost > 0 {
			text += fmt.Sprintf(" cost tokens %d", a.Cost)
		}
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

func (p *printer) state(s *State) {
	switch {
	case s.Terminal != "" && s.Entry == nil:
		s.line = p.put("terminal %s %s%s", s.Name, s.Terminal, s.returnsText())
	case s.Terminal != "":
		s.line = p.open("terminal %s %s%s", s.Name, s.Terminal, s.returnsText())
		p.effects(s.Entry)
		p.shut()
	default:
		s.line = p.open("state %s", s.Name)
		p.members(s)
		p.shut()
	}
}

func (s *State) returnsText() string {
	var names []string
	for _, f := range s.Returns {
		names = append(names, f.Name)
	}
	if names == nil {
		return ""
	}
	return " returns " + strings.Join(names, ", ")
}

func (p *printer) members(s *State) {
	if s.Initial != nil {
		p.put("initial %s", s.Initial.Name)
	}
	if s.Require != nil {
		s.required = p.put("require %s else -> %s", text(s.Require), s.Else.path())
	}
	if s.Entry != nil {
		p.open("entry")
		p.effects(s.Entry)
		p.shut()
	}
	if s.Exit != nil {
		p.open("exit")
		p.effects(s.Exit)
		p.shut()
	}
	for _, d := range s.Dos {
		t := "do " + d.Act.Name + "()"
		if d.Act.Child != nil {
			t = "do machine Child()"
		}
		if d.List != nil {
			t += " for x in " + d.List.Name
			if d.AtOnce > 0 {
				t += fmt.Sprintf(" limit %d", d.AtOnce)
			}
		}
		if d.Label != "" {
			t += " as " + d.Label
		}
		for i, limit := range []int{d.Timeout, d.Heartbeat, d.Progress} {
			if limit > 0 {
				t += fmt.Sprintf(" %s %ds", []string{"timeout", "heartbeat", "progress"}[i], limit)
			}
		}
		d.line = p.put("%s", t)
	}
	for _, o := range s.Ons {
		var triggers []string
		for _, t := range o.Triggers {
			triggers = append(triggers, t.text())
		}
		o.line = p.put("on %s", strings.Join(triggers, ", "))
		p.arms(o.Arms)
	}
	for _, a := range s.Afters {
		t := fmt.Sprintf("after %ds", a.Wait)
		if a.Field != nil {
			t = "after " + a.Field.Name
		}
		if a.Idle {
			t += " idle"
		}
		if a.Jitter > 0 {
			t += fmt.Sprintf(" jitter %v", float64(a.Jitter)/float64(a.Wait))
		}
		a.line = p.put("%s", t)
		p.arms(a.Arms)
	}
	for _, e := range s.Ignore {
		p.put("ignore %s", e.Name)
	}
	for _, e := range s.Defer {
		p.put("defer %s", e.Name)
	}
	for _, c := range s.Children {
		p.state(c)
	}
}

func (t *Trigger) text() string {
	s := t.Kind
	if t.Kind == "event" {
		s = t.Event.Name
	}
	if t.Label != "" && t.Event != nil && t.Event.Exit != "" {
		s = t.Event.Exit
	}
	if t.Label != "" {
		s = t.Label + "." + s
	}
	if t.Cats != nil {
		s += "(" + strings.Join(t.Cats, ", ") + ")"
	}
	return s
}

func (p *printer) arms(arms []*Arm) {
	p.indent++
	for i, a := range arms {
		t := ""
		if i > 0 {
			t = "else "
		}
		if a.When != nil {
			t += "when " + text(a.When) + " "
		}
		switch a.Op {
		case "go":
			t += "-> " + a.To.path()
			if a.Bound > 0 {
				t += fmt.Sprintf(" max %d", a.Bound)
			}
		case "retry":
			t += "retry"
			if a.Bound > 0 {
				t += fmt.Sprintf(" %d", a.Bound)
			}
		case "reject", "ignore":
			t += a.Op
		}
		if a.Bound > 0 && a.Per != "" {
			t += " per " + a.Per
		} else if a.Bound > 0 && a.PerState != nil {
			t += " per " + a.PerState.path()
		}
		if a.Unbounded {
			t += " unbounded"
		}
		if a.Op == "retry" {
			t += fmt.Sprintf(" backoff %ds..%ds jitter %v", a.First, a.Last, float64(a.Jitter)/100)
		}
		t = strings.TrimSpace(t)
		switch {
		case a.Block != nil:
			a.line = p.open("%s", t)
			p.effects(a.Block)
			p.shut()
		case a.Op == "stay":
			a.line = p.put("%s", strings.TrimSpace(t+" {}"))
		default:
			a.line = p.put("%s", t)
		}
	}
	p.indent--
}

func (p *printer) effects(block []*Effect) {
	for _, e := range block {
		value := "unset"
		if e.Value != nil {
			value = text(e.Value)
		}
		e.line = p.put("%s = %s", e.Field.Name, value)
	}
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

// text is e as source, with more parentheses than it needs. A literal has its
// kind in Field.
func text(e *Expr) string {
	switch e.Op {
	case "lit":
		return literal(e.Field.Kind, e.Val)
	case "field":
		return e.Field.Name
	case "event":
		return "event." + e.Field.Name
	case "host":
		return fmt.Sprintf("h%d()", e.Host)
	case "isset":
		return e.Field.Name + " is set"
	case "sent":
		return "event." + e.Field.Name + " is set"
	case "!":
		return "!(" + text(e.Args[0]) + ")"
	case "len":
		return "len(" + text(e.Args[0]) + ")"
	case "append":
		return text(e.Args[0]) + " + true"
	case "&&", "||":
		return "(" + text(e.Args[0]) + ") " + e.Op + " (" + text(e.Args[1]) + ")"
	case "min", "max":
		return e.Op + "(" + text(e.Args[0]) + ", " + text(e.Args[1]) + ")"
	}
	return text(e.Args[0]) + " " + e.Op + " " + text(e.Args[1])
}

// path is the name of s from the machine on.
func (s *State) path() string {
	if s.Parent.Parent == nil {
		return s.Name
	}
	return s.Parent.path() + "." + s.Name
}
