package deadarm

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// cause is why an arm is dead.
type cause uint8

const (
	alive           cause = iota
	notRaised             // no state in question has the input
	noRunEnds             // the same, as no run of the machine that is called ends so
	noElement             // the same, as the activity runs for a list that is always empty
	noBudget              // the same, as no cost of a budget can be passed
	noTime                // the same, as the budget has no time
	neverComes            // the input does not come while the run is there
	guardImpossible       // no value satisfies the guard
	guardNeverMet         // no run has such values
	shadowed              // what is tried before takes all values
	shadowedInRuns        // all that runs have
)

var texts = [...]string{
	notRaised:       "nothing raises its trigger here",
	noRunEnds:       "no run of the machine that is called ends so",
	noElement:       "the list is always empty for whose elements its activity runs",
	noBudget:        "no activity of the machine has a cost of its budget, so that `over_budget` never comes",
	noTime:          "the machine has no `budget { time … }`, so that `over_budget(time)` never comes",
	neverComes:      "its trigger never arrives while a run is here",
	guardImpossible: "no value satisfies its guard",
	guardNeverMet:   "its guard is false in every run",
	shadowed:        "everything is handled before it",
	shadowedInRuns:  "all values that a run can have here are handled before it",
}

var helps = [...]string{
	notRaised:       "Remove it, or start the activity that raises this in the state or inside it.",
	noRunEnds:       "Remove it. It is needed once a run of the machine can reach that terminal.",
	noElement:       "Remove it, or declare the list so that it may have elements.",
	noBudget:        "Add the cost to `budget { … }`, or to the activity that has it, or remove the handler. Steps are proved.",
	noTime:          "Add `time` to `budget { … }`, or write an `after` at the machine.",
	neverComes:      "Remove it, or change what happens before, so that its trigger can arrive.",
	guardImpossible: "Fix its guard, or remove it.",
	guardNeverMet:   "Fix its guard, or the effects that set what it reads, or remove it.",
	shadowed:        "Put it first, narrow the guards before it, or remove it.",
	shadowedInRuns:  "Put it first, narrow the guards before it, or remove it.",
}

// causeOf says why an arm that comes into question in places is never taken, if
// it is not.
func causeOf(p *check.Pass, a *ir.Arm, places []place) cause {
	if len(places) == 0 {
		return unraised(p, a)
	}
	met := best(p, places, reached)
	if met == check.Unclear {
		p.LeaveOpen(check.Question{State: places[0].leaf})
	}
	if met > check.NeverMet {
		return alive
	}
	switch best(p, places, alone) {
	case check.Impossible:
		return guardImpossible
	case check.NeverMet:
		if best(p, places, nothing) == check.NeverMet {
			if unraised(p, a) == noBudget {
				return noBudget
			}
			return neverComes
		}
		return guardNeverMet
	}
	if met == check.Impossible {
		return shadowed
	}
	return shadowedInRuns
}

// unraised says why no state in question has the input of a.
func unraised(p *check.Pass, a *ir.Arm) cause {
	if a.Handler == nil {
		return notRaised
	}
	all := func(is func(t *ir.Trigger) bool) bool {
		return len(a.Handler.Triggers) > 0 && !slices.ContainsFunc(a.Handler.Triggers, func(t *ir.Trigger) bool { return !is(t) })
	}
	switch {
	case all(func(t *ir.Trigger) bool {
		return t.Kind == ir.OnOverBudget && slices.Equal(t.Costs, []string{ir.BudgetTime})
	}) && p.Table().Budget() == nil:
		return noTime
	case all(func(t *ir.Trigger) bool { return t.Kind == ir.OnOverBudget && !spends(p.Machine, t) }) && p.Table().Budget() == nil:
		return noBudget
	case slices.ContainsFunc(a.Handler.Triggers, func(t *ir.Trigger) bool { return ofNoElement(p, a.State, t) }):
		return noElement
	case all(func(t *ir.Trigger) bool {
		return t.Kind == ir.OnEvent && t.Event.Terminal != nil && p.Raised().Has(a.State, t)
	}):
		return noRunEnds
	}
	return notRaised
}

