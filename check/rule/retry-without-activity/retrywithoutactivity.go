// Package retrywithoutactivity finds retries that have no activity to run
// again.
package retrywithoutactivity

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of retry-without-activity.
var Rule = &check.Rule{
	Name:     "retry-without-activity",
	Group:    check.Completeness,
	Severity: diag.Error,
	Summary:  "a `retry` on a trigger that no activity of the state, or of one inside it, raises",
	Run:      run,
	Sound:    true,
	Absence:  true,
}

func run(p *check.Pass) {
	m := p.Machine
	for _, a := range m.Arms {
		if a.Kind != ir.Retry {
			continue
		}
		if a.Timer != nil {
			report(p, a, a.Timer.Text(), nil)
			continue
		}
		for _, t := range a.Handler.Triggers {
			if !p.Raised().Has(a.State, t) {
				report(p, a, t.Text(), t)
			}
		}
	}
}

// report reports a retry on trigger, which is nil for a timer.
func report(p *check.Pass, a *ir.Arm, what string, trigger *ir.Trigger) {
	where := "no activity of " + check.Quote(a.State.Path) + " raises it"
	switch {
	case a.State.Parent == nil:
		where = "no activity of any state raises it"
	case a.State.Kind == ir.Composite:
		where = "no activity of a state inside " + check.Quote(a.State.Path) + " raises it"
	}
	f := check.Finding{
		State:   a.State,
		Span:    a.Span,
		Message: check.Quote(what) + " cannot be retried: " + where,
		Help:    "Use `-> …` instead; `-> " + target(a.State) + " max N` enters the state again.",
	}
	if trigger != nil && trigger.Kind == ir.OnEvent && len(trigger.Event.Raisers) > 0 {
		by := trigger.Event.Raisers[0]
		f.Help = "Run " + check.Quote(by.Name) + " here with `do`, or use `-> …` instead."
		f.Related = []diag.Related{{Span: by.Span, Message: check.Quote(by.Name) + " raises it, and does not run here"}}
	}
	p.Report(f)
}

// target is an example of where an arm of s may lead.
func target(s *ir.State) string {
	if s.Kind == ir.Leaf {
		return s.Name
	}
	return "STATE"
}
