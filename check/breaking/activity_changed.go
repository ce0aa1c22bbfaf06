package breaking

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A worker is written for one version of its machine, and works for runs of another one
// only where the arguments and results are the same. So any difference counts, whichever
// way it goes. A category of failure that is new is none that an old worker names.
var activityChanged = &Rule{
	Name: "activity-changed", Family: Wire, run: runActivityChanged,
	Summary: "workers see other arguments, or what they say is not understood",
}

const activityHelp = "A worker runs an activity for runs of both versions only where nothing of it differs. Declare a new activity beside this one."

func runActivityChanged(p *pair) {
	for _, was := range p.old.Activities {
		is := named(p.new.Activities, was.Name, func(a *ir.Activity) string { return a.Name })
		if is == nil || was.Machine != nil || is.Machine != nil {
			p.becomesMachine(was, is)
			continue
		}
		whose := "activity " + check.Quote(was.Name)
		p.reportSlots(whose, "argument", activityHelp, was.Span, is.Span, compareSlots(ir.Slots(was.Params), ir.Slots(is.Params)))
		for _, e := range was.Results {
			now := named(is.Results, e.Name, eventName)
			if now == nil {
				p.report(Point{Old: was.Span, New: is.Span, Message: whose + ": it may not raise " + check.Quote(e.Name) + " any more", Help: activityHelp})
				continue
			}
			p.reportSlots(whose+", result "+check.Quote(e.Name), "field", activityHelp, e.Span, now.Span, compareSlots(ir.Slots(e.Fields), ir.Slots(now.Fields)))
		}
		for _, e := range is.Results {
			if named(was.Results, e.Name, eventName) == nil {
				p.report(Point{Old: was.Span, New: is.Span, Message: whose + ": it may raise " + check.Quote(e.Name) + ", too", Help: activityHelp})
			}
		}
		for _, c := range was.Fails {
			if !slices.ContainsFunc(is.Fails, func(d *ir.Category) bool { return d.Name == c.Name }) {
				p.report(Point{Old: was.Span, New: is.Span, Message: whose + ": failing with " + check.Quote(c.Name) + " counts as \"unknown\" now", Help: activityHelp})
			}
		}
	}
}

// becomesMachine reports an activity that a machine has taken the place of, or the reverse.
func (p *pair) becomesMachine(was, is *ir.Activity) {
	if is == nil || (was.Machine == nil) == (is.Machine == nil) {
		return
	}
	what := "is a machine that is called now"
	if is.Machine == nil {
		what = "is no machine that is called any more"
	}
	p.report(Point{Old: was.Span, New: is.Span, Message: "activity " + check.Quote(was.Name) + " " + what, Help: activityHelp})
}

func eventName(e *ir.Event) string { return e.Name }
