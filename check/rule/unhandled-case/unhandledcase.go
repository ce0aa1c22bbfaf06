// Package unhandledcase finds handlers of what comes from within a run (results,
// failures, `done`, timers) whose guards leave values out.
package unhandledcase

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of unhandled-case.
var Rule = &check.Rule{
	Name:     "unhandled-case",
	Group:    check.Completeness,
	Severity: diag.Error,
	Summary:  "a result, a failure, `done` or a timer has handlers, but their guards leave values out",
	Question: "whether some arm always takes what comes from within the run",
	Fix:      "ends the chain with `else -> …`, to a failure terminal",
	Run:      run,
	Sound:    true,
	OneRun:   true,
	Absence:  true,
}

func run(p *check.Pass) {
	for _, g := range p.Gaps(ir.CaseResult, ir.CaseFailure, ir.CaseDone, ir.CaseTimer, ir.CaseOverBudget) {
		switch g.Met {
		case check.Unclear:
			p.LeaveOpen(check.Question{State: g.Leaf})
		case check.CanBeMet:
			run := p.Shown(&g.Meeting, nil)
			p.Report(check.Finding{
				State:   g.Leaf,
				Span:    g.Input.Choices[0].Arm.Span,
				Message: "nothing takes " + check.Quote(g.Input.Text()) + " in " + check.Quote(g.Leaf.Path) + check.Where(g.Model) + ": no guard holds, and the run would be halted",
				Help:    "End the chain with an `else` that takes everything that is left, such as `else -> …`.",
				Related: raisedBy(g),
				Witness: run,
				Inputs:  g.Inputs,
				Fixes:   p.ElseAfter(g.Input),
			})
		}
	}
}

// raisedBy is where the result or the failure comes from.
func raisedBy(g *check.Gap) []diag.Related {
	if g.Input.Do == nil {
		return nil
	}
	return []diag.Related{{Span: g.Input.Do.Span, Message: check.Quote(g.Input.Do.Activity.Name) + " may raise it"}}
}
