package ir

import "math"

// Value is what e is in every run: a literal, a field that nothing assigns, the
// length of one of these, or a sum, a difference or a product of them. It is nil
// where e may have several values, and where it cannot be computed.
func Value(e Expr) *Const {
	switch e := e.(type) {
	case *Lit:
		return e.Value
	case *VarRef:
		return e.Var.Always()
	case *Len:
		switch c := Value(e.X); {
		case c == nil:
		case c.Kind == List:
			return &Const{Kind: Int} // there is no literal of a list with items
		case c.Kind == String:
			return &Const{Kind: Int, Int: int64(len(c.Str))}
		}
	case *Unary:
		if c := Value(e.X); c != nil && e.Op == OpSub && c.Int != math.MinInt64 {
			negative := *c
			negative.Int, negative.Float = -c.Int, -c.Float
			return &negative
		}
	case *Binary:
		return computed(e)
	}
	return nil
}

// Always is the value that v has in every run; nil where some run may have
// another.
func (v *Var) Always() *Const {
	if v.Assigned {
		return nil
	}
	return v.Default
}

// computed is the value of a sum, a difference or a product of constants that are
// integers or durations.
func computed(e *Binary) *Const {
	switch e.Op {
	case OpAdd, OpSub, OpMul:
	default:
		return nil
	}
	x, y := Value(e.X), Value(e.Y)
	if x == nil || y == nil || e.T.Kind != Int && e.T.Kind != Duration {
		return nil
	}
	n, fits := e.Op.Compute(x.Int, y.Int)
	if !fits {
		return nil
	}
	return &Const{Kind: e.T.Kind, Int: n}
}
