package neverfires

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// limits reports the first limit of each activity that no attempt can reach: a
// timer always ends the visit before, or its `timeout` the attempt.
func limits(p *check.Pass) {
	for _, leaf := range p.Leaves() {
		for _, d := range leaf.Dos {
			for _, l := range d.Limits() {
				inputs := inputsOf(p, leaf, d, l)
				by, at := before(leaf, d, l)
				if by == "" && neverComes(p, inputs) {
					by, at = "in every run something else", d.Span
				}
				if by != "" {
					reportLimit(p, leaf, d, l, inputs, by, at)
					break
				}
			}
		}
	}
}

// before is what always comes before l, and where it stands.
func before(leaf *ir.State, d *ir.Do, l ir.TimeLimit) (by string, at token.Span) {
	if t := timing.EndsBefore(leaf, l.After); t != nil {
		return named(t, nil) + " always", t.Span
	}
	if first := d.Limits()[0]; first.Category == ir.Timeout && first.After < l.After {
		return check.Quote(first.Text()) + " always", d.Span
	}
	return "", token.Span{}
}

// inputsOf are the failures of d that come when l runs out.
func inputsOf(p *check.Pass, leaf *ir.State, d *ir.Do, l ir.TimeLimit) []place {
	var out []place
	for in := range p.Table().Inputs(leaf) {
		if in.Do == d && in.Kind == ir.CaseFailure && in.Category.Name == l.Category {
			out = append(out, place{check.InputAt{Leaf: leaf, ID: in.ID}, in})
		}
	}
	return out
}

// neverComes reports whether configurations that know the time show that none of the
// inputs comes.
func neverComes(p *check.Pass, inputs []place) bool {
	g := p.SmallProduct()
	if g == nil || !g.Timed() {
		return false
	}
	return len(inputs) > 0 && !slices.ContainsFunc(inputs, func(at place) bool { return g.RunsOut(at.Leaf, at.input) })
}

func reportLimit(p *check.Pass, leaf *ir.State, d *ir.Do, l ir.TimeLimit, inputs []place, by string, at token.Span) {
	f := check.Finding{
		State:   leaf,
		Span:    d.Span,
		Message: check.Quote(l.Text()) + " of " + check.Quote(d.Activity.Name) + " never runs out: " + by + " comes before it",
		Help:    "Make it the shorter one, or remove it.",
		Witness: p.PathTo(leaf),
	}
	if at != d.Span {
		f.Related = []diag.Related{{Span: at, Message: "this one comes first"}}
	}
	for _, at := range inputs {
		f.Inputs = append(f.Inputs, at.InputAt)
	}
	p.Report(f)
}
