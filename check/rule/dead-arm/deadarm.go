// Package deadarm finds arms that can never be taken.
package deadarm

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of dead-arm.
var Rule = &check.Rule{
	Name:     "dead-arm",
	Group:    check.Completeness,
	Severity: diag.Warning,
	Summary:  "an arm can never be taken",
	Question: "whether some run takes an arm",
	Fix:      "removes the arm",
	Run:      run,
	Sound:    true,
	Starts:   true,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "never-fires", At: check.SameInput},
		{Rule: "spinning-loop", At: check.SameState},
		{Rule: "never-set", At: check.SameField},
		{Rule: "read-before-set", At: check.SameField},
		{Rule: "read-before-set", At: check.RestsOn},
		{Rule: "out-of-range", At: check.RestsOn},
		{Rule: "unbounded-loop", At: check.RestsOn},
	},
}

// place is an input in a leaf to which an arm belongs: choice At of the input.
type place struct {
	leaf  *ir.State
	input flat.Input
	at    int
}

// Of the arms of one handler or timer the first that is dead is reported, and
// those behind it where they are dead for another reason. An arm that leads to a
// state that no run enters is named by unreachable-state.
func run(p *check.Pass) {
	taken := takenArms(p)
	places := map[*ir.Arm][]place{} // the inputs that reach an arm that is not plainly taken
	eachPlace(p, func(a *ir.Arm, at place) {
		if !taken[a.ID] {
			places[a] = append(places[a], at)
		}
	})
	said := causes(p, taken, places)
	for _, a := range p.Machine.Arms {
		why := said[a]
		if why == alive {
			continue
		}
		if why == notRaised && a.Kind == ir.Retry && (a.Timer != nil || !slices.ContainsFunc(a.Handler.Triggers, func(t *ir.Trigger) bool { return p.Raised().Has(a.State, t) })) {
			continue // retry-without-activity
		}
		arms := a.Chain()
		if a.Index > 0 && said[arms[a.Index-1]] == why && !ofGuard(why) {
			continue
		}
		behind := 0
		for _, next := range arms[a.Index+1:] {
			if said[next] != why || ofGuard(why) {
				break
			}
			behind++
		}
		report(p, a, why, places[a], behind)
	}
}

// causes says of the dead arms why they are.
func causes(p *check.Pass, taken []bool, places map[*ir.Arm][]place) map[*ir.Arm]cause {
	said := map[*ir.Arm]cause{}
	for _, a := range p.Machine.Arms {
		if taken[a.ID] || a.Max != nil && *a.Max == 0 || p.Unreachable(a.State) || a.Kind == ir.Goto && p.NeverEntered(a.Target) {
			continue
		}
		if why := causeOf(p, a, places[a]); why != alive {
			said[a] = why
		}
	}
	return said
}

// eachPlace calls f with all arms that stand for inputs of states that runs enter.
func eachPlace(p *check.Pass, f func(a *ir.Arm, at place)) {
	for leaf, in := range p.Inputs() {
		for i, c := range in.Choices {
			if c.Arm != nil {
				f(c.Arm, place{leaf, in, i})
			}
		}
	}
}

// ofGuard reports whether an arm is dead for its own guard, so that those behind it are a
// matter of their own.
func ofGuard(why cause) bool { return why == guardNeverMet || why == guardImpossible }

// report reports a, and with it as many arms behind it.
func report(p *check.Pass, a *ir.Arm, why cause, places []place, behind int) {
	f := check.Finding{State: a.State, Span: a.Span, Message: "this arm is never taken: " + texts[why], Help: helps[why], Field: neverSet(p.Machine, a.When)}
	for _, at := range places {
		f.Inputs = append(f.Inputs, check.InputAt{Leaf: at.leaf, ID: at.input.ID})
	}
	if why >= neverComes && why != guardImpossible { // what runs do decides it
		f.Rests = f.Inputs
	}
	if why == shadowed || why == shadowedInRuns {
		if by := taker(places[0]); by != nil {
			f.Related = []diag.Related{{Span: by.Span, Message: "this one is tried before it"}}
		}
	}
	if why == neverComes {
		if in := places[0].input; in.Event != nil && in.Event.Terminal != nil && p.Table().Soonest(in.Do.Activity, in.Event) > 0 {
			f.Related = []diag.Related{{Span: in.Event.Terminal.Span, Message: "runs of " + check.Quote(in.Do.Activity.Name) + " end here " +
				ir.FormatDuration(p.Table().Soonest(in.Do.Activity, in.Event)) + " after their start at the earliest"}}
		}
	}
	f.Fixes = p.RemoveArms(a, behind)
	p.Report(f)
}

// taker is the choice just before an arm.
func taker(at place) *ir.Arm {
	for i := at.at - 1; i >= 0; i-- {
		if by := at.input.Choices[i].Arm; by != nil {
			return by
		}
	}
	return nil
}

// neverSet is a field that e reads and nothing sets; nil where there is none.
func neverSet(m *ir.Machine, e ir.Expr) *ir.Var {
	for _, v := range ir.Vars(e) {
		if !v.Param && v.Default == nil && !setAnywhere(m, v) {
			return v
		}
	}
	return nil
}

func setAnywhere(m *ir.Machine, v *ir.Var) bool {
	for b := range m.Blocks() {
		if slices.ContainsFunc(b.Assigns, func(a *ir.Assign) bool { return a.Var == v && a.Value != nil }) {
			return true
		}
	}
	return false
}
