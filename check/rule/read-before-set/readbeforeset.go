// Package readbeforeset finds reads of fields that a run may not have set.
package readbeforeset

import (
	_ "embed"
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
	Page:     page,
	Run:      run,
	Absence:  true,
}

//go:embed page.md
var page string

// maxRelated is the most further reads that are shown beside a finding.
const maxRelated = 3

// One field is one finding, at the read that the shortest run reaches.
func run(p *check.Pass) {
	if !p.Starts() || p.Machine.Broken || !slices.ContainsFunc(p.Machine.Fields, startsUnset) {
		return // a lost name may be the effect that sets it
	}
	if p.SmallProduct() == nil && !p.MayReadUnset() {
		return
	}
	g := p.Product()
	if g == nil {
		p.LeaveOpen(check.Question{Rule: "read-before-set"})
		return
	}
	reads := map[*ir.Var][]explore.Fault{}
	for _, f := range g.Faults() {
		if f.Unset != nil {
			v := f.Unset
			for v.Index > 0 && v.Together(p.Machine.Fields[v.Index-1]) {
				v = p.Machine.Fields[v.Index-1] // a record is set and unset as a whole
			}
			reads[v] = append(reads[v], f)
		}
	}
	for _, v := range p.Machine.Fields {
		if len(reads[v]) > 0 {
			report(p, g, v, reads[v])
		}
	}
}

// returns reports whether what stands at is a value that a terminal returns.
func returns(m *ir.Machine, at token.Span) bool {
	return slices.ContainsFunc(m.States, func(s *ir.State) bool {
		return slices.ContainsFunc(s.Returns, func(ref *ir.VarRef) bool { return ref.At == at })
	})
}

func startsUnset(v *ir.Var) bool { return v.Default == nil }

// report reports the reads of v that some run reaches.
func report(p *check.Pass, g *explore.Product, v *ir.Var, reads []explore.Fault) {
	name := check.Quote(v.Declared())
	f := check.Finding{
		Field:   v,
		Message: "field " + name + " is read here, and some run has not set it",
		Help:    "Set it on every path that leads here, ask `" + v.Declared() + " is set` first, or give it a default.",
		Related: []diag.Related{{Span: v.Span, Message: name + " has no default"}},
	}
	f.Inputs, f.Also = p.Broken(func(b explore.Broken) bool { return b.Unset != nil && b.Unset.Together(v) })
	places := map[token.Span]bool{}
	for b := range p.Machine.Blocks() {
		for _, a := range b.Assigns {
			places[a.Span] = places[a.Span] || a.Keeps
		}
	}
	for _, r := range reads {
		state := g.Leaf(r.Config) // nil of the start
		switch {
		case f.Span.IsValid() && len(f.Related) <= maxRelated:
			f.Related = append(f.Related, diag.Related{Span: r.ReadAt, Message: "this read has the same fault"})
		case !f.Span.IsValid():
			if witness, sure := p.RunInto(r); sure {
				f.State, f.Span, f.Witness = state, r.ReadAt, witness
				if returns(p.Machine, r.ReadAt) {
					f.Message = "field " + name + " is returned here, and some run has not set it"
					f.Help = "Set it on every path that leads here, or in the block of the terminal, or give it a default."
				} else if places[r.ReadAt] {
					f.Message = "a part of " + name + " is set here, and some run has not set the record"
				}
			}
		}
	}
	if !f.Span.IsValid() {
		p.LeaveOpen(check.AtStart(check.Question{Rule: "read-before-set", State: g.Leaf(reads[0].Config)}, reads[0].ReadAt))
		return
	}
	p.Report(f)
}
