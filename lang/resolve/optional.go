package resolve

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// orUnset lets value, a whole right side or argument, be unset: its place may be. Either
// that is declared with `?`, or what is read is: so a copy between two fields of the context
// means what it meant without such a word. A record that is written out is there.
func orUnset(value ir.Expr, declared bool) {
	switch e := value.(type) {
	case *ir.VarRef:
		e.OrUnset = e.OrUnset || e.Var.MayBeUnset() && (declared || e.Var.Optional)
	case *ir.FanRef:
		e.OrUnset = e.Optional
	case *ir.FieldRef:
		e.OrUnset = e.Optional
	case *ir.Fit:
		e.OrUnset = e.OrUnset || declared
	case *ir.RecordLit:
		for _, l := range e.Leaves {
			if e.Written == "" {
				continue
			}
			orUnset(l, declared)
			if fit, ok := l.(*ir.Fit); ok && declared && fit.Whole != nil {
				fit.Whole.OrUnset = true
			}
		}
	}
}

// isSetInEvent is `event.x is set`.
func (r *resolver) isSetInEvent(src *ast.IsSet, sc scope) ir.Expr {
	x := r.eventField(src.Span(), append([]*ast.Name{src.Name}, src.Inner...), sc)
	if isBad(x) {
		return bad(src.Span(), x)
	}
	asked := ""
	if lit, whole := x.(*ir.RecordLit); whole {
		asked = strings.TrimPrefix(lit.Written, "event.")
	}
	field, ok := ir.Leaves(x)[x.Type().FirstSure()].(*ir.FieldRef)
	if !ok {
		r.mismatch(src.Span(), quote(ir.ExprText(x))+" is a part of a json, and only a field can be asked whether it is set",
			"Keep it in a field of its type first.")
		return bad(src.Span(), x)
	}
	return &ir.IsSet{E: ir.E{T: boolType, At: src.Span()}, Field: field, Asked: asked, Not: src.Not}
}

// absentPart reports what is read of an element in value, an argument, that may be absent where
// a value is wanted: of an element nothing can be asked.
func (r *resolver) absentPart(value ir.Expr) {
	ir.Walk(value, func(e ir.Expr) bool {
		leaves := ir.Leaves(e)
		for _, leaf := range leaves {
			if part, ok := leaf.(*ir.FanRef); ok && part.Optional && !part.OrUnset {
				r.mismatch(part.At, quote(ir.ExprText(e))+" may be absent, and a value is wanted here",
					"Declare the parameter with `?`, or hand over the whole record.")
				return false
			}
		}
		return true
	})
}