// ofNoElement reports whether an activity of s, or of a state inside it, would raise t if its
// list were not always empty.
func ofNoElement(p *check.Pass, s *ir.State, t *ir.Trigger) bool {
	return slices.ContainsFunc(p.Leaves(), func(leaf *ir.State) bool {
		return leaf.Inside(s) && slices.ContainsFunc(leaf.Dos, func(d *ir.Do) bool {
			return d.NeverRuns() && raises(p, d, t)
		})
	})
}

// raises reports whether an execution of d may end as t says.
func raises(p *check.Pass, d *ir.Do, t *ir.Trigger) bool {
	return slices.ContainsFunc(d.Activity.Results, func(e *ir.Event) bool {
		return t.Means(ir.Case{Kind: ir.CaseResult, Do: d, Event: e}) && !p.Table().Never(d.Activity, e)
	}) || slices.ContainsFunc(p.Machine.FailuresOf(d), func(c *ir.Category) bool {
		return t.Means(ir.Case{Kind: ir.CaseFailure, Do: d, Category: c})
	})
}

// spends reports whether an activity has a cost of the budget that t means.
func spends(m *ir.Machine, t *ir.Trigger) bool {
	return slices.ContainsFunc(m.Enforced(), func(cost string) bool {
		return (len(t.Costs) == 0 || slices.Contains(t.Costs, cost)) &&
			slices.ContainsFunc(m.Activities, func(a *ir.Activity) bool { return a.Spends(cost) })
	})
}

// takenArms marks by ID the arms of which it is plain that a run takes them: a path
// of a product in which nothing was guessed does, or no data plays a part and
// values exist, or a run that was gone through before the limit was passed does.
func takenArms(p *check.Pass) []bool {
	product := p.SmallProduct()
	taken := make([]bool, len(p.Machine.Arms))
	var asked *explore.Questions // about the input of
	var of place
	eachPlace(p, func(a *ir.Arm, at place) {
		if taken[a.ID] = taken[a.ID] || p.SurelyTaken(a); taken[a.ID] {
			return
		}
		if product == nil && readsData(at) {
			if product = p.Product(); product == nil {
				return
			}
		}
		if product != nil && (product.Guessed || !product.Taken(a)) {
			return
		}
		if asked == nil || at.leaf != of.leaf || at.input.ID != of.input.ID {
			asked, of = explore.NewQuestions(at.input, explore.Holds, explore.MayPass), at
		}
		taken[a.ID] = asked.Possible(reached(at)) == guard.Sat
	})
	return taken
}

// readsData reports whether the guards up to the arm read data of the run.
func readsData(at place) bool {
	return slices.ContainsFunc(at.input.Choices[:at.at+1], func(c ir.Choice) bool { return c.Arm != nil && len(ir.Vars(c.Arm.When)) > 0 })
}

// best is the most that some place gives.
func best(p *check.Pass, places []place, want func(place) []explore.Stance) check.Met {
	met := check.Impossible
	for _, at := range places {
		met = max(met, p.Meet(at.leaf, at.input, want(at)).Met)
		if met == check.CanBeMet {
			break
		}
	}
	return met
}

// reached wants the input to reach the arm, and to be taken there. Bounds count
// as both open and used up: an `else` behind one is a safeguard. Of two `on`s in
// one state neither is before the other.
func reached(at place) []explore.Stance {
	want := alone(at)
	own := at.input.Choices[at.at]
	for i, c := range at.input.Choices[:at.at] {
		if c.State != own.State || c.Arm == nil || c.Arm.Handler == own.Arm.Handler {
			want[i] = explore.MayPass
		}
	}
	return want
}

// alone wants the arm to apply, whatever is before it.
func alone(at place) []explore.Stance {
	return check.Want(at.input, at.at, explore.Any, explore.Holds)
}

// nothing wants the input to come, and no more.
func nothing(at place) []explore.Stance { return make([]explore.Stance, len(at.input.Choices)) }
