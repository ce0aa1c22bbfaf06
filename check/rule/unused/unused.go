// Package unused finds declarations that nothing uses.
package unused

import (
	"slices"

	_ "embed"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Rule is the record of unused.
var Rule = &check.Rule{
	Name:     "unused",
	Group:    check.Data,
	Severity: diag.Warning,
	Summary:  "an event, activity, guard, enum, record, label or import that nothing uses",
	Page:     page,
	Run:      run,
	RunFile:  runFile,
	Absence:  true,
}

//go:embed page.md
var page string

func run(p *check.Pass) {
	m := p.Machine
	if m.Broken {
		return // a name that could not be resolved may be the missing use
	}
	u := usesOf(m)
	report := func(what, name string, span token.Span, help string) {
		p.Report(check.Finding{Span: span, Message: what + " " + check.Quote(name) + " is never used", Help: help})
	}
	for _, e := range m.Events {
		if !u.events[e] {
			report("event", e.Name, e.Span, "Handle it with `on "+e.Name+"`, publish it, or remove it.")
		}
	}
	for _, a := range m.Activities {
		if !u.activities[a] {
			report("activity", a.Name, a.Span, "Run it in a state with `do "+a.Name+"(…)`, or remove it.")
		}
	}
	for _, g := range m.Guards {
		if !u.guards[g] {
			report("guard", g.Name, g.Span, "Ask it with `when "+g.Name+"(…)`, or remove it.")
		}
	}
	for _, e := range m.Enums {
		if !u.enums[e] && !e.OfFile {
			report("enum", e.Name, e.Span, "Give a field this type, or remove it.")
		}
	}
	for _, r := range m.Records {
		if !u.records[r] && !r.OfFile {
			report("record", r.Name, r.Span, "Give a field this type, or remove it.")
		}
	}
	for _, d := range m.Dos {
		if d.Label != "" && !u.labels[d] && !namesChild(d) {
			p.Report(check.Finding{
				State:   d.State,
				Span:    d.Span,
				Message: "label " + check.Quote(d.Label) + " is never used",
				Help:    "Name it in a trigger, such as `on " + d.Label + ".failed`, or leave out `as " + d.Label + "`.",
			})
		}
	}
}

// namesChild reports whether d calls a machine and needs its label for that: it is the name
// of the machine, or tells d from another call of it in the same state.
func namesChild(d *ir.Do) bool {
	same := func(other *ir.Do) bool { return other != d && other.Activity == d.Activity }
	return d.Activity.Machine != nil && (d.Label == d.Activity.Name || slices.ContainsFunc(d.State.Dos, same))
}

// runFile leaves out the types of a file that has no machines, or that another file of
// the unit imports: those are for others.
func runFile(p *check.Pass, f *ir.File) {
	if f.Broken {
		return
	}
	for _, i := range f.Imports {
		switch {
		case i.Used:
		case i.Again:
			p.Report(check.Finding{Span: i.Span, Message: "imports above bring all of import " + check.Quote(i.Path), Help: "Remove it."})
		default:
			p.Report(check.Finding{
				Span: i.Span, Message: "nothing is used of import " + check.Quote(i.Path), Help: "Use a type or a machine that it brings, or remove it.",
			})
		}
	}
	if f.Machines == 0 || f.Imported {
		return
	}
	report := func(what, name string, span token.Span) {
		p.Report(check.Finding{
			Span: span, Message: what + " " + check.Quote(name) + " is never used",
			Help: "Give a field this type, or remove it. If a file that is not checked here imports this one, check both.",
		})
	}
	for _, e := range f.Enums {
		if !e.Used {
			report("enum", e.Name, e.Span)
		}
	}
	for _, r := range f.Records {
		if !r.Used {
			report("record", r.Name, r.Span)
		}
	}
}
