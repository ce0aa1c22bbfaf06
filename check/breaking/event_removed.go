package breaking

import (
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
)

var eventRemoved = &Rule{
	Name: "event-removed", Family: Wire, run: runEventRemoved,
	Summary: "an event that senders sent is not taken any more",
}

func runEventRemoved(p *pair) {
	was, is := taken(p.old), taken(p.new)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if is[name] != nil {
			continue
		}
		pt := Point{Old: was[name].Span, Message: "event " + check.Quote(name) + " is gone"}
		if e := eventOf(p.new, name); e != nil && !e.External() {
			pt.New, pt.Message = e.Span, "event "+check.Quote(name)+" is raised by an activity now, and cannot be sent"
		} else if e != nil {
			pt.New, pt.Message = e.Span, "no state takes event "+check.Quote(name)+" any more"
		}
		pt.Help = "Keep it, with an `ignore` where it means nothing, until no one sends it and no run has deferred it."
		p.report(pt)
	}
}
