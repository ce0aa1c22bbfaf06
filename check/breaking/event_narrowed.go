package breaking

import (
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var eventNarrowed = &Rule{
	Name: "event-narrowed", Family: Wire, run: runEventNarrowed,
	Summary: "a payload that senders sent is refused",
}

func runEventNarrowed(p *pair) {
	was, is := taken(p.old), taken(p.new)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		e := is[name]
		if e == nil {
			continue
		}
		changes := compareSlots(ir.Slots(was[name].Fields), ir.Slots(e.Fields))
		changes = slices.DeleteFunc(changes, func(c slotChange) bool { return !c.breaksGivers() })
		p.reportSlots("event "+check.Quote(name), "field", "Senders give exactly the fields that they know. Make a new field optional, or take a new event beside this one.",
			was[name].Span, e.Span, changes)
	}
}
