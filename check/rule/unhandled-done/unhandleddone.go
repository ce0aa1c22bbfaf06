// Package unhandleddone finds states whose activities can all end while
// nothing takes `done`.
package unhandleddone

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of unhandled-done.
var Rule = &check.Rule{
	Name:     "unhandled-done",
	Group:    check.Completeness,
	Severity: diag.Error,
	Summary:  "all activities can end with the run still in the state, and nothing takes `done`",
	Question: "whether all activities can end with nothing to take `done`",
	Fix:      "adds `on done -> …`, to a terminal, to the state",
	Run:      run,
	Starts:   true,
	OneRun:   true,
	Absence:  true,
}

func run(p *check.Pass) {
	for s, in := range p.Inputs() {
		if in.Kind == ir.CaseDone && len(in.Choices) == 0 && len(p.Table().Lost(s)) == 0 && p.Control().CanEnd(s) {
			judge(p, s, in)
		}
	}
}

// judge asks whether some run reaches a place where `done` is due.
func judge(p *check.Pass, s *ir.State, in flat.Input) {
	switch g := p.Product(); {
	case g == nil && p.Machine.Broken:
		report(p, s, in, p.PathTo(s, in.Case), true)
	case g == nil:
		p.LeaveOpen(check.Question{State: s})
	default:
		if u, comes := g.Unmet(s, in.ID); comes {
			w, sure := p.Run(g.PathTo(u.Config), -1, in.Case)
			report(p, s, in, w, sure)
		}
	}
}

func report(p *check.Pass, s *ir.State, in flat.Input, w *witness.Witness, sure bool) {
	what := "its activity"
	if len(s.Dos) > 1 {
		what = "all its activities"
	}
	message := what + " can end with the run still in " + check.Quote(s.Path) + ", and nothing takes \"done\""
	if list := emptied(p, s); list != nil {
		message = "the list " + check.Quote(list.Name) + " can be empty, and then nothing takes \"done\" as " + check.Quote(s.Path) + " is entered"
	}
	p.ReportSure(check.Finding{
		State:   s,
		Message: message,
		Help:    "Add `on done -> …`, or `on done ignore` if the run is meant to wait.",
		Witness: w,
		Inputs:  []check.InputAt{{Leaf: s, ID: in.ID}},
		Fixes:   fixes(p, s),
	}, sure)
}

// fixes end the run, as a success before a failure.
func fixes(p *check.Pass, s *ir.State) []diag.Fix {
	end := func(to string) diag.Fix { return check.AddMember(s, "on done -> "+to) }
	return append(p.Succeed(s, end), p.Fail(s, end)...)
}

// emptied is the list that has to be empty for the activity of s to end there; nil where
// it can end otherwise, or is one of several.
func emptied(p *check.Pass, s *ir.State) *ir.Var {
	if len(s.Dos) != 1 || s.Dos[0].Fan == nil || s.Dos[0].Activity.Silent() {
		return nil
	}
	for in := range p.Table().Inputs(s) {
		if in.Do != nil && flat.CanStay(in.Choices) {
			return nil
		}
	}
	return s.Dos[0].Fan.List
}
