// Package unhandledfailure finds failures of activities that nothing takes.
package unhandledfailure

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of unhandled-failure.
var Rule = &check.Rule{
	Name:     "unhandled-failure",
	Group:    check.Completeness,
	Severity: diag.Error,
	Summary:  "an activity may fail in a way that neither its state nor one around it handles",
	Question: "whether some run has a failure that nothing takes",
	Fix:      "adds `on failed -> …`, to a failure terminal, to the state",
	Run:      run,
	Static:   true,
	Absence:  true,
}

// All categories that one activity leaves open are one finding: one `on failed`
// takes them all.
func run(p *check.Pass) {
	for _, s := range p.Leaves() {
		if len(p.Table().Lost(s)) > 0 {
			continue
		}
		var open []flat.Input
		for in := range p.Table().Inputs(s) {
			if in.Kind != ir.CaseFailure || len(in.Choices) > 0 {
				continue
			}
			if len(open) > 0 && open[0].Do != in.Do {
				report(p, s, open)
				open = nil
			}
			open = append(open, in)
		}
		if len(open) > 0 {
			report(p, s, open)
		}
	}
}

// report reports the failures of one activity.
func report(p *check.Pass, s *ir.State, failures []flat.Input) {
	var names []string
	var inputs []check.InputAt
	for _, in := range failures {
		names = append(names, in.Category.Name)
		inputs = append(inputs, check.InputAt{Leaf: s, ID: in.ID})
	}
	d := failures[0].Do
	p.Report(check.Finding{
		State:   s,
		Span:    d.Span,
		Message: check.Quote(d.Activity.Name) + " may fail with " + check.Or(names) + ", which " + check.NoneAround(s) + " handles",
		Help:    "Add `on failed -> …` to " + check.Around(s) + ", or to the machine.",
		Witness: p.PathTo(s, failures[0].Case),
		Inputs:  inputs,
		Fixes:   fixes(p, s, d, names),
	})
}

// fixes add a handler that ends the run as a failure. It names the categories that are open
// where a state around s has handlers of its own: it would hide those.
func fixes(p *check.Pass, s *ir.State, d *ir.Do, names []string) []diag.Fix {
	trigger := "failed"
	if slices.ContainsFunc(s.Chain()[1:], takesFailures) {
		trigger += "(" + strings.Join(names, ", ") + ")"
	}
	if d.Label != "" && len(s.Dos) > 1 {
		trigger = d.Label + "." + trigger
	}
	return p.Fail(s, func(to string) diag.Fix { return check.AddMember(s, "on "+trigger+" -> "+to) })
}

func takesFailures(s *ir.State) bool {
	return slices.ContainsFunc(s.Handlers, func(h *ir.Handler) bool {
		return slices.ContainsFunc(h.Triggers, func(t *ir.Trigger) bool { return t.Kind == ir.OnFailed })
	})
}
