package breaking

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
)

var parameterNarrowed = &Rule{
	Name: "parameter-narrowed", Family: Wire, run: runParameterNarrowed,
	Summary: "parameters with which runs were started are refused",
}

func runParameterNarrowed(p *pair) {
	changes := compareSlots(slotsOfVars(p.old.Params), slotsOfVars(p.new.Params))
	changes = slices.DeleteFunc(changes, func(c slotChange) bool { return !c.breaksGivers() })
	p.reportSlots("machine "+check.Quote(p.new.Name), "parameter", "Make a new parameter optional. fsmc migrate gives unfinished runs the value that \"set\" of its mapping says.",
		p.old.Span, p.new.Span, changes)
}
