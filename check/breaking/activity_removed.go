package breaking

import (
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var activityRemoved = &Rule{
	Name: "activity-removed", Family: Runs, run: runActivityRemoved,
	Summary: "an activity that unfinished runs have open is gone from its state",
}

func runActivityRemoved(p *pair) {
	wasNames, isNames := ir.DoNames(p.old), ir.DoNames(p.new)
	p.stays(func(was, is *ir.State) {
		for _, d := range was.Dos {
			name := strings.TrimPrefix(wasNames[d.ID], was.Path+".")
			now := named(is.Dos, is.Path+"."+name, func(e *ir.Do) string { return isNames[e.ID] })
			if now != nil && (now.Fan == nil) == (d.Fan == nil) {
				continue
			}
			pt := Point{Old: d.Span, New: is.Span, Bites: Bites{State: was.Path},
				Message: check.Quote(name) + " may be open in " + check.Quote(was.Path) + ", and is gone there",
				Help:    "Where a run is moved, its attempt is cancelled, and what it returns is refused. Keep the activity, or let such runs leave the state first."}
			if now != nil {
				pt.New, pt.Message = now.Span, check.Quote(name)+" may be open in "+check.Quote(was.Path)+", and one of both versions runs it for the elements of a list"
			}
			p.report(pt)
		}
	})
}
