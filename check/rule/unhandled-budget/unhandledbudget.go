// Package unhandledbudget finds budgets to which nothing holds a run: what an activity reports
// may be more than it declares, and over_budget is not taken.
package unhandledbudget

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of unhandled-budget.
var Rule = &check.Rule{
	Name:     "unhandled-budget",
	Group:    check.Completeness,
	Severity: diag.Warning,
	Summary:  "a run may spend more than its budget, or be halted there: nothing takes `over_budget`",
	Question: "whether a run passes its budget where nothing takes `over_budget`",
	Fix:      "adds `on over_budget -> …`, to a failure terminal",
	Run:      run,
	OneRun:   true,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "over-budget", At: check.SamePlace},
	},
}

func run(p *check.Pass) {
	m := p.Machine
	switch {
	case m.Budget == nil || m.Broken || !p.Starts() || p.CallsBroken():
		return
	case len(m.Enforced()) == 0:
		unheld(p)
	}
	for _, s := range p.Leaves() {
		judge(p, s)
	}
}

// unheld hints at a budget of costs that binds no run: without an `on over_budget` it speaks
// of what activities declare alone.
func unheld(p *check.Pass) {
	var names []string
	at := p.Machine.Budget.Span
	for _, c := range p.Machine.Budget.Costs {
		if !slices.ContainsFunc(p.Machine.Dos, func(d *ir.Do) bool { return d.Activity.Spends(c.Name) && !d.NeverRuns() }) {
			continue
		}
		if len(names) == 0 {
			at = c.Span
		}
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return
	}
	p.Report(check.Finding{
		Severity: new(diag.Hint),
		Span:     at,
		Message:  "the budget of " + check.And(names) + " is held against what activities declare; a run whose activities report more goes on",
		Help:     "Add `on over_budget -> …` to the machine, and no attempt begins that would pass the budget.",
		Fixes:    fixes(p, p.Machine.Root),
	})
}

// judge finds the first cost, or else the time, whose over_budget halts a run in s.
func judge(p *check.Pass, s *ir.State) {
	held := p.Table().Held()
	if len(held) == 0 {
		return
	}
	g := p.Product()
	if g == nil {
		leaveOpen(p, s)
		return
	}
	for _, cost := range held {
		h, halts := g.Halts(s, cost)
		if !halts {
			continue
		}
		w, sure := p.RunIntoHalt(h, s, cost)
		p.ReportSure(check.Finding{
			State:   s,
			Message: "a run may pass its budget of " + check.Quote(cost) + " in " + check.Quote(s.Path) + ", where nothing takes \"over_budget\", and it would be halted",
			Help:    "Add `on over_budget -> …` to " + check.Around(s) + ", or to the machine.",
			Witness: w,
			Fixes:   fixes(p, s),
		}, sure)
		return
	}
}

// leaveOpen notes that a run may pass its budget of a cost in s, past the limit. Of the time
// over-budget says so: no run lasts longer than the figure.
func leaveOpen(p *check.Pass, s *ir.State) {
	for _, cost := range p.Machine.Enforced() {
		spends := slices.ContainsFunc(s.Dos, func(d *ir.Do) bool { return d.Activity.Spends(cost) })
		if spends && len(p.Machine.Choices(s, ir.Case{Kind: ir.CaseOverBudget, Cost: cost})) == 0 {
			p.LeaveOpen(check.Question{State: s})
		}
	}
}

// fixes end a run that is over its budget as a failure.
func fixes(p *check.Pass, s *ir.State) []diag.Fix {
	return p.Fail(s, func(to string) diag.Fix { return check.AddMember(s, "on over_budget -> "+to) })
}
