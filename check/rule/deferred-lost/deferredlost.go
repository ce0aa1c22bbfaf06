// Package deferredlost finds deferred events that a state drops.
package deferredlost

import (
	_ "embed"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of deferred-lost.
var Rule = &check.Rule{
	Name:     "deferred-lost",
	Group:    check.Completeness,
	Severity: diag.Warning,
	Summary:  "an event may stand deferred when a state is entered that neither takes, ignores nor defers it",
	Page:     page,
	Run:      run,
	Absence:  true,
}

//go:embed page.md
var page string

func run(p *check.Pass) {
	defers := func(s *ir.State) bool { return len(s.Defer) > 0 }
	if p.Graph() == nil || !slices.ContainsFunc(p.Machine.States, defers) {
		return
	}
	s := newSearch(p.Graph())
	var drops map[explore.Drop]int32
	if g := p.SmallProduct(); g != nil {
		drops = g.Drops()
	}
	for _, lost := range s.losses() {
		leaf, event := s.g.Leaf(lost.config), s.event(lost)
		name := check.Quote(event.Name)
		f := check.Finding{
			State: leaf,
			Message: name + " may stand deferred when " + check.Quote(leaf.Path) +
				" is entered, which neither takes, ignores nor defers it",
			Help:    "Add `on " + event.Name + " …`, `ignore " + event.Name + "` or `defer " + event.Name + "` to " + check.Around(leaf) + "; it is dropped otherwise.",
			Related: []diag.Related{{Span: s.came[lost].use.Span, Message: name + " is deferred here"}},
		}
		if at, dropped := drops[explore.Drop{Leaf: leaf, Event: event}]; dropped && p.MoreWitnesses() {
			f.Witness, _ = p.Run(p.SmallProduct().PathTo(at), -1)
		} else if drops != nil {
			continue // no data lets a run come to it
		} else if !s.came[lost].joint && p.MoreWitnesses() {
			f.Witness = witness(p, s, lost)
		}
		p.Report(f)
	}
}

// witness is a run in which the event comes as soon as the state that defers
// it is entered, and stands deferred up to the loss.
func witness(p *check.Pass, s *search, lost node) *diag.Witness {
	start := s.came[lost].start
	path := s.g.PathTo(start)
	before := 0
	for _, e := range path {
		if _, ok := s.g.Input(e); ok {
			before++
		}
	}
	w := p.WitnessAlong(append(path, s.path(lost)...), -1)
	if w == nil {
		return nil
	}
	deferral := diag.Step{State: s.g.Leaf(start).Path, Input: s.event(lost).Name, At: "0s"}
	if before > 0 {
		deferral.At = w.Path[before-1].At
	}
	w.Path = slices.Insert(w.Path, before, deferral)
	return w
}

// keeping is the `defer` that choices may come to, or nil.
func keeping(choices []ir.Choice) *ir.EventUse {
	for c := range flat.Takeable(choices) {
		if c.Defer {
			return c.Use
		}
	}
	return nil
}

// heeded reports whether choices may do anything but reject.
func heeded(choices []ir.Choice) bool {
	for c := range flat.Takeable(choices) {
		if c.Arm == nil || c.Arm.Kind != ir.Reject {
			return true
		}
	}
	return false
}
