// Package readbeforeset finds reads of fields that a run may not have set.
package readbeforeset

import (
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Rule is the record of read-before-set.
var Rule = &check.Rule{
	Name:     "read-before-set",
	Group:    check.Data,
	Severity: diag.Error,
	Summary:  "some run reads a field that it has not set, and no `is set` protects it",
	Question: "whether every field that is read has been set",
	Run:      run,
	OneRun:   true,
	Absence:  true,
}

// maxRelated is the most further reads that are shown beside a finding.
const maxRelated = 3

// One field is one finding, at the read that the shortest run reaches.
func run(p *check.Pass) {
	if !p.Starts() || p.Machine.Broken || !mayBeUnset(p.Machine) {
		return // a lost name may be the effect that sets it
	}
	if p.SmallProduct() == nil && !p.MayReadUnset() {
		return
	}
	g := p.Product()
	if g == nil {
		p.LeaveOpen(check.Question{})
		return
	}
	reads, sent := map[*ir.Var][]explore.Fault{}, map[*ir.EventField][]explore.Fault{}
	for _, f := range g.Faults() {
		switch v := f.Unset; {
		case v != nil:
			v = whole(p.Machine, v)
			reads[v] = append(reads[v], f)
		case f.Absent != nil:
			field := comesWith(p.Machine, f.Absent)
			sent[field] = append(sent[field], f)
		}
	}
	for _, v := range slices.Concat(p.Machine.Params, p.Machine.Fields) {
		if len(reads[v]) > 0 {
			report(p, g, v, reads[v])
		}
	}
	for _, e := range p.Machine.Events {
		for _, field := range e.Fields {
			if len(sent[field]) > 0 {
				reportSent(p, g, e, field, sent[field])
				delete(sent, field)
			}
		}
	}
	reportParts(p, g, sent)
}

// reportParts reports the reads of parts of elements that some do not have: one of each part.
func reportParts(p *check.Pass, g *explore.Product, sent map[*ir.EventField][]explore.Fault) {
	reads := map[string][]explore.Fault{}
	for field, faults := range sent {
		reads[field.Asked()] = append(reads[field.Asked()], faults...)
	}
	for _, asked := range slices.Sorted(maps.Keys(reads)) {
		slices.SortStableFunc(reads[asked], func(a, b explore.Fault) int { return a.ReadAt.Start.Offset - b.ReadAt.Start.Offset })
		f := check.Finding{
			Message: check.Quote("event."+asked) + " is read here, and some element does not have it",
			Help:    "Ask `event." + asked + " is set` first, or give it as it is to a field without a default, which is unset then.",
		}
		f.Inputs, f.Also = p.Broken(func(b explore.Broken) bool {
			return b.Absent != nil && (&ir.FieldRef{Name: b.Absent.Name}).IsElement() && b.Absent.Asked() == asked
		})
		if show(p, g, &f, reads[asked]) {
			p.Report(f)
		}
	}
}

// whole is what stands for v: of a field that is a record one leaf, since it is set and unset as
// a whole, but for those that may be absent.
func whole(m *ir.Machine, v *ir.Var) *ir.Var {
	if heads := v.Heads(); len(v.Within) > 0 {
		return heads[len(heads)-1]
	}
	for i := v.Index - 1; !v.Param && i >= 0 && v.Together(m.Fields[i]); i-- {
		if !m.Fields[i].Optional {
			v = m.Fields[i]
		}
	}
	return v
}

// comesWith is what stands for field: of a record that may be absent one leaf. It is field itself
// where that is a part of an element.
func comesWith(m *ir.Machine, field *ir.EventField) *ir.EventField {
	for _, e := range m.Events {
		if !slices.Contains(e.Fields, field) {
			continue
		}
		for _, f := range e.Fields {
			if f.Within.Group() == field.Within.Group() {
				return f
			}
		}
	}
	return field
}

// mayBeUnset reports whether m has anything that may be.
func mayBeUnset(m *ir.Machine) bool {
	return slices.ContainsFunc(slices.Concat(m.Params, m.Fields), (*ir.Var).MayBeUnset) ||
		slices.ContainsFunc(m.Events, func(e *ir.Event) bool {
			return slices.ContainsFunc(e.Fields, func(f *ir.EventField) bool { return f.Optional })
		}) ||
		slices.ContainsFunc(m.Records, func(r *ir.Record) bool { // of which an element may be
			return slices.ContainsFunc(r.Fields, func(f *ir.Field) bool { return f.Optional })
		})
}

// returns reports whether what stands at is a value that a terminal returns.
func returns(m *ir.Machine, at token.Span) bool {
	return slices.ContainsFunc(m.States, func(s *ir.State) bool {
		return slices.ContainsFunc(s.Returns, func(ref *ir.VarRef) bool { return ref.At == at })
	})
}

// report reports the reads of v that some run reaches.
func report(p *check.Pass, g *explore.Product, v *ir.Var, reads []explore.Fault) {
	name := check.Quote(v.Asked())
	f := check.Finding{
		Field:   v,
		Message: "field " + name + " is read here, and some run has not set it",
		Help:    "Set it on every path that leads here, ask `" + v.Asked() + " is set` first, or give it a default.",
		Related: []diag.Related{{Span: v.Span, Message: name + " has no default"}},
	}
	switch {
	case v.Optional && !v.Param:
		f.Help = "Ask `" + v.Asked() + " is set` first, or give it as it is to what may be unset."
		f.Related[0].Message = name + " may be absent"
	case v.Param:
		f.Message = "parameter " + name + " is read here, and some run does not have it"
		f.Help = "Ask `" + v.Asked() + " is set` first, or take the `?` out of its declaration."
		f.Related[0].Message = name + " may be absent"
	}
	f.Inputs, f.Also = p.Broken(func(b explore.Broken) bool { return b.Unset != nil && whole(p.Machine, b.Unset) == v })
	places := map[token.Span]bool{}
	for b := range p.Machine.Blocks() {
		for _, a := range b.Assigns {
			places[a.Span] = places[a.Span] || a.Keeps
		}
	}
	if !show(p, g, &f, reads) {
		return
	}
	switch {
	case places[f.Span]:
		f.Message = "a part of " + name + " is set here, and some run has not set the record"
		if v.Optional {
			f.Help = "Ask `" + v.Asked() + " is set` first, or set the whole record."
		}
	case v.Param && slices.ContainsFunc(p.Machine.Timers, func(t *ir.Timer) bool { return t.Span == f.Span }):
		f.Help = "An `after` cannot ask: wait for a field that is set to it `when " + v.Declared() + " is set`, and else to another time; or take the `?` out of its declaration."
	case returns(p.Machine, f.Span) && v.Param:
		f.Message = "parameter " + name + " is returned here, and some run does not have it"
		f.Help = "Lead runs that do not have it to another terminal, by `when " + v.Declared() + " is set`, or take the `?` out of its declaration."
	case returns(p.Machine, f.Span):
		f.Message = "field " + name + " is returned here, and some run has not set it"
		f.Help = "Set it on every path that leads here, or in the block of the terminal, or give it a default."
	}
	p.Report(f)
}

// reportSent reports the reads of a field of e that is absent in some run.
func reportSent(p *check.Pass, g *explore.Product, e *ir.Event, field *ir.EventField, reads []explore.Fault) {
	name := check.Quote(field.Asked())
	f := check.Finding{
		Message: "field " + name + " of event " + check.Quote(e.Name) + " is read here, and some run meets the event without it",
		Help:    "Ask `event." + field.Asked() + " is set` first, or give it as it is to a field without a default, which is unset then.",
		Related: []diag.Related{{Span: field.Span, Message: name + " may be absent"}},
	}
	f.Inputs, f.Also = p.Broken(func(b explore.Broken) bool { return b.Absent != nil && comesWith(p.Machine, b.Absent) == field })
	if show(p, g, &f, reads) {
		p.Report(f)
	}
}

// show gives f its place and its witness: the first of reads that can be shown. The others
// are related. Where none can be shown the question is left open.
func show(p *check.Pass, g *explore.Product, f *check.Finding, reads []explore.Fault) bool {
	for _, r := range reads {
		switch {
		case f.Span.IsValid() && len(f.Related) <= maxRelated:
			f.Related = append(f.Related, diag.Related{Span: r.ReadAt, Message: "this read has the same fault"})
		case !f.Span.IsValid():
			if witness, sure := p.RunInto(r); sure {
				f.State, f.Span, f.Witness = g.Leaf(r.Config), r.ReadAt, witness // the leaf is nil at the start
			}
		}
	}
	if !f.Span.IsValid() {
		p.LeaveOpen(check.Question{State: g.Leaf(reads[0].Config), Span: reads[0].ReadAt})
	}
	return f.Span.IsValid()
}
