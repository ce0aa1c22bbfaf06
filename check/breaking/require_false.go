package breaking

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var requireFalse = &Rule{
	Name: "require-false", Family: Runs, run: runRequireFalse,
	Summary: "unfinished runs may stand in a state whose `require` is false for them",
}

func runRequireFalse(p *pair) {
	p.stays(func(was, is *ir.State) {
		if is.Require == nil || was.Require != nil && ir.ExprText(was.Require.Cond) == ir.ExprText(is.Require.Cond) {
			return
		}
		pt := Point{New: is.Require.Span, Old: was.Span, Bites: Bites{State: was.Path},
			Message: "runs in " + check.Quote(is.Path) + " may not have what it requires now: " + ir.ExprText(is.Require.Cond),
			Help:    "fsmc migrate refuses such a run. Set what is missing in its mapping, or let it leave the state first."}
		if was.Require != nil {
			pt.Old = was.Require.Span
		}
		p.report(pt)
	})
}
