// Package overlappingguards finds two handlers of one trigger that can both
// apply.
package overlappingguards

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of overlapping-guards.
var Rule = &check.Rule{
	Name:     "overlapping-guards",
	Group:    check.Completeness,
	Severity: diag.Error,
	Summary:  "two `on`s for one trigger in one state can both apply",
	Question: "whether two handlers of one trigger can both apply",
	Fix:      "joins both handlers into one chain",
	Run:      run,
	Sound:    true,
	OneRun:   true,
}

// pair are two handlers of one state that speak of the same input.
type pair struct{ first, second *ir.Handler }

// overlap is where they both apply.
type overlap struct {
	leaf          *ir.State
	input         flat.Input
	first, second *ir.Arm
	check.Meeting
}

func run(p *check.Pass) {
	found := map[pair]*overlap{}
	var order []pair
	for leaf, in := range p.Inputs() {
		for _, o := range overlaps(p, leaf, in, found) {
			at := pair{o.first.Handler, o.second.Handler}
			if found[at] == nil {
				order = append(order, at)
			}
			if found[at] == nil || o.Met > found[at].Met {
				found[at] = o
			}
		}
	}
	for _, at := range order {
		report(p, found[at])
	}
}

// overlaps lists the overlaps of one input in one leaf, those known of runs
// aside. The first of two arms is the first of all that applies: it takes the
// input, and the other would if it stood before.
func overlaps(p *check.Pass, leaf *ir.State, in flat.Input, known map[pair]*overlap) []*overlap {
	var out []*overlap
	var asked *explore.Questions
	for i, c := range in.Choices {
		for j := i + 1; j < len(in.Choices) && in.Choices[j].State == c.State; j++ {
			a, b := c.Arm, in.Choices[j].Arm
			if a == nil || b == nil || a.Handler == b.Handler {
				continue
			}
			if o := known[pair{a.Handler, b.Handler}]; o != nil && o.Met == check.CanBeMet {
				continue
			}
			if asked == nil {
				asked = explore.NewQuestions(in, explore.Applies)
			}
			if asked.Exclude(explore.Applies, i, j) { // whatever is before them
				continue
			}
			want := check.Want(in, i, explore.Passed, explore.Applies)
			want[j] = explore.Applies
			m := p.Meet(leaf, in, want)
			if m.Met != check.Impossible {
				out = append(out, &overlap{leaf: leaf, input: in, first: a, second: b, Meeting: m})
			}
		}
	}
	return out
}

func report(p *check.Pass, o *overlap) {
	what := "two handlers of " + check.Quote(o.input.Text()) + " in " + place(o.second.State)
	f := check.Finding{
		State:   o.second.State,
		Span:    o.second.Span,
		Help:    "Make their guards exclude each other, or join them into one chain with `else`: its order decides.",
		Related: []diag.Related{{Span: o.first.Span, Message: "this one applies there, too"}},
		Witness: p.Shown(&o.Meeting, o.first),
	}
	switch o.Met {
	case check.Unclear:
		p.LeaveOpen(check.Question{State: o.leaf})
		return
	case check.NeverMet:
		f.Severity = new(diag.Hint)
		f.Message = what + " would both apply" + check.Where(o.Model) + ", but no run has these values"
		f.Related[0].Message = "this one would apply there, too"
		f.Help = "Make their guards exclude each other for all values, so that this stays true when the machine changes."
	default:
		f.Message = what + " can both apply" + check.Where(o.Model)
	}
	f.Fixes = check.Joined(o.first.Handler, o.second.Handler)
	p.Report(f)
}

func place(s *ir.State) string {
	if s.Parent == nil {
		return "the machine"
	}
	return check.Quote(s.Path)
}
