// Package neverread finds fields whose value nothing uses.
package neverread

import (
	_ "embed"

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
	Summary:  "a field that nothing reads",
	Page:     page,
	Run:      run,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "never-set", At: check.SameField},
	},
}

//go:embed page.md
var page string

func run(p *check.Pass) {
	m := p.Machine
	if m.Broken {
		return // what could not be resolved may be the read
	}
	read := readIn(m)
	wholes := map[*ir.Whole]bool{} // of which something reads a part
	for v := range read {
		wholes[v.Whole] = v.Whole != nil && (read[v] || wholes[v.Whole])
	}
	for _, v := range ir.Declared(m.Fields) {
		if read[v] || wholes[v.Whole] {
			continue
		}
		p.Report(check.Finding{
			Field:   v,
			Span:    v.Span,
			Message: "nothing reads field " + check.Quote(v.Declared()),
			Help:    "Use it in a guard, an argument or a message, or remove it; it is shown with the run all the same.",
		})
	}
}

// readIn are the variables that something reads. What an effect reads to
// compute a new value of the same variable does not count.
func readIn(m *ir.Machine) map[*ir.Var]bool {
	own := map[ir.Expr]*ir.Var{} // by the value of an effect: what it sets
	for b := range m.Blocks() {
		for _, a := range b.Assigns {
			if a.Value != nil {
				own[a.Value] = a.Var
			}
		}
	}
	read := map[*ir.Var]bool{}
	for whole := range m.Exprs() {
		ir.Walk(whole, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.VarRef:
				read[e.Var] = read[e.Var] || own[whole] != e.Var
			case *ir.IsSet:
				if e.Var != nil {
					read[e.Var] = true
				}
			}
			return true
		})
	}
	for _, t := range m.Timers {
		if t.Var != nil {
			read[t.Var] = true
		}
	}
	for _, d := range m.Dos {
		if d.Fan != nil {
			read[d.Fan.List] = true
		}
	}
	return read
}
