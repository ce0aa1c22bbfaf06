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
	open := map[*ir.Do][]flat.Input{}
	for s, in := range p.Inputs() {
		if in.Kind == ir.CaseFailure && len(in.Choices) == 0 && len(p.Table().Lost(s)) == 0 {
			open[in.Do] = append(open[in.Do], in)
		}
	}
	for _, s := range p.Leaves() {
		for _, d := range s.Dos {
			if len(open[d]) > 0 {
				report(p, s, d, open[d])
			}
		}
	}
}

// report reports the failures of one activity.
func report(p *check.Pass, s *ir.State, d *ir.Do, failures []flat.Input) {
	var names []string
	var inputs []check.InputAt
	for _, in := range failures {
		names = append(names, in.Category.Name)
		inputs = append(inputs, check.InputAt{Leaf: s, ID: in.ID})
	}
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
