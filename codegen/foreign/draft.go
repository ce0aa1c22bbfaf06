package foreign

import (
	"fmt"
	"strings"
)

// Draft is machines as they are to be written, before they are formatted.
type Draft struct {
	Machines []*Machine
}

// Machine is one machine. Lines are members in source form, or comments.
type Machine struct {
	Name, Doc, Params string
	Failures          []string
	Fields            []Field
	Events            []Decl
	Activities        []Decl
	Guards            []Decl
	Initial           string
	Lines             []string
	States            []*State
}

// Field is a context field.
type Field struct {
	Name, Type, Default string
	Note                string // a comment line above it, or empty
}

// Decl is an event, an activity or a guard: its text behind the keyword.
type Decl struct{ Text, Doc string }

// State is a leaf, a composite where it has States, or a terminal where Terminal says how
// it ends: "success returns data".
type State struct {
	Name, Doc, Initial, Terminal string
	Lines                        []string
	States                       []*State
}

// Add puts lines into a state.
func (s *State) Add(lines ...string) { s.Lines = append(s.Lines, lines...) }

// Text is the source text, not formatted yet.
func (d *Draft) Text() string {
	p := &printer{}
	for _, m := range d.Machines {
		p.line("")
		p.machine(m)
	}
	return p.b.String()
}

type printer struct{ b strings.Builder }

func (p *printer) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *printer) doc(text string) {
	for line := range strings.Lines(text) {
		if line = oneLine(line); line != "" {
			p.line("// %s", line)
		}
	}
}

func (p *printer) machine(m *Machine) {
	p.doc(m.Doc)
	if m.Params != "" {
		p.line("machine %s(%s) {", m.Name, m.Params)
	} else {
		p.line("machine %s {", m.Name)
	}
	if len(m.Failures) > 0 {
		p.line("failures { %s }\n", strings.Join(m.Failures, ", "))
	}
	p.fields(m.Fields)
	p.decls("event", m.Events)
	p.decls("activity", m.Activities)
	p.decls("guard", m.Guards)
	p.line("initial %s", m.Initial)
	for _, l := range m.Lines {
		p.line("%s", l)
	}
	for _, s := range m.States {
		p.state(s)
	}
	p.line("}")
}

func (p *printer) fields(fields []Field) {
	if len(fields) == 0 {
		return
	}
	p.line("context {")
	for _, f := range fields {
		if f.Note != "" {
			p.line("%s", f.Note)
		}
		if f.Default != "" {
			p.line("%s %s = %s", f.Name, f.Type, f.Default)
		} else {
			p.line("%s %s", f.Name, f.Type)
		}
	}
	p.line("}\n")
}

func (p *printer) decls(word string, decls []Decl) {
	for _, d := range decls {
		p.doc(d.Doc)
		p.line("%s %s", word, d.Text)
	}
	if len(decls) > 0 {
		p.line("")
	}
}

func (p *printer) state(s *State) {
	p.line("")
	p.doc(s.Doc)
	if s.Terminal != "" {
		p.line("terminal %s %s", s.Name, s.Terminal)
		return
	}
	p.line("state %s {", s.Name)
	if s.Initial != "" {
		p.line("initial %s", s.Initial)
	}
	for _, l := range s.Lines {
		p.line("%s", l)
	}
	for _, c := range s.States {
		p.state(c)
	}
	p.line("}")
}
