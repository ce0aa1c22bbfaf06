package breaking

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// What of the interface of a called machine goes away is what outcome-changed and
// parameter-narrowed say. This is about what comes in addition.
var childChanged = &Rule{
	Name: "child-changed", Family: Wire, run: runChildChanged,
	Summary: "a machine that others call can end in a way that they do not know",
}

func runChildChanged(p *pair) {
	if !p.called {
		return
	}
	for _, is := range terminals(p.new) {
		if was := stateOf(p.old, is.Path); was == nil || was.Kind != ir.Terminal {
			p.report(Point{
				New: is.Span, Message: "terminal " + check.Quote(is.Path) + " is new, and other machines call this one",
				Help: "A run that called the old machine has no arm for it. Wait until no such run is unfinished.",
			})
		}
	}
}
