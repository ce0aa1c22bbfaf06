// Package requireviolated finds requires that are not the invariants that they
// say they are.
package requireviolated

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of require-violated.
var Rule = &check.Rule{
	Name:      "require-violated",
	Group:     check.Data,
	Severity:  diag.Error,
	Summary:   "some run would enter a state, or stay in it, with its `require` false",
	Question:  "whether a `require` always holds",
	Run:       run,
	Sound:     true,
	OneRun:    true,
	Absence:   true,
	Unreached: true,
	SilencedBy: []check.Silence{
		{Rule: "unreachable-state", At: check.SameState},
	},
}

func run(p *check.Pass) {
	var turned map[int][]int32
	var round map[*ir.State]bool
	for _, s := range p.Machine.States {
		if s.Kind != ir.Leaf || s.Require == nil || guard.Satisfy(broken(s)).Verdict == guard.Unsat {
			continue
		}
		g := p.Product()
		if g == nil {
			if open := p.OpenProduct(); open != nil && len(open.TurnedAway()) == 0 {
				continue
			}
			p.LeaveOpen(check.Question{State: s})
			continue
		}
		if turned == nil {
			turned, round = g.TurnedAway(), leadRound(g)
		}
		if round[s] || !entered(p, g, s, turned[s.ID]) && !halted(p, g, s) {
			stayed(p, g, s)
		}
	}
}

// leadRound are the leaves whose requires some step goes round without end:
// spinning-loop says so.
func leadRound(g *explore.Product) map[*ir.State]bool {
	round := map[*ir.State]bool{}
	for _, f := range g.Faults() {
		for _, s := range f.Round() {
			round[s] = true
		}
	}
	return round
}

// maxEdges is how many ways to be turned away are looked at, where a host guard
// may be the reason.
const maxEdges = 4096

// entered reports that a run would enter s with its `require` false, by one of
// edges; false where none does.
func entered(p *check.Pass, g *explore.Product, s *ir.State, edges []int32) bool {
	open := len(edges) > maxEdges
	for _, e := range edges[:min(len(edges), maxEdges)] {
		if len(ir.GuardCalls(s.Require.Cond)) > 0 && !g.TurnedByData(s, e) {
			continue
		}
		w, sure := p.Run(g.PathAlong(e), -1)
		if !sure {
			open = true
			continue
		}
		f := violated(s, w)
		if a := g.Arm(e); a != nil {
			f.Related = []diag.Related{{Span: a.Span, Message: "by this arm"}}
		}
		p.Report(f)
		return true
	}
	if open {
		p.LeaveOpen(check.Question{State: s})
	}
	return open
}

// violated is the finding that the run w would enter s with its `require` false.
func violated(s *ir.State, w *witness.Witness) check.Finding {
	return check.Finding{
		State: s, Span: s.Require.Span, Witness: w,
		Message: "a run would enter " + check.Quote(s.Path) + " with its `require` false",
		Help:    "Make it true on every path to the state. If both paths are meant, branch before it: `on done when … -> … else -> …` in a state of its own.",
	}
}

// halted reports that a run would enter s with its `require` false, in a step that cannot be
// computed for another reason; false where none does.
func halted(p *check.Pass, g *explore.Product, s *ir.State) bool {
	f, turned := g.TurnedInto(s)
	if turned {
		w, sure := p.RunInto(f)
		p.ReportSure(violated(s, w), sure)
	}
	return turned
}

// stayed reports that a run is in s with its `require` false: its entry block, or
// a step that does not leave it, has made it so.
func stayed(p *check.Pass, g *explore.Product, s *ir.State) {
	m := g.MeetFormula(s, broken(s), s.Require.Cond)
	if m.Verdict == guard.Unsat {
		return
	}
	if m.Verdict == guard.Undecided || !m.Exact {
		p.LeaveOpen(check.Question{State: s})
		return
	}
	w, sure := p.Run(g.PathTo(m.Config), -1)
	p.ReportSure(check.Finding{
		State: s, Span: s.Require.Span, Witness: w,
		Message: "a run stays in " + check.Quote(s.Path) + " with its `require` false" + check.Where(m.Model),
		Help:    "Leave the state when its `require` becomes false, or fix the block that makes it false.",
	}, sure)
}

// broken holds where the data alone makes the `require` of s false: a host guard
// is taken to answer as the require would have it.
func broken(s *ir.State) guard.Formula {
	return guard.Read(granted(s.Require.Cond, true), nil).Fails
}
