package flat

import (
	"cmp"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Truth is what is known of a guard without looking at any run. The negation is -t; of two, both
// hold as the lesser does, and one holds as the greater.
type Truth int

const (
	False   Truth = iota - 1
	Unknown       // it may be true, and it may be false
	True
)

// Guard is the truth of e; a nil e is no guard, and true. Constants (see ir.Value)
// and what `!`, `&&`, `||` and comparisons make of them alone are decided, all else
// is unknown. Expressions nest at most as deep as the parser allows.
func Guard(e ir.Expr) Truth {
	switch e := e.(type) {
	case nil:
		return True
	case *ir.Lit, *ir.VarRef:
		if c := ir.Value(e); c != nil {
			return truth(c.Int != 0)
		}
	case *ir.IsSet:
		if e.Var != nil && !e.Var.MayBeUnset() || e.Field != nil && !e.Field.Optional {
			return truth(!e.Not)
		}
	case *ir.Unary:
		return -Guard(e.X)
	case *ir.Binary:
		switch e.Op {
		case ir.OpAnd:
			return min(Guard(e.X), Guard(e.Y))
		case ir.OpOr:
			return max(Guard(e.X), Guard(e.Y))
		}
		return compare(e)
	}
	return Unknown
}

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

// compare decides a comparison of two constants.
func compare(e *ir.Binary) Truth {
	x, y := ir.Value(e.X), ir.Value(e.Y)
	if x == nil || y == nil || x.Kind != y.Kind {
		return Unknown
	}
	order := 0
	switch x.Kind {
	case ir.Bool, ir.Int, ir.Duration, ir.EnumKind:
		order = cmp.Compare(x.Int, y.Int)
	case ir.Float:
		order = cmp.Compare(x.Float, y.Float)
	case ir.String:
		order = strings.Compare(x.Str, y.Str)
	default:
		return Unknown
	}
	return truth(e.Op.Holds(int64(order), 0))
}
