package resolve

import (
	"cmp"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Guards keep to a fragment that is decided exactly: boolean combinations of
// integer difference constraints (Dill, "Timing Assumptions and Verification
// of Finite-State Concurrent Systems", 1989), of comparisons of floats,
// strings, enums and booleans without arithmetic, of `is set`, and of host
// guards, which count as unknown booleans.
//
// A difference constraint compares one sum or difference with one operand, on
// either side, so that it says x - y op c of at most two variables: in x + y
// one of the two is a literal, and in x - y op z one of y and z.

// guard resolves a condition: a boolean of the fragment.
func (r *resolver) guard(src ast.Expr, sc scope) ir.Expr {
	sc.guard = true
	e := r.expr(src, sc)
	if isBad(e) {
		return e
	}
	if e.Type().Kind != ir.Bool {
		r.mismatch(e.Span(), "a condition is a bool, and this is "+diag.Article(named(e.Type())), "Compare it with something.")
		return bad(e.Span(), e)
	}
	if rich := outside(e); rich != nil {
		help := "Compute it into a field first, or declare a host `guard`."
		if _, now := rich.(*ir.Now); now {
			help = "Set a field of type time from `now` first, use an `after`, or declare a host `guard`."
		}
		r.report(guardTooRich, rich.Span(), quote(ir.ExprText(rich))+" is more than a guard may say", help)
		return bad(e.Span(), e)
	}
	return e
}

// outside is the first part of a guard that is not in the fragment; nil where
// there is none.
func outside(e ir.Expr) ir.Expr {
	switch e := e.(type) {
	case *ir.Unary:
		return outside(e.X)
	case *ir.Call:
		for _, a := range e.Args {
			if rich := outsideArgument(a); rich != nil {
				return rich
			}
		}
	case *ir.Binary:
		if e.Op != ir.OpAnd && e.Op != ir.OpOr {
			return outsideComparison(e)
		}
		return cmp.Or(outside(e.X), outside(e.Y))
	}
	return nil
}

// outsideArgument is outside for what is handed to a host guard: any operand,
// the time, or a condition.
func outsideArgument(e ir.Expr) ir.Expr {
	_, now := e.(*ir.Now)
	switch {
	case isOperand(e) || now:
		return nil
	case e.Type().Kind == ir.Bool:
		return outside(e)
	}
	return e
}

func outsideComparison(e *ir.Binary) ir.Expr {
	switch e.X.Type().Kind {
	case ir.Int, ir.Duration, ir.Time:
		return outsideDifference(e)
	case ir.Float:
		return outsideOperands(e)
	case ir.Bool, ir.EnumKind, ir.String:
		if e.Op == ir.OpEq || e.Op == ir.OpNe {
			return outsideOperands(e)
		}
	}
	return e
}

// outsideOperands is the side of a comparison that is no operand.
func outsideOperands(e *ir.Binary) ir.Expr {
	for _, side := range []ir.Expr{e.X, e.Y} {
		if !isOperand(side) {
			return blame(e, side)
		}
	}
	return nil
}

// outsideDifference is e, or the part of it that is at fault, where e is no
// difference constraint.
func outsideDifference(e *ir.Binary) ir.Expr {
	sum, other := e.X, e.Y
	if isOperand(sum) {
		sum, other = other, sum
	}
	if !isOperand(other) {
		return blame(e, other)
	}
	if isOperand(sum) {
		return nil
	}
	b, ok := sum.(*ir.Binary)
	if !ok || b.Op == ir.OpMul {
		return blame(e, sum)
	}
	for _, x := range []ir.Expr{b.X, b.Y} {
		if !isOperand(x) {
			return blame(e, x)
		}
	}
	switch {
	case b.Op == ir.OpAdd && (isLit(b.X) || isLit(b.Y)):
		return nil
	case b.Op == ir.OpSub && (isLit(b.Y) || isLit(other)):
		return nil
	}
	return e
}

// blame is what to name where part makes comparison too rich: `now` itself,
// else the whole, which says more.
func blame(comparison, part ir.Expr) ir.Expr {
	isNow := func(e ir.Expr) bool { _, is := e.(*ir.Now); return is }
	return cmp.Or(ir.Find(part, isNow), comparison)
}

// isOperand reports whether e is a parameter, a field, a field of the event, a
// literal or a length.
func isOperand(e ir.Expr) bool {
	switch e.(type) {
	case *ir.Lit, *ir.VarRef, *ir.FieldRef, *ir.Len:
		return true
	}
	return false
}

func isLit(e ir.Expr) bool {
	_, ok := e.(*ir.Lit)
	return ok
}
