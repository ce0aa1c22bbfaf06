// Package neverset finds fields that never hold a value.
package neverset

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of never-set. A read of such a field that nothing
// protects is an error, which says more.
var Rule = &check.Rule{
	Name:     "never-set",
	Group:    check.Data,
	Severity: diag.Warning,
	Summary:  "a field without a default that nothing sets",
	Run:      run,
	Sound:    true,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "read-before-set", At: check.SameField},
	},
}

func run(p *check.Pass) {
	m := p.Machine
	set := map[*ir.Var]bool{}
	wholes := map[*ir.Field]bool{}
	for b := range m.Blocks() {
		for _, a := range b.Assigns {
			if a.Value != nil && !a.Keeps {
				set[a.Var], wholes[a.Var.Whole] = true, a.Var.Whole != nil
			}
		}
	}
	for _, v := range ir.Declared(m.Fields) {
		if v.Default != nil || set[v] || wholes[v.Whole] {
			continue
		}
		p.Report(check.Finding{
			Field:   v,
			Span:    v.Span,
			Message: "field " + check.Quote(v.Declared()) + " has no default, and nothing sets it",
			Help:    "Set it in a block with `{ " + v.Declared() + " = … }`, give it a default, or remove it.",
		})
	}
}
