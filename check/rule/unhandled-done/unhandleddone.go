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
	OneRun:   true,
	Absence:  true,
}

func run(p *check.Pass) {
	if !p.Starts() {
		return
	}
	for s, in := range p.Inputs() {
		if in.Kind == ir.CaseDone && len(in.Choices) == 0 && len(p.Table().Lost(s)) == 0 && p.Control().CanEnd(s) {
			judge(p, s, in)
		}
	}
}

// judge asks whether some run reaches a place where `done` is due.
func judge(p *check.Pass, s *ir.State, in flat.Input) {
	g := p.Product()
	if g == nil {
		if !p.Machine.Broken {
			p.LeaveOpen(check.Question{Rule: "unhandled-done", State: s})
			return
		}
		report(p, s, in, p.PathTo(s, in.Case))
		return
	}
	u, comes := g.Unmet(s, in.ID)
	if !comes {
		return
	}
	witness, sure := p.Run(g.PathTo(u.Config), -1, in.Case)
	if !sure {
		p.LeaveOpen(check.Question{Rule: "unhandled-done", State: s})
		return
	}
	report(p, s, in, witness)
}

func report(p *check.Pass, s *ir.State, in flat.Input, w *witness.Witness) {
	what := "its activity"
	if len(s.Dos) > 1 {
		what = "all its activities"
	}
	message := what + " can end with the run still in " + check.Quote(s.Path) + ", and nothing takes \"done\""
	if list := emptied(p, s); list != nil {
		message = "the list " + check.Quote(list.Name) + " can be empty, and then nothing takes \"done\" as " + check.Quote(s.Path) + " is entered"
	}
	p.Report(check.Finding{
		State:   s,
		Message: message,
		Help:    "Add `on done -> …`, or `on done ignore` if the run is meant to wait.",
		Witness: w,
		Inputs:  []check.InputAt{{Leaf: s, ID: in.ID}},
		Fixes:   fixes(p, s),
	})
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
