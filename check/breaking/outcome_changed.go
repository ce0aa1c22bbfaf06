package breaking

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var outcomeChanged = &Rule{
	Name: "outcome-changed", Family: Wire, run: runOutcomeChanged,
	Summary: "a terminal is gone, has another outcome, or returns other values",
}

func runOutcomeChanged(p *pair) {
	for _, was := range terminals(p.old) {
		whose := "terminal " + check.Quote(was.Path)
		is := stateOf(p.new, p.path(was.Path))
		switch {
		case is == nil || is.Kind != ir.Terminal:
			p.report(Point{Old: was.Span, Message: whose + " is gone", Help: "Whoever waits for a run, or counts its ends, knows it by name. Keep it."})
			continue
		case is.Path != was.Path:
			p.report(Point{Old: was.Span, New: is.Span, Message: whose + " is called " + check.Quote(is.Path) + " now", Help: "Whoever waits for a run, or counts its ends, knows it by name. Keep the name."})
		case is.Outcome != was.Outcome:
			p.report(Point{Old: was.Span, New: is.Span, Message: whose + " was " + was.Outcome + ", and is " + is.Outcome, Help: "Whoever waits for a run acts on its outcome. Make a new terminal beside this one."})
		}
		changes := compareSlots(slotsOfReturns(was), slotsOfReturns(is))
		changes = slices.DeleteFunc(changes, func(c slotChange) bool { return c.old == nil && !p.called })
		p.reportSlots(whose+" returns", "value", "Whoever waits for a run reads these values. Return them as before, and new ones in a new terminal beside this one.", was.Span, is.Span, changes)
	}
}

func terminals(m *ir.Machine) []*ir.State {
	return slices.DeleteFunc(slices.Clone(m.States), func(s *ir.State) bool { return s.Kind != ir.Terminal })
}
