// Package outofrange finds effects that can leave a field's declared range.
package outofrange

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of out-of-range.
var Rule = &check.Rule{
	Name:     "out-of-range",
	Group:    check.Data,
	Severity: diag.Error,
	Summary:  "an effect can leave the declared range of its field in some run, or an argument never fits",
	Question: "whether every effect stays in the range of its field",
	Run:      run,
	Sound:    true,
	Starts:   true,
	OneRun:   true,
	Absence:  true,
}

func run(p *check.Pass) {
	for _, s := range p.Leaves() {
		for _, d := range s.Dos {
			arguments(p, s, d)
		}
	}
	if !data.MayLeaveRange(p.Machine) || p.SmallProduct() == nil && p.SumsFit() {
		return
	}
	g := p.Product()
	if g == nil {
		if open := p.OpenProduct(); open == nil || slices.ContainsFunc(open.Faults(), func(f explore.Fault) bool { return f.Assign != nil }) {
			p.LeaveOpen(check.Question{})
		}
		return
	}
	said := map[*ir.Assign]bool{}
	for _, f := range g.Faults() {
		if f.Assign == nil || said[f.Assign] {
			continue
		}
		said[f.Assign] = true
		state := g.Leaf(f.Config) // nil of the start
		witness, sure := p.RunInto(f)
		if !sure {
			p.LeaveOpen(check.Question{State: state, Span: f.Assign.Span})
			continue
		}
		inputs, behind := p.Broken(func(b explore.Broken) bool { return b.Assign == f.Assign })
		p.Report(check.Finding{
			State:   state,
			Field:   f.Assign.Var,
			Inputs:  inputs,
			Also:    behind,
			Span:    f.Assign.Span,
			Message: check.Quote(f.Assign.Text()) + " can " + leaves(f.Assign.Var),
			Help:    helpFor(f.Assign.Var),
			Related: []diag.Related{{Span: f.Assign.Var.Span, Message: "the field is declared here"}},
			Witness: witness,
		})
	}
}

// arguments reports what d gives that never fits. What fits in some runs alone is no finding: the
// failure that it is has a handler.
func arguments(p *check.Pass, s *ir.State, d *ir.Do) {
	for i, arg := range d.Args {
		to := d.Activity.Params[i]
		r := to.Type.Limits()
		if r == nil || !data.Outside(arg, r.Lo, r.Hi) || p.Unreachable(s) {
			continue
		}
		p.Report(check.Finding{
			State:   s,
			Span:    arg.Span(),
			Message: check.Quote(ir.ExprText(arg)) + " never fits " + check.Quote(to.Name) + ", " + to.Type.String() + ": every attempt of " + check.Quote(d.Activity.Name) + " fails",
			Help:    "Give a value that fits, or widen the range of the parameter.",
			Related: []diag.Related{{Span: to.Span, Message: "the parameter is declared here"}},
			Witness: p.PathTo(s),
		})
	}
}

func helpFor(v *ir.Var) string {
	if r := v.Type.Limits(); v.Type.Kind == ir.List && r != nil {
		return fmt.Sprintf("Guard the arm so that the list fits, as in `when len(%s) < %d`, or widen the range of its length.", v.Name, r.Hi)
	}
	return "Guard the arm so that the value fits, clamp it with `min` or `max`, or widen the range."
}

// leaves is what a value does that v cannot hold.
func leaves(v *ir.Var) string {
	if v.Type.Limits() == nil {
		return "overflow: " + check.Quote(v.Name) + " holds 64 bits"
	}
	if v.Type.Kind == ir.List {
		return "leave the length of " + check.Quote(v.Name) + ", " + v.Type.String()
	}
	return "leave the range of " + check.Quote(v.Name) + ", " + v.Type.String()
}
