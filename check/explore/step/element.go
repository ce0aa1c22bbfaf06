package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Nothing is known of elements, and so not whether they have what may be absent in them: that is a
// free choice, and for each part one in a step.

// partComes compiles whether an element has what e, a part of it, is within.
func (c *compiler) partComes(e *ir.FieldRef, arm *ir.Arm) test {
	var all []test
	for i, name := range e.Within {
		asked := &ir.IsSet{
			E: ir.E{T: &ir.Type{Kind: ir.Bool}, At: e.At}, Asked: name,
			Field: &ir.FieldRef{E: e.E, Name: e.Name, Optional: true, Within: e.Within[:i+1]},
		}
		all = append(all, c.free(ir.ExprText(asked), false, false, asked, arm))
	}
	return func(s *Step) bool { return !slices.ContainsFunc(all, func(there test) bool { return !there(s) }) }
}

// ofElement reports whether e, read in arm, is a part of an element that may be absent.
func (c *compiler) ofElement(e *ir.FieldRef, arm *ir.Arm) bool {
	return e.Optional && e.IsElement() && len(c.t.Refs(e, arm)) == 0
}

// touchPart compiles the read of e, a part of an element that may be absent.
func (c *compiler) touchPart(e *ir.FieldRef, arm *ir.Arm) func(*Step) {
	comes := c.partComes(e, arm)
	part := &ir.EventField{Slot: ir.Slot{Name: e.Name, Type: e.T, Optional: true, Within: e.Within, Span: e.At}}
	return func(s *Step) {
		if !comes(s) {
			s.fail(Fault{why: unsetRead, Absent: part, At: e.At})
		}
	}
}
