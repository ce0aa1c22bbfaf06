// Package missingterminal finds machines that cannot end.
package missingterminal

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of missing-terminal.
var Rule = &check.Rule{
	Name:     "missing-terminal",
	Group:    check.Graph,
	Severity: diag.Error,
	Summary:  "the machine has no terminal state",
	Fix:      "adds `terminal Done success`, and `on Finish -> Done` that leads to it from every state",
	Run:      run,
	Absence:  true,
}

func run(p *check.Pass) {
	for _, s := range p.Machine.States {
		if s.Kind == ir.Terminal {
			return
		}
	}
	p.Report(check.Finding{
		Message: "machine " + check.Quote(p.Machine.Name) + " has no terminal state",
		Help:    "Say how a run ends, for example with `terminal Done success`.",
		Fixes:   p.Finish(),
	})
}
