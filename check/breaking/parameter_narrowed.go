package breaking

import "github.com/fsmc-dev/fsmc/check"

var parameterNarrowed = &Rule{
	Name: "parameter-narrowed", Family: Wire, run: runParameterNarrowed,
	Summary: "parameters with which runs were started are refused",
}

func runParameterNarrowed(p *pair) {
	for _, c := range compareSlots(slotsOfVars(p.old.Params), slotsOfVars(p.new.Params)) {
		help := "Take every value that the old type takes, or declare a new optional parameter beside this one."
		switch {
		case !c.breaksGivers():
			continue
		case c.old == nil:
			help = "Make the new parameter optional. fsmc migrate gives unfinished runs the value that \"set\" of its mapping says."
		case c.new == nil:
			help = "Keep the parameter until nobody who starts a run gives it."
		}
		p.reportSlots("machine "+check.Quote(p.new.Name), "parameter", help, p.old.Span, p.new.Span, []slotChange{c})
	}
}
