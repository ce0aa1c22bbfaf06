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
	for i, was := range p.old.Arms {
		is := arms[p.within(was.State, wasNames[i])]
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
