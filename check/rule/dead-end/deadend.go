// Package deadend finds states that nothing leads out of.
package deadend

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of dead-end.
var Rule = &check.Rule{
	Name:     "dead-end",
	Group:    check.Graph,
	Severity: diag.Error,
	Summary:  "the state is not terminal, and nothing leads out of it",
	Question: "whether any run is stuck in it",
	Run:      run,
	Starts:   true,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "spinning-loop", At: check.RestsOn},
		{Rule: "unbounded-loop", At: check.RestsOn},
	},
}

// What leads out of a state is what the text says: an arm that leads back to its
// own leaf does so only where what the leaf requires may send the run elsewhere.
func run(p *check.Pass) {
	c := p.Control()
	for _, s := range p.Leaves() {
		if _, entered := c.Entered(s); !entered || c.Left(s) {
			continue
		}
		p.Report(check.Finding{
			State:   s,
			Message: "nothing leads out of state " + check.Quote(s.Path),
			Help:    "Give it an arm that leads to another state, such as `after 1h -> …`, or make it a terminal state.",
			Witness: p.PathTo(s),
			Rests:   p.InputsOf(s),
		})
	}
}
