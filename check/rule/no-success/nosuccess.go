// Package nosuccess finds machines in which no run can succeed.
package nosuccess

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of no-success.
var Rule = &check.Rule{
	Name:     "no-success",
	Group:    check.Graph,
	Severity: diag.Warning,
	Summary:  "no terminal state of outcome success can be reached",
	Question: "whether a terminal state of outcome success can be reached",
	Run:      run,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "missing-terminal", At: check.SameMachine},
		{Rule: "unreachable-state", At: check.SameState},
		{Rule: "never-fires", At: check.SameState},
		{Rule: "read-before-set", At: check.SameState},
		{Rule: "out-of-range", At: check.SameState},
		{Rule: "spinning-loop", At: check.SameState},
		{Rule: "unbounded-loop", At: check.SameState},
	},
}

const success = "success"

func run(p *check.Pass) {
	if !p.Starts() || p.Control().Open() {
		return // an unresolved target may be the way there
	}
	var related []diag.Related
	var successes []*ir.State
	for _, s := range p.Machine.States {
		if s.Kind != ir.Terminal || s.Outcome != success {
			continue
		}
		if !p.Unreachable(s) {
			return
		}
		successes = append(successes, s)
		related = append(related, diag.Related{Span: s.Span, Message: "no run enters " + check.Quote(s.Path)})
	}
	if p.Unreachable(p.Machine.Root) { // no run starts, and what is wrong there is about the root, too
		successes = append(successes, p.Machine.Root)
	}
	help := "Lead to it from a state that runs enter."
	if len(related) == 0 {
		help = "Declare one with `terminal Done success` and lead to it, or suppress this where runs are meant to fail or to be cancelled."
	}
	p.Report(check.Finding{
		Message: "no run of machine " + check.Quote(p.Machine.Name) + " can end in success",
		Help:    help,
		Related: related,
		Also:    successes,
	})
}
