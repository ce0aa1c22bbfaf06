// Package deferredlost finds deferred events that a state drops.
package deferredlost

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of deferred-lost.
var Rule = &check.Rule{
	Name:     "deferred-lost",
	Group:    check.Completeness,
	Severity: diag.Warning,
	Summary:  "a run can enter a state that drops a deferred event",
	Question: "whether every deferred event is taken in the end",
	Fix:      "adds `ignore …` to the state",
	Run:      run,
	OneRun:   true,
	Absence:  true,
}

func run(p *check.Pass) {
	defers := func(s *ir.State) bool { return len(s.Defer) > 0 }
	if p.Machine.Broken || p.Machine.Root.Leaf() == nil || !slices.ContainsFunc(p.Machine.States, defers) {
		return // a name that is lost may be what takes the event
	}
	g := p.SmallProduct()
	if g == nil {
		may := control.MayDrop(p.Table())
		if may == nil {
			return
		}
		if g = p.Product(); g == nil {
			if open := p.OpenProduct(); open != nil {
				if drops, _ := open.Drops(); len(drops) == 0 {
					return
				}
			}
			p.LeaveOpen(check.Question{State: may.Leaf})
			return
		}
	}
	drops, at := g.Drops()
	for i, d := range drops {
		report(p, g, d, at[i])
	}
}

// report reports that d happens in configuration at.
func report(p *check.Pass, g *explore.Product, d control.Drop, at int32) {
	name, path := check.Quote(d.Event.Name), g.PathTo(at)
	f := check.Finding{
		State: d.Leaf,
		Message: name + " may be deferred when a run enters " + check.Quote(d.Leaf.Path) +
			", which neither takes, ignores nor defers it",
		Help: "Add `on " + d.Event.Name + " …`, `ignore " + d.Event.Name + "` or `defer " + d.Event.Name + "` to " + check.Around(d.Leaf) + "; it is dropped otherwise.",
	}
	if use := g.Deferral(path, d.Event); use != nil {
		f.Related = []diag.Related{{Span: use.Span, Message: name + " is deferred here"}}
	}
	if !slices.ContainsFunc(d.Leaf.Handlers, func(h *ir.Handler) bool { return speaksOf(h, d.Event) }) {
		f.Fixes = []diag.Fix{check.AddMember(d.Leaf, "ignore "+d.Event.Name)}
	}
	f.Witness, _ = p.Run(path, -1)
	p.Report(f)
}

// speaksOf reports whether h names an event: one that it rejects is ignored nowhere else in its state.
func speaksOf(h *ir.Handler, e *ir.Event) bool {
	return slices.ContainsFunc(h.Triggers, func(t *ir.Trigger) bool { return t.Event == e })
}
