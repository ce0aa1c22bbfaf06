// Package neverfires finds timers, retries and time limits of attempts that another
// timer always forestalls.
package neverfires

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of never-fires.
var Rule = &check.Rule{
	Name:      "never-fires",
	Group:     check.Promises,
	Severity:  diag.Warning,
	Summary:   "another timer always fires before a timer or a retry",
	Question:  "whether a timer or a retry ever comes first",
	Fix:       "removes the timer",
	Run:       run,
	Static:    true,
	Sound:     true,
	Starts:    true,
	Absence:   true,
	Unreached: true,
}

func run(p *check.Pass) {
	var silent []*ir.Timer
	by := map[*ir.Timer]*ir.Timer{}
	for _, t := range p.Machine.Timers {
		if t.Budget { // that no run lasts as long is what a budget is for
			continue
		}
		if first, never := forestalled(p, t); never && !p.Unreachable(t.State) {
			silent = append(silent, t)
			by[t] = first
		}
	}
	for _, t := range silent {
		reportTimer(p, t, by)
	}
	retries(p)
	limits(p)
}

// forestalled reports whether t never fires, and which timer around it or beside it
// always comes before it, and ends it; nil where it takes more than one.
func forestalled(p *check.Pass, t *ir.Timer) (first *ir.Timer, never bool) {
	first = timing.Forestaller(p.Table(), t)
	if g := p.SmallProduct(); g != nil && g.Timed() {
		if first != nil && timing.OutlivesFiring(first) {
			first = nil
		}
		return first, !g.Fires(t) && g.Awaited(t)
	}
	if first == nil && competes(p, t) && p.Product() == nil {
		p.LeaveOpen(check.Question{State: t.State, Span: t.Span})
	}
	return first, first != nil && !comes(p, t, first)
}

// competes reports whether another timer may run beside t.
func competes(p *check.Pass, t *ir.Timer) bool {
	return slices.ContainsFunc(p.Machine.Timers, func(other *ir.Timer) bool {
		return other != t && (other.State.Inside(t.State) || t.State.Inside(other.State))
	})
}

// comes reports whether t, which first forestalls while it runs, fires in some
// run all the same: first may have fired before, without an end to t.
func comes(p *check.Pass, t, first *ir.Timer) bool {
	g := p.Product()
	if g == nil {
		if timing.OutlivesFiring(first) {
			p.LeaveOpen(check.Question{State: t.State})
		}
		return timing.OutlivesFiring(first)
	}
	return slices.ContainsFunc(placesOf(p, t), func(at place) bool { return g.Comes(at.Leaf, at.input) })
}

// place is a timer as an input of a leaf.
type place struct {
	check.InputAt
	input flat.Input
}

func placesOf(p *check.Pass, t *ir.Timer) []place {
	var out []place
	for _, leaf := range p.Leaves() {
		if !leaf.Inside(t.State) {
			continue
		}
		for in := range p.Table().Inputs(leaf) {
			if in.Timer == t {
				out = append(out, place{check.InputAt{Leaf: leaf, ID: in.ID}, in})
			}
		}
	}
	return out
}

func reportTimer(p *check.Pass, t *ir.Timer, by map[*ir.Timer]*ir.Timer) {
	first := by[t]
	f := check.Finding{
		State:   t.State,
		Span:    t.Span,
		Message: named(t, nil) + " never fires: in every run something else comes before it, and ends it or starts it again",
		Help:    "Make its wait shorter, or remove it.",
		Related: ending(p, t),
	}
	if first != nil {
		f.Message = named(t, first) + " never fires: " + named(first, t) + " always comes before it"
		f.Help = "Make its wait the shorter one, or remove it."
		f.Related = []diag.Related{{Span: first.Span, Message: "this one comes first"}}
	}
	for _, at := range placesOf(p, t) {
		f.Inputs = append(f.Inputs, at.InputAt)
	}
	f.Witness = firing(p, t, first)
	if len(t.Arms) > 0 && leftOtherwise(p, t) {
		f.Fixes = p.RemoveArms(t.Arms[0], len(t.Arms)-1)
	}
	if s := cutOff(p, t, by); s != nil {
		f.State, f.Severity, f.Fixes = s, new(diag.Error), nil
		f.Message += ", so no run enters " + check.Quote(s.Path)
	}
	p.Report(f)
}

// ending are the arms of other timers that end t, or start it again.
func ending(p *check.Pass, t *ir.Timer) (list []diag.Related) {
	for _, a := range p.Machine.Arms {
		if a.Timer == nil || a.Timer == t || a.Kind != ir.Goto || !a.State.Inside(t.State) || p.Unreachable(a.State) || len(list) == check.MaxNamed {
			continue
		}
		switch {
		case t.State.Inside(a.Target):
			list = append(list, diag.Related{Span: a.Span, Message: "this one starts it again"})
		case !a.Target.Inside(t.State):
			list = append(list, diag.Related{Span: a.Span, Message: "this one ends it"})
		}
	}
	return list
}

// leftOtherwise reports whether an arm that is none of t leads out of the state of t.
func leftOtherwise(p *check.Pass, t *ir.Timer) bool {
	return slices.ContainsFunc(p.Machine.Arms, func(a *ir.Arm) bool {
		return a.Kind == ir.Goto && a.Timer != t && a.State.Inside(t.State) && !a.Target.Inside(t.State)
	})
}

// firing is a run into the state of t in which first fires.
func firing(p *check.Pass, t, first *ir.Timer) *witness.Witness {
	if first == nil {
		return p.PathTo(t.State)
	}
	for _, leaf := range p.Leaves() {
		if !leaf.Inside(t.State) {
			continue
		}
		for in := range p.Table().Inputs(leaf) {
			if in.Timer != first {
				continue
			}
			for i, c := range in.Choices {
				if m := p.Meet(leaf, in, check.Want(in, i, explore.Passed, explore.Applies)); m.Met == check.CanBeMet {
					return p.Shown(&m, c.Arm)
				}
			}
		}
	}
	return nil
}

// named is a timer with its state: `"after 2h" of "Draft"`; with `idle` and jitter, where beside
// waits as long in the same state.
func named(t, beside *ir.Timer) string {
	text := t.Trigger()
	if beside != nil && beside.State == t.State && beside.Trigger() == text {
		text = t.Text()
	}
	text = check.Quote(text)
	if t.State.Parent == nil {
		return text + " of the machine"
	}
	return text + " of " + check.Quote(t.State.Path)
}
