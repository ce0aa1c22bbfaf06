// Package boundwithoutelse finds bounds that can run out with nothing to take
// over.
package boundwithoutelse

import (
	"maps"
	"slices"
	"strconv"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of bound-without-else.
var Rule = &check.Rule{
	Name:     "bound-without-else",
	Group:    check.Completeness,
	Severity: diag.Error,
	Summary:  "a `max` or a `retry` can run out, and nothing takes over",
	Question: "whether a bound can run out with nothing to take over",
	Fix:      "ends the chain with `else -> …` to a failure terminal; for an event also with `else reject` or `else ignore`",
	Run:      run,
	Starts:   true,
	OneRun:   true,
	Absence:  true,
}

// last is an arm that is the last choice for some inputs, and bounded.
type last struct {
	arm    *ir.Arm
	input  flat.Input // the first of them
	inputs []check.InputAt
}

func run(p *check.Pass) {
	spent := spender{c: p.Control()}
	for _, l := range lastArms(p) {
		witness, runsOut, sure := outcome(p, &spent, l)
		if !runsOut {
			continue
		}
		p.ReportSure(check.Finding{
			State:   l.inputs[0].Leaf,
			Span:    l.arm.Span,
			Message: check.Quote(bound(l.arm)) + " can run out, and then nothing takes " + check.Quote(l.input.Text()),
			Help:    help(l.input.Case),
			Witness: witness,
			Inputs:  l.inputs,
			Fixes:   p.ElseAfter(l.input),
		}, sure)
	}
}

// outcome decides whether the bound of l can run out in some run. Where the
// product is large the control graph is asked first; in a machine that is broken
// there is no other.
func outcome(p *check.Pass, spent *spender, l *last) (w *witness.Witness, runsOut, sure bool) {
	if p.SmallProduct() == nil && !spent.canRunOut(l) {
		return nil, false, true
	}
	g := p.Product()
	if g == nil {
		return p.PathTo(l.inputs[0].Leaf, l.input.Case), true, p.Machine.Broken
	}
	for _, at := range l.inputs {
		if u, spent := g.Spent(at.Leaf, at.ID, l.arm); spent {
			w, sure = p.Run(g.PathTo(u.Config), -1, p.Table().Case(at.ID))
			return w, true, sure && !u.Guessed
		}
	}
	return nil, false, true
}

// lastArms lists the arms after which nothing comes, in source order. Cancel is
// left out: it comes once. So is a retry of what no activity raised, which is
// another fault, and so is a bound of none at all.
func lastArms(p *check.Pass) []*last {
	byArm := map[*ir.Arm]*last{}
	for _, s := range p.Leaves() {
		if len(p.Table().Lost(s)) > 0 {
			continue
		}
		for in := range p.Table().Inputs(s) {
			for _, arm := range lastBounds(p, s, in) {
				if *arm.Max <= 0 || in.Kind == ir.CaseCancel || arm.Kind == ir.Retry && in.Do == nil {
					continue
				}
				l := byArm[arm]
				if l == nil {
					l = &last{arm: arm, input: in}
					byArm[arm] = l
				}
				l.inputs = append(l.inputs, check.InputAt{Leaf: s, ID: in.ID})
			}
		}
	}
	return slices.SortedFunc(maps.Values(byArm), func(a, b *last) int { return a.arm.ID - b.arm.ID })
}

// lastBounds are the bounded arms after which no choice may be left for in: those
// for which that is so in some configuration, or where the product is large those
// for which some data leaves it so.
func lastBounds(p *check.Pass, s *ir.State, in flat.Input) []*ir.Arm {
	g := p.SmallProduct()
	var out []*ir.Arm
	for i, c := range in.Choices {
		if c.Arm == nil || c.Arm.Max == nil {
			continue
		}
		last := g == nil && explore.Possible(in, lastAt(in, i)).Verdict != guard.Unsat
		if g != nil {
			_, last = g.Spent(s, in.ID, c.Arm)
		}
		if last {
			out = append(out, c.Arm)
		}
	}
	return out
}

// lastAt wants choice i of in to be the last that would take it, but for its bound.
func lastAt(in flat.Input, i int) []explore.Stance {
	want := check.Want(in, i, explore.MayPass, explore.Holds)
	for k := i + 1; k < len(want); k++ {
		want[k] = explore.False
	}
	return want
}

// bound is the bound as written, without the target.
func bound(a *ir.Arm) string {
	word := "max "
	if a.Kind == ir.Retry {
		word = "retry "
	}
	return word + strconv.FormatInt(*a.Max, 10)
}

func help(c ir.Case) string {
	if c.Kind == ir.CaseEvent {
		return "End the chain with an `else`: `else -> …`, or `else reject` to refuse the event from then on."
	}
	return "End the chain with an `else`, such as `else -> …`."
}
