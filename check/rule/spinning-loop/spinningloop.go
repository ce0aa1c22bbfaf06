// Package spinningloop finds cycles that wait for nothing.
package spinningloop

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of spinning-loop.
var Rule = &check.Rule{
	Name:     "spinning-loop",
	Group:    check.Graph,
	Severity: diag.Error,
	Summary:  "a cycle can be taken without end, and no step of it waits for anything",
	Question: "whether a cycle that waits for nothing can be taken without end",
	Run:      run,
	Sound:    true,
	Starts:   true,
	OneRun:   true,
	Absence:  true,

	Unreached: true, // no run need enter a leaf from which requires lead round
}

func run(p *check.Pass) {
	if p.SmallProduct() == nil {
		left := p.Control().SpinningLoops()
		if leaf := p.Control().MaySpin(); leaf != nil && len(left) == 0 {
			left = [][]*ir.State{{leaf}}
		}
		if len(left) == 0 {
			return
		}
		if p.Product() == nil {
			for _, leaves := range left {
				p.LeaveOpen(check.Question{State: leaves[0]})
			}
			return
		}
	}
	g := p.Product()
	loops := g.Loops(g.AtOnce)
	for _, l := range loops {
		reportLoop(p, g, l)
	}
	if len(loops) == 0 {
		reportChain(p, g)
	}
	reportCircles(p, g)
}

func reportLoop(p *check.Pass, g *explore.Product, l explore.Loop) {
	path := g.PathTo(l.Into)
	witness, sure := p.RunAtOnce(append(path, l.Round...), len(path))
	if !sure {
		p.LeaveOpen(check.Question{State: l.Leaves[0]})
		return
	}
	inputs := p.InputsOf(l.Leaves...)
	p.Report(check.Finding{
		State:   l.Leaves[0],
		Also:    l.Leaves[1:],
		Inputs:  inputs,
		Behind:  p.Behind(inputs), // no run waits for them
		Span:    g.Arm(l.Round[len(l.Round)-1]).Span,
		Message: "a run can go round " + check.Cycle(l.Leaves) + " without end, and waits for nothing there",
		Help:    "Let a step of the cycle wait for something, such as a timer over 0s, or make its guards lead out of it.",
		Witness: witness,
	})
}

// reportChain reports steps that end, but too late.
func reportChain(p *check.Pass, g *explore.Product) {
	from, chain := g.ChainAtOnce()
	if from == graph.None {
		return
	}
	leaf := g.Leaf(from)
	witness, sure := p.Run(append(g.PathTo(from), chain...), -1)
	p.ReportSure(check.Finding{
		State:   leaf,
		Message: fmt.Sprintf("more than %d steps can follow at once from %s, and then the run is halted", control.MostAtOnce, check.Quote(leaf.Path)),
		Help:    "Let one of these steps wait for something, or let an activity do the work of so many steps.",
		Witness: witness,
	}, sure)
}

// reportCircles reports requires that turn a run away from one another.
func reportCircles(p *check.Pass, g *explore.Product) {
	said := map[*ir.State]bool{}
	for _, f := range g.Faults() {
		round := f.Round()
		if len(round) == 0 || said[round[0]] {
			continue
		}
		for _, leaf := range round {
			said[leaf] = true
		}
		witness, sure := p.RunInto(f)
		if !sure {
			p.LeaveOpen(check.Question{State: g.Leaf(f.Config), Span: round[0].Require.Span})
			continue
		}
		inputs, behind := p.Broken(func(b explore.Broken) bool {
			other := b.Round()
			return len(other) > 0 && slices.Contains(round, other[0])
		})
		state := round[0]
		if g.Leaf(f.Config) == nil {
			state = nil // of the start
		}
		p.Report(check.Finding{
			State:   state,
			Inputs:  inputs,
			Also:    append(round, behind...),
			Span:    round[0].Require.Span,
			Message: "the requires from " + check.Quote(round[0].Path) + " can form a circle",
			Help:    "Let the `else` of one of them lead to a state that requires nothing.",
			Witness: witness,
		})
	}
}
