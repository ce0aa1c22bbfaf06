package drawing

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// exprText is e as written in a machine, with the parentheses it needs.
func exprText(e ir.Expr) string { return exprIn(e, 0) }

// strength orders the operators: what binds tighter is higher.
func strength(op ir.Op) int {
	switch op {
	case ir.OpOr:
		return 1
	case ir.OpAnd:
		return 2
	case ir.OpAdd, ir.OpSub:
		return 4
	case ir.OpMul:
		return 5
	}
	return 3 // the comparisons
}

// exprIn is the text of e inside an operator of strength outer.
func exprIn(e ir.Expr, outer int) string {
	switch e := e.(type) {
	case *ir.Lit:
		return e.Value.Text()
	case *ir.VarRef:
		return e.Var.Name
	case *ir.FieldRef:
		return "event." + e.Name
	case *ir.Now:
		return "now"
	case *ir.Len:
		return "len(" + exprText(e.X) + ")"
	case *ir.IsSet:
		if e.Not {
			return e.Var.Name + " is not set"
		}
		return e.Var.Name + " is set"
	case *ir.Unary:
		return string(e.Op) + exprIn(e.X, 6)
	case *ir.Binary:
		return binaryText(e, outer)
	case *ir.Call:
		return callText(e)
	}
	return "?"
}

func binaryText(e *ir.Binary, outer int) string {
	s := strength(e.Op)
	text := exprIn(e.X, s) + " " + string(e.Op) + " " + exprIn(e.Y, s+1)
	if s < outer {
		return "(" + text + ")"
	}
	return text
}

func callText(e *ir.Call) string {
	name := e.Builtin
	if e.Guard != nil {
		name = e.Guard.Name
	}
	return name + "(" + exprList(e.Args) + ")"
}

func exprList(list []ir.Expr) string {
	parts := make([]string, len(list))
	for i, a := range list {
		parts[i] = exprText(a)
	}
	return strings.Join(parts, ", ")
}
