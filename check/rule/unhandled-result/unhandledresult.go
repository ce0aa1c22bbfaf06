// Package unhandledresult finds results of activities that nothing takes.
package unhandledresult

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of unhandled-result.
var Rule = &check.Rule{
	Name:     "unhandled-result",
	Group:    check.Completeness,
	Severity: diag.Error,
	Summary:  "an activity may raise an event that neither its state nor one around it handles",
	Question: "whether some run has a result that nothing takes",
	Fix:      "adds `on … -> …`, to a failure terminal, to the state",
	Run:      run,
	Static:   true,
	Absence:  true,
}

func run(p *check.Pass) {
	for s, in := range p.Inputs() {
		if in.Kind == ir.CaseResult && len(in.Choices) == 0 && len(p.Table().Lost(s)) == 0 && !late(p, s, in) {
			report(p, s, in)
		}
	}
}

// late reports whether a timer of s or around it always comes before in, with which a run of a machine
// ends. An arm for it would be a dead one.
func late(p *check.Pass, s *ir.State, in flat.Input) bool {
	return p.Table().Soonest(in.Do.Activity, in.Event) > 0 && p.Meet(s, in, nil).Met == check.NeverMet
}

func report(p *check.Pass, s *ir.State, in flat.Input) {
	name, says := check.Quote(in.Do.Activity.Name), in.Event.Name
	f := check.Finding{
		State:   s,
		Span:    in.Do.Span,
		Message: name + " may raise " + check.Quote(says) + ", which " + check.NoneAround(s) + " handles",
		Related: []diag.Related{{Span: in.Do.Activity.Span, Message: name + " is declared to raise it here"}},
		Witness: p.PathTo(s, in.Case),
		Inputs:  []check.InputAt{{Leaf: s, ID: in.ID}},
	}
	if in.Event.Terminal != nil {
		says = in.Do.Label + "." + in.Event.Exit()
		f.Message = "a run of " + name + " may end in " + check.Quote(in.Event.Exit()) + ", which " + check.NoneAround(s) + " handles"
		f.Related = []diag.Related{{Span: in.Event.Terminal.Span, Message: "runs of " + name + " end here"}}
	}
	f.Help = "Add `on " + says + " -> …` to " + check.Around(s) + "."
	if in.Event.Terminal == nil {
		f.Help = "Add `on " + says + " -> …` to " + check.Around(s) + ", or `ignore " + says + "`."
	}
	f.Fixes = p.Fail(s, func(to string) diag.Fix { return check.AddMember(s, "on "+says+" -> "+to) })
	p.Report(f)
}
