package breaking

import (
	"strconv"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var counterLowered = &Rule{
	Name: "counter-lowered", Family: Runs, run: runCounterLowered,
	Summary: "unfinished runs may have used a bound more often than it allows now",
}

func runCounterLowered(p *pair) {
	var wasTaken, isTaken ir.StableNames
	wasNames, isNames := ir.ArmNames(p.old, &wasTaken), ir.ArmNames(p.new, &isTaken)
	arms := map[string]*ir.Arm{}
	for i, name := range isNames {
		arms[name] = p.new.Arms[i]
	}
	bounded := map[string]bool{} // the names of arms that had a bound before
	for i, was := range p.old.Arms {
		bounded[p.within(was.State, wasNames[i])] = was.Max != nil
	}
	for i, was := range p.old.Arms {
		is := arms[p.within(was.State, wasNames[i])]
		if next := p.follower(was, is, func(a *ir.Arm) bool { return bounded[isNames[a.ID]] }); next != nil {
			p.report(Point{Old: was.Span, New: next.Span, Bites: Bites{State: leafPath(was.State)},
				Message: "the bound of " + check.Quote(wasNames[i]) + " is that of " + check.Quote(isNames[next.ID]) + " now, and begins again in runs that are moved",
				Help:    "A bound belongs to the input of its arm and the place of the arm in its chain. Keep both, or let the runs end first that have used it."})
		}
		if is == nil || is.Max == nil || is.Kind != was.Kind || was.Max != nil && *was.Max <= *is.Max || was.Max == nil && !was.Unbounded {
			continue
		}
		before := "unbounded"
		if was.Max != nil {
			before = strconv.FormatInt(*was.Max, 10)
		}
		p.report(Point{Old: was.Span, New: is.Span, Bites: Bites{State: leafPath(was.State)},
			Message: "the bound of " + check.Quote(isNames[is.ID]) + " was " + before + ", and is " + strconv.FormatInt(*is.Max, 10),
			Help:    "A run that has used it more often counts as having used it up. Raise it again, or let such runs end first."})
	}
}

// follower is the arm that does what a bounded arm did, with a bound, if is, the arm that has its name
// now and takes over what runs have used, does something else; nil if there is none. An arm that is known
// had a bound before.
func (p *pair) follower(was, is *ir.Arm, known func(a *ir.Arm) bool) *ir.Arm {
	like := func(a *ir.Arm) bool {
		return a != nil && a.Max != nil && a.Kind == was.Kind && a.State.Path == p.path(was.State.Path) &&
			(was.Target == nil || a.Target != nil && a.Target.Path == p.path(was.Target.Path))
	}
	if was.Max == nil || like(is) {
		return nil
	}
	for _, a := range p.new.Arms { // the first in source order
		if like(a) && !known(a) {
			return a
		}
	}
	return nil
}

// within is the name of what stands in a state of the old machine, as the new one has it.
func (p *pair) within(s *ir.State, name string) string {
	if s.Path == "" {
		return name
	}
	return p.path(s.Path) + name[len(s.Path):]
}

// leafPath is the path of a leaf, and empty for what has states inside.
func leafPath(s *ir.State) string {
	if s.Kind != ir.Leaf {
		return ""
	}
	return s.Path
}
