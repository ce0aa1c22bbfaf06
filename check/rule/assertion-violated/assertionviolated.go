// Package assertionviolated finds asserts that fail in some run.
package assertionviolated

import (
	"strconv"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
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
		witness, runs := p.Replayed(path, -1)
		for _, keep := range []func(int32) bool{g.Certain, own(g)} { // longer ways may be
			if runs {
				break
			}
			if path = violation(g, a, most, keep); path != nil {
				witness, runs = p.Replayed(path, -1)
			}
		}
		p.ReportSure(check.Finding{
			Span:    a.Span,
			Message: message(a),
			Help:    "Change the machine so that no run does this, or change the promise.",
			Witness: witness,
		}, runs || witness != nil)
	}
}

// own is for the edges that rest on no guess and on no timer around the leaf: where times are not
// told apart, another timer may always end the visit before.
func own(g *explore.Product) func(e int32) bool {
	return func(e int32) bool {
		a := g.Arm(e)
		return g.Certain(e) && (a == nil || a.Timer == nil || a.State.Kind == ir.Leaf)
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
