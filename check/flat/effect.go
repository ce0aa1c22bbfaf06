package flat

import "github.com/fsmc-dev/fsmc/lang/ir"

// Effect is what an assignment does to its field: by how much it raises it, where it
// says `v = v + c` or `v = c + v`, or which value it sets.
type Effect struct {
	Step  int64     // not 0 where it raises or lowers
	Adds  *ir.Range // what it adds lies between these, a constant too; nil where that is not known
	Clamp *int64    // where it then stops: `min(v + c, clamp)`, the end of the field's range or beyond
	Value *ir.Const
}

// Between says between what an expression lies; nil where that is not known. Declared is what its
// type says.
type Between func(ir.Expr) *ir.Range

func Declared(e ir.Expr) *ir.Range { return e.Type().Range }

// EffectOf is what a does.
func EffectOf(a *ir.Assign, between Between) Effect {
	x := Effect{}
	if a.Value == nil {
		return x
	}
	x.Value = ir.Value(a.Value)
	from, adds, clamp := SumOf(a, between)
	if x.Clamp = clamp; from == a.Var && adds != (ir.Range{}) {
		x.Adds = &adds
		if adds.Lo == adds.Hi {
			x.Step = adds.Lo
		}
	}
	return x
}

// SumOf is the field from which a computes its own, where it says `v + c`, `c + v` or `v`, what
// it adds, and where it then stops; from is nil where it says something else.
func SumOf(a *ir.Assign, between Between) (from *ir.Var, adds ir.Range, clamp *int64) {
	if a.Value == nil {
		return nil, adds, nil
	}
	value, clamp := Clamped(a)
	if ref, ok := value.(*ir.VarRef); ok {
		return ref.Var, adds, clamp
	}
	sum, ok := value.(*ir.Binary)
	if !ok || sum.Op != ir.OpAdd && sum.Op != ir.OpSub {
		return nil, adds, clamp
	}
	of, by := sum.X, sum.Y
	ref, ok := of.(*ir.VarRef)
	if other, isVar := by.(*ir.VarRef); isVar && sum.Op == ir.OpAdd && (!ok || other.Var == a.Var) {
		by, ref, ok = of, other, true
	}
	if !ok || by.Type().Kind != ir.Int && by.Type().Kind != ir.Duration {
		return nil, adds, clamp
	}
	if c := ir.Value(by); c != nil {
		adds = ir.Range{Lo: c.Int, Hi: c.Int}
	} else if r := between(by); r != nil {
		adds = *r
	} else {
		return nil, adds, clamp
	}
	if sum.Op == ir.OpSub {
		adds = ir.Range{Lo: -adds.Hi, Hi: -adds.Lo}
	}
	return ref.Var, adds, clamp
}

// Clamped is what a assigns, without a `min` or `max` that keeps it in the range
// of its field and cannot move it the other way, and the constant of that.
func Clamped(a *ir.Assign) (value ir.Expr, clamp *int64) {
	call, ok := a.Value.(*ir.Call)
	r := a.Var.Type.Range
	if !ok || call.Guard != nil || r == nil {
		return a.Value, nil
	}
	x, c := call.Args[0], ir.Value(call.Args[1])
	if c == nil {
		x, c = call.Args[1], ir.Value(call.Args[0])
	}
	if c == nil || call.Builtin == "min" && c.Int < r.Hi || call.Builtin == "max" && c.Int > r.Lo {
		return a.Value, nil
	}
	return x, &c.Int
}

// CountsBeyondVisit reports whether the configuration holds a's counter while
// the run is elsewhere.
func CountsBeyondVisit(a *ir.Arm) bool {
	return a.Max != nil && *a.Max > 0 && !(a.Kind == ir.Retry && a.Scope.Kind == ir.PerVisit)
}
