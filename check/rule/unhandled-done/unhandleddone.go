// Package unhandleddone finds states whose activities can all end while
// nothing takes `done`.
package unhandleddone

import (
	_ "embed"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of unhandled-done.
var Rule = &check.Rule{
	Name:     "unhandled-done",
	Group:    check.Completeness,
	Severity: diag.Error,
	Summary:  "all activities can end with the run still in the state, and nothing takes `done`",
	Page:     page,
	Run:      run,
	Absence:  true,
}

//go:embed page.md
var page string

func run(p *check.Pass) {
	g := p.Graph()
	if g == nil {
		return
	}
	var due map[*ir.State]int32
	for _, s := range p.Leaves() {
		if len(p.Table().Lost(s)) > 0 || !g.CanEnd(s) {
			continue
		}
		for in := range p.Table().Inputs(s) {
			if in.Kind != ir.CaseDone || len(in.Choices) > 0 {
				continue
			}
			if due == nil {
				due = firstDue(g)
			}
			report(p, s, in, witness(p, due, s, in.Case))
		}
	}
}

// firstDue is for each leaf the first configuration in which `done` is due.
func firstDue(g *explore.Graph) map[*ir.State]int32 {
	due := map[*ir.State]int32{}
	for c := range int32(g.Len()) {
		if _, known := due[g.Leaf(c)]; !known && g.DoneDue(c) {
			due[g.Leaf(c)] = c
		}
	}
	return due
}

func witness(p *check.Pass, due map[*ir.State]int32, s *ir.State, done ir.Case) *diag.Witness {
	c, ok := due[s]
	if !ok {
		return p.PathTo(s, done)
	}
	return p.Witness(c, nil, done)
}

func report(p *check.Pass, s *ir.State, in flat.Input, w *diag.Witness) {
	what := "its activity"
	if len(s.Dos) > 1 {
		what = "all its activities"
	}
	p.Report(check.Finding{
		State:   s,
		Message: what + " can end with the run still in " + check.Quote(s.Path) + ", and nothing takes \"done\"",
		Help:    "Add `on done -> …`, or `on done ignore` where the run is meant to wait on.",
		Witness: w,
		Inputs:  []check.InputAt{{Leaf: s, ID: in.ID}},
	})
}
