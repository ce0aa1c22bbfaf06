package breaking

import (
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var worstCaseRaised = &Rule{
	Name: "worst-case-raised", Family: Promises, run: runWorstCaseRaised,
	Summary: "the worst case of the machine is worse than it was",
}

func runWorstCaseRaised(p *pair) {
	was, is := worstOf(p.old), worstOf(p.new)
	if was == nil || is == nil {
		return
	}
	p.figure(&was.Steps, &is.Steps)
	p.figure(&was.Time, &is.Time)
	for _, lists := range [][2][]check.Figure{{was.Costs, is.Costs}, {was.Activities, is.Activities}} {
		for _, f := range lists[1] {
			if i := slices.IndexFunc(lists[0], func(g check.Figure) bool { return g.Name == f.Name }); i >= 0 {
				p.figure(&lists[0][i], &f)
			}
		}
	}
}

// worstOf has the figures that fsmc check has: past a limit they are rough, and those of two
// machines tell nothing of each other.
func worstOf(m *ir.Machine) *check.Worst {
	_, worst := check.Analyze(&ir.Program{Machines: []*ir.Machine{m}}, nil, explore.DefaultLimit, false)
	return worst[0]
}

func (p *pair) figure(was, is *check.Figure) {
	if was.Amount == nil || is.Amount != nil && is.Amount.Cmp(was.Amount) <= 0 {
		return
	}
	p.report(Point{
		Message: "the worst case of " + check.Quote(is.Name) + " was " + amountText(was) + ", and is " + amountText(is),
		Help:    "fsmc check --bounds --witness shows what it is made of, and a run that reaches it.",
	})
}

func amountText(f *check.Figure) string {
	switch {
	case f.Amount == nil:
		return "without a bound"
	case f.Name == "time" && f.Amount.IsInt():
		return ir.FormatDuration(f.Amount.Num().Int64())
	}
	return ir.DecimalText(f.Amount)
}

var budgetRaised = &Rule{
	Name: "budget-raised", Family: Promises, run: runBudgetRaised,
	Summary: "the budget allows more than it did",
}

func runBudgetRaised(p *pair) {
	before, after := budgetOf(p.old.Budget), budgetOf(p.new.Budget)
	for _, was := range before {
		i := slices.IndexFunc(after, func(c ir.Cost) bool { return c.Name == was.Name })
		pt := Point{Old: was.Span, Help: "What the machine may take is a promise to whoever pays for it."}
		switch {
		case i < 0:
			pt.Message = "the budget says nothing of " + check.Quote(was.Name) + " any more"
			if p.new.Budget != nil {
				pt.New = p.new.Budget.Span
			}
		case after[i].Amount.Cmp(was.Amount) > 0:
			pt.New, pt.Message = after[i].Span, "the budget allows more of "+check.Quote(was.Name)+" than before"
		default:
			continue
		}
		p.report(pt)
	}
}

// budgetOf are the figures of a budget, with steps and time among them.
func budgetOf(b *ir.Budget) []ir.Cost {
	if b == nil {
		return nil
	}
	out := slices.Clone(b.Costs)
	if b.Steps != nil {
		out = append(out, ir.Cost{Name: "steps", Amount: new(big.Rat).SetInt64(*b.Steps), Span: b.StepSpan})
	}
	if b.Time != nil {
		out = append(out, ir.Cost{Name: "time", Amount: new(big.Rat).SetInt64(*b.Time), Span: b.TimeSpan})
	}
	return out
}

var assertWeakened = &Rule{
	Name: "assert-weakened", Family: Promises, run: runAssertWeakened,
	Summary: "an assert is gone, or promises less",
}

func runAssertWeakened(p *pair) {
	for _, was := range p.old.Asserts {
		if slices.ContainsFunc(p.new.Asserts, func(is *ir.Assert) bool { return p.implies(is, was) }) {
			continue
		}
		p.report(Point{Old: was.Span, Message: "nothing promises any more that " + check.Quote(was.About()) + " " + was.Verb.String() + " " + promised(was),
			Help: "Keep the assert: fsmc check says whether it still holds."})
	}
}

// implies reports whether the assert is of the new machine promises at least what was does
// of the old one.
func (p *pair) implies(is, was *ir.Assert) bool {
	about := was.About()
	if was.Subject != nil {
		about = p.path(about)
	}
	if is.Verb != was.Verb || is.About() != about || is.N > was.N {
		return false
	}
	paths := map[string]bool{}
	for _, s := range was.Objects {
		paths[p.path(s.Path)] = true
	}
	return !slices.ContainsFunc(is.Objects, func(s *ir.State) bool { return !paths[s.Path] })
}

func promised(a *ir.Assert) string {
	if a.Verb == ir.AtMost {
		return big.NewInt(a.N).String()
	}
	return check.Or(ir.Paths(a.Objects))
}
