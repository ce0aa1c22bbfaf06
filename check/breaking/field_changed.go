package breaking

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var fieldChanged = &Rule{
	Name: "field-changed", Family: Runs, run: runFieldChanged,
	Summary: "what unfinished runs have in a field is lost or does not fit",
}

func runFieldChanged(p *pair) {
	for _, c := range compareSlots(slotsOfVars(p.old.Fields), slotsOfVars(p.new.Fields)) {
		if c.old == nil || c.new != nil && !c.retyped && !c.narrowed {
			continue
		}
		pt := Point{Old: c.old.Span, Message: c.text("field"), Help: "Say in the mapping of fsmc migrate what it is called now, that it is given up, or what is set instead; --write-map begins one."}
		if c.new != nil {
			pt.New = c.new.Span
		}
		p.report(pt)
	}
}

var fieldUnset = &Rule{
	Name: "field-unset", Family: Runs, run: runFieldUnset,
	Summary: "a new field that is read has no value in unfinished runs",
}

func runFieldUnset(p *pair) {
	for _, v := range p.new.Fields {
		old := named(p.old.Fields, v.Name, func(w *ir.Var) string { return w.Name })
		if old != nil || !readUnset(p.new, v.Name) {
			continue
		}
		p.report(Point{New: v.Span, Message: "field " + check.Quote(v.Name) + " is new and read, and unfinished runs have no value for it",
			Help: "Give it a default, or set it in the mapping of fsmc migrate; a run that reads it unset halts."})
	}
}

// readUnset reports whether m reads a field that a run moved there would not have.
func readUnset(m *ir.Machine, name string) bool {
	v := named(m.Fields, name, func(v *ir.Var) string { return v.Name })
	if v == nil || v.Default != nil || len(v.Within) > 0 {
		return false
	}
	for e := range m.Exprs() {
		if slices.Contains(ir.Vars(e), v) {
			return true
		}
	}
	return false
}
