// Package neverread finds fields and parameters whose value nothing uses.
package neverread

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of never-read. A field that nothing sets either is told
// once.
var Rule = &check.Rule{
	Name:     "never-read",
	Group:    check.Data,
	Severity: diag.Hint,
	Summary:  "a field or parameter that nothing reads",
	Run:      run,
	Sound:    true,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "never-set", At: check.SameField},
	},
}

func run(p *check.Pass) {
	m := p.Machine
	read := check.ReadIn(m, true)
	wholes := map[*ir.Field]bool{} // of which something reads a part
	for v := range read {
		wholes[v.Whole] = v.Whole != nil && (read[v] || wholes[v.Whole])
	}
	report := func(vars []*ir.Var, kind string) {
		for _, v := range ir.Declared(vars) {
			if read[v] || wholes[v.Whole] {
				continue
			}
			p.Report(check.Finding{
				Field:   v,
				Span:    v.Span,
				Message: "nothing reads " + kind + " " + check.Quote(v.Declared()),
				Help:    "Use it in a guard, an argument or a message, or remove it; it is shown with the run all the same.",
			})
		}
	}
	report(m.Params, "parameter")
	report(m.Fields, "field")
}
