package check

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Awaited is what leads out of a leaf and need never come.
type Awaited struct {
	Events     []string
	Activities []*ir.Do // that may run without end
}

// Awaits is what leads out of s, and whether all of it need never come, while no timer
// sets a time to that. It is false where nothing leads out: that is a dead end.
func (s *shared) Awaits(leaf *ir.State) (a Awaited, only bool) {
	a, only = s.waysOut(leaf)
	return a, only && len(a.Events)+len(a.Activities) > 0
}

// mayStay reports whether a run may stay in leaf for ever.
func (s *shared) mayStay(leaf *ir.State) bool {
	_, only := s.waysOut(leaf)
	return only
}

// waysOut is Awaits, true also where nothing leads out.
func (s *shared) waysOut(leaf *ir.State) (a Awaited, only bool) {
	if len(timing.TimersAround(leaf)) > 0 || len(s.Table().Lost(leaf)) > 0 {
		return a, false
	}
	for in := range s.Table().Inputs(leaf) {
		if in.Kind == ir.CaseCancel || in.Kind == ir.CaseOverBudget || !leadsOn(in) {
			continue
		}
		switch {
		case in.Kind == ir.CaseEvent:
			a.Events = append(a.Events, in.Event.Name)
		case in.Kind == ir.CaseDone && slices.ContainsFunc(leaf.Dos, s.Table().Limitless):
			a.add(s.Table(), leaf.Dos...)
		case in.Do != nil && s.Table().Limitless(in.Do):
			a.add(s.Table(), in.Do)
		default:
			return Awaited{}, false
		}
	}
	return a, true
}

// add adds those of dos that may run without end.
func (a *Awaited) add(t *flat.Table, dos ...*ir.Do) {
	for _, d := range dos {
		if t.Limitless(d) && !slices.Contains(a.Activities, d) {
			a.Activities = append(a.Activities, d)
		}
	}
}

// leadsOn reports whether an arm for in may lead on.
func leadsOn(in flat.Input) bool {
	for c := range flat.Takeable(in.Choices) {
		if c.Arm != nil && c.Arm.Kind == ir.Goto {
			return true
		}
	}
	return false
}
