// Package deadend finds states that nothing leads out of.
package deadend

import (
	_ "embed"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of dead-end.
var Rule = &check.Rule{
	Name:     "dead-end",
	Group:    check.Graph,
	Severity: diag.Error,
	Summary:  "the state is not terminal, and nothing leads out of it",
	Page:     page,
	Run:      run,
	Absence:  true,
}

//go:embed page.md
var page string

func run(p *check.Pass) {
	g := p.Graph()
	if g == nil {
		return
	}
	left := leftStates(p.Machine, g)
	for _, s := range p.Leaves() {
		if _, entered := g.Entered(s); !entered || left[s.ID] {
			continue
		}
		p.Report(check.Finding{
			State:   s,
			Message: "nothing leads out of state " + check.Quote(s.Path),
			Help:    "Give it an arm that leads on, such as `after 1h -> …`, or make it a terminal state.",
			Witness: p.PathTo(s),
		})
	}
}

// leftStates says by state ID which leaves some path leaves for another one,
// cancel aside. An arm that leads back to its own leaf leaves it only where
// what the leaf requires may send the run elsewhere.
func leftStates(m *ir.Machine, g *explore.Graph) []bool {
	left := make([]bool, len(m.States))
	for c := range int32(g.Len()) {
		s := g.Leaf(c)
		if left[s.ID] || !g.Settled(c) {
			continue
		}
		left[s.ID] = g.OpenAt(c)
		for e := g.First[c]; e < g.First[c+1]; e++ {
			to := g.To[e]
			if !g.IsCancel(e) && (g.Leaf(to) != s || !g.Settled(to)) {
				left[s.ID] = true
				break
			}
		}
	}
	return left
}
