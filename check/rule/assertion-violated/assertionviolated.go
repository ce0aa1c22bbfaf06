// Package assertionviolated finds asserts that fail in some run.
package assertionviolated

import (
	"strconv"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of assertion-violated.
var Rule = &check.Rule{
	Name:     "assertion-violated",
	Group:    check.Promises,
	Severity: diag.Error,
	Summary:  "an `assert` fails in some run",
	Question: "whether an assert holds",
	Run:      run,
	Absence:  true,
}

func run(p *check.Pass) {
	if !p.Starts() || p.Machine.Broken || len(p.Machine.Asserts) == 0 {
		return
	}
	g, most := p.Product(), longest{}
	for _, a := range p.Machine.Asserts {
		if proved(p.Control(), a) {
			continue
		}
		if g == nil {
			if !holds(p.OpenProduct(), a) {
				p.LeaveOpen(check.Question{Span: a.Span})
			}
			continue
		}
		path := violation(g, a, most, func(int32) bool { return true })
		if path == nil {
			continue
		}
		witness, sure := p.Run(path, -1)
		if !sure { // a longer way may be
			if path = violation(g, a, most, g.Certain); path != nil {
				witness, sure = p.Run(path, -1)
			}
		}
		p.ReportSure(check.Finding{
			Span:    a.Span,
			Message: message(a),
			Help:    "Change the machine so that no run does this, or change the promise.",
			Witness: witness,
		}, sure)
	}
}

// message says what the witness does.
func message(a *ir.Assert) string {
	if a.Subject == nil {
		return check.Quote(a.Name) + " can succeed, and the run then end, or be stuck, without entering " + check.Or(ir.Paths(a.Objects))
	}
	subject := check.Quote(a.Subject.Path)
	switch a.Verb {
	case ir.Precedes:
		return "a run can enter " + check.Quote(a.Objects[0].Path) + " without having entered " + subject
	case ir.LeadsTo:
		return "a run can enter " + subject + " and then end, or be stuck, without entering " + check.Or(ir.Paths(a.Objects))
	case ir.Excludes:
		return "a run can enter both " + subject + " and " + check.Quote(a.Objects[0].Path)
	}
	return "a run can enter " + subject + " more often than " + strconv.FormatInt(a.N, 10) + " times"
}
