// Package unreachablestate finds states that no run enters.
package unreachablestate

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of unreachable-state.
var Rule = &check.Rule{
	Name:      "unreachable-state",
	Group:     check.Graph,
	Severity:  diag.Error,
	Summary:   "no run enters the state",
	Question:  check.WhetherEntered,
	Run:       run,
	Absence:   true,
	Unreached: true,
	SilencedBy: []check.Silence{
		{Rule: "never-fires", At: check.SameState},
		{Rule: "read-before-set", At: check.SameState},
		{Rule: "out-of-range", At: check.SameState},
		{Rule: "spinning-loop", At: check.SameState},
		{Rule: "unbounded-loop", At: check.SameState},
	},
}

// maxRelated is the most ways in that are shown beside a finding.
const maxRelated = 3

func run(p *check.Pass) {
	if !p.Starts() || p.Control().Open() {
		return // an unresolved target may be any of the states in question
	}
	var list []*ir.State
	for _, s := range p.Machine.States[1:] {
		if p.NeverEntered(s) && !p.NeverEntered(s.Parent) { // what lies in an unreachable composite is said with it
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return
	}
	ways := waysIn(p.Machine)
	for _, c := range causes(p, list, ways) {
		message := "no run enters state " + check.Quote(c.state.Path)
		if len(c.behind) > 0 {
			message += ", nor " + check.Cycle(c.behind) + " behind it"
		}
		p.Report(check.Finding{
			State:   c.state,
			Message: message,
			Help:    help(c.state, ways[c.state]),
			Related: related(p, ways[c.state]),
			Behind:  c.behind,
		})
	}
}

// waysIn lists for each state the arms that lead from outside into it.
func waysIn(m *ir.Machine) map[*ir.State][]*ir.Arm {
	ways := map[*ir.State][]*ir.Arm{}
	for _, a := range m.Arms {
		if a.Kind != ir.Goto {
			continue
		}
		for s := a.Target; s != nil && !a.State.Inside(s); s = s.Parent {
			ways[s] = append(ways[s], a)
		}
	}
	return ways
}

func help(s *ir.State, ways []*ir.Arm) string {
	switch {
	case s.Require != nil && flat.Guard(s.Require.Cond) == flat.False:
		return "What it requires is never true: fix the `require`, or remove the state."
	case len(ways) == 0:
		return "Lead to it with an arm such as `-> " + s.Path + "`, or remove it."
	}
	return "Make one of the arms that lead here possible, or remove the state."
}

// related says of the arms that lead to a state why they do not help.
func related(p *check.Pass, ways []*ir.Arm) []diag.Related {
	var out []diag.Related
	for _, a := range ways[:min(len(ways), maxRelated)] {
		message := "this arm leads here, but it is never taken"
		if behindElse(a) {
			message = "this arm leads here, but one before it in its chain takes everything"
		} else if p.Unreachable(a.State) {
			message = "this arm leads here, but no run enters " + check.Quote(a.State.Path) + " either"
		} else if product := p.SmallProduct(); product != nil && p.Control().Taken(a) && !product.Taken(a) {
			message = "this arm leads here, but no data and no count lets a run take it"
		} else if p.Control().Taken(a) {
			message = "this arm leads here, but what the states require sends every run elsewhere"
		}
		out = append(out, diag.Related{Span: a.Span, Message: message})
	}
	return out
}

// behindElse reports whether an arm before a in its chain has neither a guard nor a bound.
func behindElse(a *ir.Arm) bool {
	return slices.ContainsFunc(a.Chain()[:a.Index], func(b *ir.Arm) bool { return b.When == nil && b.Max == nil })
}
