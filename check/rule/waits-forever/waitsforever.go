// Package waitsforever finds states that a run may never leave, because
// nothing sets a time to what it waits for.
package waitsforever

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of waits-forever.
var Rule = &check.Rule{
	Name:     "waits-forever",
	Group:    check.Graph,
	Severity: diag.Warning,
	Summary:  "only an external event, or an activity without any time limit, leaves the state",
	Question: "whether any run waits in it for ever",
	Run:      run,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "dead-end", At: check.SameState},
		{Rule: "no-way-to-finish", At: check.SameState},
	},
}

func run(p *check.Pass) {
	for _, s := range p.Leaves() {
		if a, only := p.Awaits(s); only {
			report(p, s, a)
		}
	}
}

// maxNamed is the most events that a message names.
const maxNamed = 3

func report(p *check.Pass, s *ir.State, a check.Awaited) {
	var related []diag.Related
	var names []string
	called := false
	for _, d := range a.Activities {
		names = append(names, d.Activity.Name)
		if d.Activity.Machine == nil {
			related = append(related, diag.Related{Span: d.Span, Message: "it has neither `timeout`, `heartbeat` nor `progress`"})
			continue
		}
		called = true
		related = append(related, diag.Related{Span: d.Span, Message: "a run of " + check.Quote(d.Activity.Name) + " may wait for ever, and the `do` has no `timeout`"})
	}
	what := "only " + check.Or(a.Events) + " from outside leads out of it"
	if len(a.Events) > maxNamed {
		what = "only events from outside lead out of it"
	}
	help := "Set a time with `after 7d -> …` in " + check.Around(s) + ", or suppress this finding if somebody watches the run."
	if len(names) > 0 {
		what = check.And(slices.Compact(names)) + " may run without end, and nothing else is sure to lead out of it"
		help = "Give the activity a `timeout`, or set a time with `after 1h -> …` in " + check.Around(s) + "."
	}
	if called {
		help = "Give the `do` a `timeout`, or set a time with `after 1h -> …` in " + check.Around(s) + "."
	}
	p.Report(check.Finding{
		State:   s,
		Message: check.Quote(s.Path) + " may wait for ever: " + what,
		Help:    help,
		Related: related,
		Witness: p.PathTo(s),
	})
}
