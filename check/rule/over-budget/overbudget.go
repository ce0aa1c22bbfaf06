// Package overbudget finds machines whose worst case is over their budget.
package overbudget

import (
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Rule is the record of over-budget.
var Rule = &check.Rule{
	Name:     "over-budget",
	Group:    check.Promises,
	Severity: diag.Error,
	Summary:  "the worst case of steps, time or a cost is over the machine's budget",
	Question: "whether the worst case keeps to the budget",
	Run:      run,
	Absence:  true,
}

// limit is one line of a budget.
type limit struct {
	figure *check.Figure
	most   *big.Rat
	span   token.Span
}

// passed reports whether the figure has a bound and is over the limit.
func (l limit) passed() bool {
	return l.figure.Amount != nil && l.figure.Amount.Cmp(l.most) > 0
}

// shown reports whether a run takes as much as the figure says, or is over the limit. Time is an upper
// bound by its nature, but past the limit of configurations it is a rough one.
func (l limit) shown(p *check.Pass) bool {
	return l.figure.Exact || l.figure.Name == "time" && p.Product() != nil || l.figure.Least != nil && l.figure.Least.Cmp(l.most) > 0
}

func run(p *check.Pass) {
	b := p.Machine.Budget
	if b == nil || !p.Starts() || p.Machine.Broken || p.CallsBroken() {
		return
	}
	worst := p.Amounts()
	unmarked := p.Product() != nil && !p.Bounded() && len(p.Product().Loops(p.Unmarked)) > 0
	for _, l := range limits(b, worst) {
		if l.passed() {
			p.Show(l.figure)
		}
		switch {
		case l.figure.Held && l.figure.Amount != nil: // the run itself reacts to that
			for _, f := range neverBegins(p, l) {
				p.Report(f)
			}
		case l.figure.Amount == nil && p.Product() == nil:
			p.LeaveOpen(check.Question{Span: l.span})
		case l.figure.Amount == nil && unmarked && l.figure.Name != "time": // that is unbounded-loop
		case l.figure.Amount == nil:
			p.Report(check.Finding{
				Span:    l.span,
				Message: "the budget of " + check.Quote(l.figure.Name) + " is " + text(l.figure.Name, l.most) + ", but there is no bound: " + worst.Why(l.figure.Name),
				Help:    "Bound what the message names, or take the line out of the budget.",
			})
		case l.passed() && !l.shown(p): // an upper bound refutes nothing
			p.LeaveOpen(check.Question{Span: l.span})
		case l.passed():
			p.Report(over(p, l))
		}
	}
}

// neverBegins are findings about activities of which one attempt costs more than there is.
func neverBegins(p *check.Pass, l limit) (list []check.Finding) {
	for _, a := range p.Machine.Activities {
		i := slices.IndexFunc(a.Costs, func(c ir.Cost) bool { return c.Name == l.figure.Name && c.Amount.Cmp(l.most) > 0 })
		runs := func(d *ir.Do) bool { return d.Activity == a && !d.NeverRuns() && !p.Unreachable(d.State) }
		at := slices.IndexFunc(p.Machine.Dos, runs)
		if a.Machine != nil || i < 0 || at < 0 {
			continue
		}
		list = append(list, check.Finding{
			State:    p.Machine.Dos[at].State,
			Severity: new(diag.Warning), // a budget of 0 may be meant
			Span:     l.span,
			Message: "an attempt of " + check.Quote(a.Name) + " costs " + text(l.figure.Name, a.Costs[i].Amount) + ", over the budget of " +
				text(l.figure.Name, l.most) + ": none begins before `over_budget(" + l.figure.Name + ")` is taken",
			Help:    "Raise the budget, or lower the cost.",
			Related: []diag.Related{{Span: a.Span, Message: "it is declared here"}},
			Witness: p.PathTo(p.Machine.Dos[at].State),
		})
	}
	return list
}

// limits pairs the lines of b with the figures of the worst case.
func limits(b *ir.Budget, w *check.Worst) []limit {
	var out []limit
	if b.Steps != nil {
		out = append(out, limit{&w.Steps, new(big.Rat).SetInt64(*b.Steps), b.StepSpan})
	}
	if b.Time != nil {
		out = append(out, limit{&w.Time, new(big.Rat).SetInt64(*b.Time), b.TimeSpan})
	}
	for _, c := range b.Costs {
		for i := range w.Costs {
			if f := &w.Costs[i]; f.Name == c.Name {
				out = append(out, limit{f, c.Amount, c.Span})
			}
		}
	}
	return out
}

func over(p *check.Pass, l limit) check.Finding {
	is := " is "
	if !l.figure.Exact {
		is = " may be as much as "
	}
	leave, hold := "", "."
	switch {
	case l.figure.Leave:
		leave, hold = ", if an operator lets halted runs continue", "; or take `over_budget` in every state in which it may come."
	case l.figure.Name != "steps":
		hold = "; or write `on over_budget -> …`, which holds each run to it."
	}
	f := check.Finding{
		Span:    l.span,
		Message: "the worst case of " + check.Quote(l.figure.Name) + is + text(l.figure.Name, l.figure.Amount) + ", over the budget of " + text(l.figure.Name, l.most) + leave,
		Help:    "Lower the bounds that the worst run uses up, or raise the budget" + hold,
		Witness: l.figure.Run,
	}
	for i, share := range l.figure.Shares {
		if share != "" {
			made := "attempts"
			if p.Machine.Activities[i].Machine != nil {
				made = "runs"
			}
			f.Related = append(f.Related, diag.Related{Span: p.Machine.Activities[i].Span, Message: made + " of it in the worst run: " + share})
		}
	}
	return f
}

// text is an amount as written in a machine.
func text(name string, amount *big.Rat) string {
	if name == "time" {
		return ir.FormatDuration(amount.Num().Int64())
	}
	return ir.DecimalText(amount)
}
