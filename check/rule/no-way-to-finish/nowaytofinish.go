// Package nowaytofinish finds traps: states from which no terminal state can be
// reached any more.
package nowaytofinish

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of no-way-to-finish.
var Rule = &check.Rule{
	Name:     "no-way-to-finish",
	Group:    check.Graph,
	Severity: diag.Error,
	Summary:  "some run comes into the state and can then reach no terminal state any more",
	Question: "whether every run can finish",
	Run:      run,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "missing-terminal", At: check.SameMachine},
		{Rule: "dead-end", At: check.SameState},
		{Rule: "spinning-loop", At: check.SameState},
		{Rule: "unhandled-result", At: check.SameInput},
		{Rule: "unhandled-failure", At: check.SameInput},
		{Rule: "unhandled-done", At: check.SameInput},
		{Rule: "bound-without-else", At: check.SameInput},
		{Rule: "unhandled-case", At: check.SameInput},
		{Rule: "read-before-set", At: check.SameInput},
		{Rule: "out-of-range", At: check.SameInput},
		{Rule: "spinning-loop", At: check.SameInput},
		{Rule: "unbounded-loop", At: check.RestsOn},
		{Rule: "never-fires", At: check.RestsOn},
	},
}

func run(p *check.Pass) {
	g := choose(p)
	if g == nil {
		return
	}
	if product := p.Product(); product != nil {
		unsure := product.Unsure()
		gaps := gapsOf(p, unsure)
		for _, s := range unsure {
			p.LeaveOpen(check.Question{State: s, Inputs: gaps})
		}
	}
	broken := brokenInputs(p)
	for _, t := range traps(g, broken) {
		witness, sure := g.witness(t.first, t.round)
		if !sure {
			p.LeaveOpen(check.Question{State: t.leaves[0], Inputs: t.inputs})
			continue
		}
		if witness != nil {
			witness.Holds = true
		}
		p.Report(check.Finding{
			State:   t.leaves[0],
			Also:    t.leaves[1:],
			Message: t.message(t.round != nil),
			Help:    t.help(),
			Related: t.related(),
			Witness: witness,
			Inputs:  t.inputs,
			Rests:   p.InputsOf(t.leaves...),
		})
	}
}

// gapsOf are the inputs of leaves that guards or a spent bound may leave to nobody:
// where one of them is reported, that is the fault, and what it leaves open here
// and in the states before it is not said a second time.
func gapsOf(p *check.Pass, leaves []*ir.State) []check.InputAt {
	var out []check.InputAt
	for _, leaf := range leaves {
		for in := range p.Table().Inputs(leaf) {
			if mayBeLeft(in) {
				out = append(out, check.InputAt{Leaf: leaf, ID: in.ID})
			}
		}
	}
	return out
}

// brokenInputs are the inputs that some configuration cannot compute.
func brokenInputs(p *check.Pass) map[check.InputAt]bool {
	broken := map[check.InputAt]bool{}
	if g := p.Product(); g != nil {
		for _, b := range g.Broken(func(explore.Broken) bool { return true }) {
			broken[b.At] = true
		}
	}
	return broken
}

// message says what the trap is: a circle, or a place where the run stands.
func (t *trap) message(circle bool) string {
	names := check.Cycle(t.leaves)
	if !circle {
		return "a run can be stuck in " + names + ": no terminal state can be reached any more"
	}
	return "no terminal state can be reached any more from " + names + ": the run goes round for ever"
}

func (t *trap) help() string {
	who := "it"
	if len(t.leaves) > 1 {
		who = "one of them"
	}
	return "Give " + who + " an arm that leads to a terminal state, such as `after 24h -> …`."
}

func (t *trap) related() []diag.Related {
	var out []diag.Related
	for _, s := range t.leaves[1:min(len(t.leaves), check.MaxNamed)] {
		out = append(out, diag.Related{Span: s.Span, Message: check.Quote(s.Path) + " belongs to the same trap"})
	}
	return out
}
