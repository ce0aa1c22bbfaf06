// Package undecided says which questions the limit left open.
package undecided

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of undecided.
var Rule = &check.Rule{
	Name:     "undecided",
	Group:    check.Promises,
	Severity: diag.Error,
	Summary:  "a question that the checker could neither prove nor refute",
	Run:      run,
	Late:     true,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "missing-range", At: check.SameField},
	},
}

func run(p *check.Pass) {
	for _, s := range p.Machine.States {
		p.Unreachable(s)
	}
	help := check.Helps(p.Machine)
	for _, q := range p.OpenQuestions() {
		p.Report(check.Finding{State: q.State, Field: q.Changes, Span: q.Span, Question: &q, Message: q.Text(), Help: help(q)})
	}
}
