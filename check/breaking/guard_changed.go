package breaking

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var guardChanged = &Rule{
	Name: "guard-changed", Family: Wire, run: runGuardChanged,
	Summary: "a host guard is asked with other arguments",
}

func runGuardChanged(p *pair) {
	for _, was := range p.old.Guards {
		is := named(p.new.Guards, was.Name, func(g *ir.Guard) string { return g.Name })
		if is == nil {
			continue
		}
		p.reportSlots("guard "+check.Quote(was.Name), "argument", "A host answers a guard for runs of both versions only where its arguments are the same. Declare a new guard beside this one.",
			was.Span, is.Span, compareSlots(ir.Slots(was.Params), ir.Slots(is.Params)))
	}
}
