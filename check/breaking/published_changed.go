package breaking

import (
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// What a consumer does with a value that it has never seen nobody knows, nor what it does
// without one that it waits for: so a range counts in both directions. A field that is
// new does not.
var publishedChanged = &Rule{
	Name: "published-changed", Family: Wire, run: runPublishedChanged,
	Summary: "consumers get other messages, or none",
}

func runPublishedChanged(p *pair) {
	const help = "Publish what consumers know until none of them reads it, and the new message beside it."
	was, is := published(p.old), published(p.new)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		before, after := was[name], is[name]
		if after == nil {
			pt := Point{Old: before.Span, Message: "event " + check.Quote(name) + " is not published any more", Help: help}
			if e := eventOf(p.new, name); e != nil {
				pt.New = e.Span
			}
			p.report(pt)
			continue
		}
		changes := compareSlots(ir.Slots(before.Event.Fields), ir.Slots(after.Event.Fields))
		changes = slices.DeleteFunc(changes, func(c slotChange) bool { return c.old == nil })
		p.reportSlots("message "+check.Quote(name), "field", help, before.Event.Span, after.Event.Span, changes)
	}
}
