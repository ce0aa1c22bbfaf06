// Package unused finds declarations that nothing uses, and an `exit` that never runs.
package unused

import (
	"slices"

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
	Fix:      "removes the declaration, or the import",
	Run:      run,
	Sound:    true,
	RunFile:  runFile,
	Absence:  true,
}

func run(p *check.Pass) {
	m := p.Machine
	u := usesOf(m)
	report := func(what, name string, span, decl token.Span, help string) {
		p.Report(check.Finding{
			Span: span, Message: what + " " + check.Quote(name) + " is never used", Help: help,
			Fixes: check.Remove("the "+what, decl, false),
		})
	}
	for _, e := range m.Events {
		if !u[e] {
			report("event", e.Name, e.Span, only(e.Decl, plainSlots(ir.Slots(e.Fields))), "Handle it with `on "+e.Name+"`, publish it, or remove it.")
		}
	}
	for _, a := range m.Activities {
		if !u[a] {
			report("activity", a.Name, a.Span, only(a.Decl, len(a.Results) == 0 && plainSlots(ir.Slots(a.Params))), "Run it in a state with `do "+a.Name+"(…)`, or remove it.")
		}
	}
	for _, g := range m.Guards {
		if !u[g] {
			report("guard", g.Name, g.Span, only(g.Decl, plainSlots(ir.Slots(g.Params))), "Ask it with `when "+g.Name+"(…)`, or remove it.")
		}
	}
	for _, e := range m.Enums {
		if !u[e] && !e.OfFile {
			report("enum", e.Name, e.Span, e.Decl, "Give a field this type, or remove it.")
		}
	}
	for _, r := range m.Records {
		if !u[r] && !r.OfFile {
			report("record", r.Name, r.Span, only(r.Decl, plainRecord(r)), "Give a field this type, or remove it.")
		}
	}
	if b := m.Root.Exit; b != nil {
		p.Report(check.Finding{
			Span: b.Span, Message: "the `exit` of machine " + check.Quote(m.Name) + " never runs: no step leaves the machine",
			Help: "Write its effects into the blocks of the terminal states, which run as the run ends, or remove it.",
		})
	}
	for _, d := range m.Dos {
		if d.Label != "" && !u[d] && !tellsApart(d) {
			p.Report(check.Finding{
				State:   d.State,
				Span:    d.Span,
				Message: "label " + check.Quote(d.Label) + " is never used",
				Help:    "Name it in a trigger, such as `on " + d.Label + ".failed`, or leave out `as " + d.Label + "`.",
			})
		}
	}
}

// tellsApart reports whether d needs its label all the same: it is the name of the machine that d
// calls, or tells d from another do of the state that runs the same, for people and in scenarios.
func tellsApart(d *ir.Do) bool {
	same := func(other *ir.Do) bool { return other != d && other.Activity == d.Activity }
	return d.Activity.Machine != nil && d.Label == d.Activity.Name || slices.ContainsFunc(d.State.Dos, same)
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
			p.Report(check.Finding{Span: i.Span, Message: "imports above bring all of import " + check.Quote(i.Path), Help: "Remove it.", Fixes: check.Remove("the import", i.Decl, true)})
		default:
			p.Report(check.Finding{
				Span: i.Span, Message: "nothing is used of import " + check.Quote(i.Path), Help: "Use a type or a machine that it brings, or remove it.",
				Fixes: check.Remove("the import", i.Decl, true),
			})
		}
	}
	if f.Machines == 0 || f.Imported {
		return
	}
	report := func(what, name string, span, decl token.Span) {
		p.Report(check.Finding{
			Span: span, Message: what + " " + check.Quote(name) + " is never used",
			Help:  "Give a field this type, or remove it. If a file that is not checked here imports this one, check both.",
			Fixes: check.Remove("the "+what, decl, false),
		})
	}
	for _, e := range f.Enums {
		if !e.Used {
			report("enum", e.Name, e.Span, e.Decl)
		}
	}
	for _, r := range f.Records {
		if !r.Used {
			report("record", r.Name, r.Span, only(r.Decl, plainRecord(r)))
		}
	}
}

// only is decl where removing it makes nothing else unused, else nowhere.
func only(decl token.Span, alone bool) token.Span {
	if !alone {
		return token.Span{}
	}
	return decl
}

func plainSlots(list []*ir.Slot) bool {
	return !slices.ContainsFunc(list, func(s *ir.Slot) bool { return s.Whole != nil || !plain(s.Type) })
}

func plainRecord(r *ir.Record) bool {
	return !slices.ContainsFunc(r.Fields, func(f *ir.Field) bool { return !plain(f.Type) })
}

// plain reports whether t has no declaration of its own.
func plain(t *ir.Type) bool {
	for ; t != nil; t = t.Elem {
		if t.Kind == ir.EnumKind || t.Kind == ir.RecordKind {
			return false
		}
	}
	return true
}
