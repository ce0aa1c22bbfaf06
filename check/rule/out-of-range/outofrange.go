// Package outofrange finds effects that can leave a field's declared range.
package outofrange

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/witness"
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
	if !data.MayLeaveRange(p.Machine, nil) || p.SmallProduct() == nil && p.SumsFit() {
		return
	}
	sums := &sums{p, map[*ir.Var]*explore.Adding{}}
	g := p.Product()
	if g == nil {
		past(p, sums)
		return
	}
	said := map[*ir.Assign]bool{}
	for _, f := range g.Faults() {
		if f.Assign == nil || said[f.Assign] || f.Guessed && sums.fits(f.Assign.Var) {
			continue
		}
		said[f.Assign] = true
		state := g.Leaf(f.Config) // nil of the start
		w, sure := p.RunInto(f)
		if !sure {
			w, sure = sums.climb(f.Assign)
		}
		if !sure {
			p.LeaveOpen(check.Question{State: state, Span: f.Assign.Span})
			continue
		}
		finding := finding(f.Assign, state, w)
		finding.Inputs, finding.Also = p.Broken(func(b explore.Broken) bool { return b.Assign == f.Assign })
		p.Report(finding)
	}
}

// past looks at a machine that is past the limit: sums are held against their ranges all the same.
func past(p *check.Pass, sums *sums) {
	settled := map[*ir.Var]bool{}
	for b, arm := range p.Machine.Blocks() {
		for _, a := range b.Assigns {
			if arm == nil || a.Var.Type.Limits() == nil || sums.of(a.Var) == nil {
				continue
			}
			if settled[a.Var] = settled[a.Var] || sums.fits(a.Var); settled[a.Var] {
				continue
			}
			if w, leaves := sums.climb(a); leaves {
				settled[a.Var] = true
				p.Report(finding(a, w.Path[len(w.Path)-1].State, w))
			}
		}
	}
	if !data.MayLeaveRange(p.Machine, settled) {
		return
	}
	open := p.OpenProduct()
	if open == nil || slices.ContainsFunc(open.Faults(), func(f explore.Fault) bool { return f.Assign != nil && !settled[f.Assign.Var] }) {
		p.LeaveOpen(check.Question{})
	}
}

// sums are what is known of fields that are only added to.
type sums struct {
	p     *check.Pass
	known map[*ir.Var]*explore.Adding
}

// of is the product without v; nil where v is no sum.
func (s *sums) of(v *ir.Var) *explore.Adding {
	if _, known := s.known[v]; !known {
		s.known[v] = s.p.Adding(v)
	}
	return s.known[v]
}

// fits reports whether v is a sum that surely stays in its range.
func (s *sums) fits(v *ir.Var) bool {
	adding := s.of(v)
	return adding != nil && adding.Fits()
}

// climb is a run in which a leaves the range of a sum.
func (s *sums) climb(a *ir.Assign) (w *witness.Witness, leaves bool) {
	if adding := s.of(a.Var); adding != nil {
		return s.p.Climb(adding, a)
	}
	return nil, false
}

// finding says that a can leave the range of its field, as w shows.
func finding(a *ir.Assign, state *ir.State, w *witness.Witness) check.Finding {
	return check.Finding{
		State:   state,
		Field:   a.Var,
		Span:    a.Span,
		Message: check.Quote(a.Text()) + " can " + leaves(a.Var),
		Help:    helpFor(a.Var),
		Related: []diag.Related{{Span: a.Var.Span, Message: "the field is declared here"}},
		Witness: w,
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
