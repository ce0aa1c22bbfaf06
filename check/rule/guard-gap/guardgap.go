// Package guardgap finds events from outside that handlers take, but not for all
// values.
package guardgap

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of guard-gap.
var Rule = &check.Rule{
	Name:     "guard-gap",
	Group:    check.Completeness,
	Severity: diag.Warning,
	Summary:  "there are values for which no arm of an external event applies, and nothing around takes it",
	Question: "whether some arm always takes an event",
	Fix:      "ends the chain with `else reject`, `else ignore`, or `else -> …` to a failure terminal",
	Run:      run,
	Sound:    true,
	Absence:  true,
}

func run(p *check.Pass) {
	for _, g := range p.Gaps(ir.CaseEvent) {
		switch g.Met {
		case check.Unclear:
			p.LeaveOpen(check.Question{State: g.Leaf})
		case check.CanBeMet:
			if dead(p, g) {
				continue // dead-arm
			}
			run := p.Shown(&g.Meeting, nil)
			p.Report(check.Finding{
				State:   g.Leaf,
				Span:    g.Input.Choices[0].Arm.Span,
				Message: "nothing takes " + check.Quote(g.Input.Event.Name) + " in " + check.Quote(g.Leaf.Path) + check.Where(g.Model) + ": no guard holds",
				Help:    "Say what is to happen then: end the chain with `else -> …`, or with `else reject` to refuse it on purpose.",
				Witness: run,
				Inputs:  g.Inputs,
				Fixes:   p.ElseAfter(g.Input),
			})
		}
	}
}

// dead reports whether all arms stand in the leaf itself and none of them is ever
// taken: that is a fault of its own.
func dead(p *check.Pass, g *check.Gap) bool {
	for i, c := range g.Input.Choices {
		want := check.Want(g.Input, i, explore.Any, explore.Holds)
		if c.State != g.Leaf || p.Meet(g.Leaf, g.Input, want).Met == check.CanBeMet {
			return false
		}
	}
	return true
}
