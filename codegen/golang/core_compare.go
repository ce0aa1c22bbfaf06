package golang

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// comparison compares values of one kind. Sums and differences of ints,
// durations and times are compared as mathematical integers: where one might
// overflow they are computed 128 bits wide.
func (x *exprs) comparison(e *ir.Binary, outer int) string {
	op := string(e.Op)
	switch e.X.Type().Kind {
	case ir.Int, ir.Duration:
		if x.narrow(e.X) && x.narrow(e.Y) {
			break
		}
		return x.wideComparison(e, outer)
	case ir.Time:
		if isSum(e.X) || isSum(e.Y) {
			return x.wideComparison(e, outer)
		}
		return paren(x.expr(e.X, 0)+".Compare("+x.expr(e.Y, 0)+") "+op+" 0", precCompare, outer)
	case ir.List, ir.JSON:
		code := x.c.equal(e.X.Type(), x.expr(e.X, 0), x.expr(e.Y, 0), 0)
		if e.Op == ir.OpNe {
			return paren("!("+code+")", precUnary, outer)
		}
		return "(" + code + ")"
	}
	return paren(x.expr(e.X, precCompare+1)+" "+op+" "+x.expr(e.Y, precCompare+1), precCompare, outer)
}

// not is the opposite of e, written as a person would: the not stands before
// what is no comparison, and inside what is joined.
func (x *exprs) not(e ir.Expr, outer int) string {
	switch e := e.(type) {
	case *ir.Unary:
		if e.Op == ir.OpNot {
			return x.expr(e.X, outer)
		}
	case *ir.Binary:
		if op := e.Op.Opposite(); op != "" {
			opposite := *e
			opposite.Op = op
			return x.comparison(&opposite, outer)
		}
		if e.Op == ir.OpAnd {
			return paren(x.not(e.X, precOr)+" || "+x.not(e.Y, precOr+1), precOr, outer)
		}
		return paren(x.not(e.X, precAnd)+" && "+x.not(e.Y, precAnd+1), precAnd, outer)
	}
	return paren("!"+x.expr(e, precUnary), precUnary, outer)
}

// isSum reports whether e is computed wide.
func isSum(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Binary:
		return e.Op == ir.OpAdd || e.Op == ir.OpSub
	case *ir.Unary:
		return true
	}
	return false
}

// narrow reports whether no sum in e can overflow, so that Go's arithmetic is
// exact.
func (x *exprs) narrow(e ir.Expr) bool {
	if !isSum(e) {
		return true
	}
	if !valuesOf(e).fits() {
		return false
	}
	switch e := e.(type) {
	case *ir.Binary:
		return e.X.Type().Kind != ir.Time && x.narrow(e.X) && x.narrow(e.Y)
	case *ir.Unary:
		return x.narrow(e.X)
	}
	return true
}

func (x *exprs) wideComparison(e *ir.Binary, outer int) string {
	return paren(x.wide(e.X)+".compare("+x.wide(e.Y)+") "+string(e.Op)+" 0", precCompare, outer)
}

// wide is e as a 128-bit integer; times and durations in nanoseconds.
func (x *exprs) wide(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Binary:
		if e.Op == ir.OpAdd {
			return x.wide(e.X) + ".add(" + x.wide(e.Y) + ")"
		}
		if e.Op == ir.OpSub {
			return x.wide(e.X) + ".add(" + x.wide(e.Y) + ".negate())"
		}
	case *ir.Unary:
		return x.wide(e.X) + ".negate()"
	}
	if e.Type().Kind == ir.Time {
		return x.c.need("WideTime") + "(" + x.expr(e, 0) + ")"
	}
	return x.c.need("Widen") + "(int64(" + x.expr(e, 0) + "))"
}

// equal compares two values of type t as the runtime does; the comparison of
// depth lists inside each other has names of its own.
func (c *corePrinter) equal(t *ir.Type, a, b string, depth int) string {
	switch t.Kind {
	case ir.List:
		if t.Elem == nil {
			return "len(" + a + ") == len(" + b + ")"
		}
		item := c.m.goType(t.Elem)
		return "slices.EqualFunc(" + a + ", " + b + ", func(a, b " + item + ") bool { return " + c.equal(t.Elem, "a", "b", depth+1) + " })"
	case ir.RecordKind:
		var parts []string
		for _, f := range t.Record.Fields {
			name := "." + exported(f.Name)
			parts = append(parts, c.equalIfSet(f.Type, f.Optional, a+name, b+name, depth))
		}
		return strings.Join(parts, " && ")
	case ir.JSON:
		return "string(" + a + ") == string(" + b + ")"
	case ir.Time:
		return a + ".Equal(" + b + ")"
	case ir.Float:
		if depth > 0 {
			return "math.Float64bits(" + a + ") == math.Float64bits(" + b + ")"
		}
	}
	return a + " == " + b
}

// equalIfSet is equal for values that may be absent, or not.
func (c *corePrinter) equalIfSet(t *ir.Type, optional bool, a, b string, depth int) string {
	if !optional {
		return c.equal(t, a, b, depth)
	}
	return a + ".Set == " + b + ".Set && (!" + a + ".Set || " + c.equal(t, a+".Value", b+".Value", depth) + ")"
}

// size is a function that gives about how many bytes a value of t takes.
func (c *corePrinter) size(t *ir.Type) string {
	return "func(v " + c.m.goType(t) + ") int { return " + c.sizeOf(t, "v") + " }"
}

// sizeOf is about how many bytes v takes, as the runtime counts them.
func (c *corePrinter) sizeOf(t *ir.Type, v string) string {
	switch t.Kind {
	case ir.String, ir.JSON:
		return "16 + len(" + v + ")"
	case ir.EnumKind:
		return "16 + len(" + v + ".String())"
	case ir.RecordKind: // an item of a list
		return "16 + " + c.sizeOfLeaves(t, v, false)
	case ir.List:
		if t.Elem == nil {
			return "16"
		}
		return c.need("Size") + "(" + v + ", " + c.size(t.Elem) + ")"
	}
	return "16"
}

// sizeOfLeaves is sizeOf for a field, of which a record takes what its leaves take.
func (c *corePrinter) sizeOfLeaves(t *ir.Type, v string, optional bool) string {
	return strings.Join(c.m.ofLeaves(t, v, optional, "", func(l ir.RecordLeaf, s spot, _ string) string { return c.sizeOf(l.Type, s.value) }), " + ")
}
