// Package waitsforever finds states that a run may never leave, because
// nothing sets a time to what it waits for.
package waitsforever

import (
	_ "embed"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of waits-forever.
var Rule = &check.Rule{
	Name:     "waits-forever",
	Group:    check.Graph,
	Severity: diag.Warning,
	Summary:  "only an external event, or an activity without any time limit, leaves the state",
	Question: "whether any run waits in it for ever",
	Page:     page,
	Run:      run,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "dead-end", At: check.SameState},
		{Rule: "no-way-to-finish", At: check.SameState},
	},
}

//go:embed page.md
var page string

// awaited is what leads out of a leaf and need never come.
type awaited struct {
	events     []string
	activities []*ir.Do
}

func run(p *check.Pass) {
	timed := make([]bool, len(p.Machine.States)) // an `after` stands in the state or around it
	for _, s := range p.Machine.States {
		timed[s.ID] = len(s.Timers) > 0 || s.Parent != nil && timed[s.Parent.ID]
	}
	for _, s := range p.Leaves() {
		if timed[s.ID] || len(p.Table().Lost(s)) > 0 {
			continue
		}
		if a, only := waysOut(p, s); only {
			report(p, s, a)
		}
	}
}

// waysOut are the ways out of s, and whether all of them need never come. It is
// false where there is none: that is a dead end.
func waysOut(p *check.Pass, s *ir.State) (a awaited, only bool) {
	for in := range p.Table().Inputs(s) {
		if in.Kind == ir.CaseCancel || in.Kind == ir.CaseOverBudget || !leads(in) {
			continue
		}
		switch {
		case in.Kind == ir.CaseEvent:
			a.events = append(a.events, in.Event.Name)
		case in.Kind == ir.CaseDone && slices.ContainsFunc(s.Dos, limitless):
			a.add(s.Dos...)
		case in.Do != nil && limitless(in.Do):
			a.add(in.Do)
		default:
			return awaited{}, false
		}
	}
	return a, len(a.events)+len(a.activities) > 0
}

// add adds those of dos that have no limit.
func (a *awaited) add(dos ...*ir.Do) {
	for _, d := range dos {
		if limitless(d) && !slices.Contains(a.activities, d) {
			a.activities = append(a.activities, d)
		}
	}
}

// leads reports whether an arm for in may lead on.
func leads(in flat.Input) bool {
	for c := range flat.Takeable(in.Choices) {
		if c.Arm != nil && c.Arm.Kind == ir.Goto {
			return true
		}
	}
	return false
}

// limitless reports whether an attempt of d may run without end.
func limitless(d *ir.Do) bool {
	return d.Timeout == nil && d.Heartbeat == nil && d.Progress == nil
}

// maxNamed is the most events that a message names.
const maxNamed = 3

func report(p *check.Pass, s *ir.State, a awaited) {
	var related []diag.Related
	var names []string
	for _, d := range a.activities {
		names = append(names, d.Activity.Name)
		related = append(related, diag.Related{Span: d.Span, Message: "it has neither `timeout`, `heartbeat` nor `progress`"})
	}
	what := "only " + check.Or(a.events) + " from outside leads out of it"
	if len(a.events) > maxNamed {
		what = "only events from outside lead out of it"
	}
	help := "Set a time with `after 7d -> …` in " + check.Around(s) + ", or suppress this finding if somebody watches the run."
	if len(names) > 0 {
		what = check.And(slices.Compact(names)) + " may run without end, and nothing else is sure to lead out of it"
		help = "Give the activity a `timeout`, or set a time with `after 1h -> …` in " + check.Around(s) + "."
	}
	p.Report(check.Finding{
		State:   s,
		Message: check.Quote(s.Path) + " may wait for ever: " + what,
		Help:    help,
		Related: related,
		Witness: p.PathTo(s),
	})
}
