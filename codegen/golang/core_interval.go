package golang

import (
	"math"
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// interval holds every value that an int or a duration (in nanoseconds) can
// have, over the mathematical integers. It decides which operations can
// overflow and so need a check; the others are Go's own operators.
type interval struct{ lo, hi *big.Int }

func between(lo, hi int64) interval { return interval{big.NewInt(lo), big.NewInt(hi)} }

var anyInt64 = between(math.MinInt64, math.MaxInt64)

// fits reports whether every value is an int64.
func (v interval) fits() bool { return v.lo.IsInt64() && v.hi.IsInt64() }

// within reports whether every value lies in r.
func (v interval) within(r *ir.Range) bool {
	return r == nil || v.lo.Cmp(big.NewInt(r.Lo)) >= 0 && v.hi.Cmp(big.NewInt(r.Hi)) <= 0
}

func least(list ...*big.Int) *big.Int { return slices.MinFunc(list, (*big.Int).Cmp) }
func most(list ...*big.Int) *big.Int  { return slices.MaxFunc(list, (*big.Int).Cmp) }

func (v interval) mul(w interval) interval {
	var corners []*big.Int
	for _, a := range []*big.Int{v.lo, v.hi} {
		corners = append(corners, new(big.Int).Mul(a, w.lo), new(big.Int).Mul(a, w.hi))
	}
	return interval{least(corners...), most(corners...)}
}

// rangeOf is the interval of a type.
func rangeOf(t *ir.Type) interval {
	if t.Range != nil {
		return between(t.Range.Lo, t.Range.Hi)
	}
	return anyInt64
}

// lengthOf is the interval of the lengths of a string or a list, which are bounded by
// what a run may hold.
func lengthOf(t *ir.Type) interval {
	if t.Len != nil {
		return between(min(t.Len.Lo, math.MaxInt32), min(t.Len.Hi, math.MaxInt32))
	}
	return between(0, math.MaxInt32)
}

// lengthsOf is what the length of e, a list, can be.
func lengthsOf(e ir.Expr) interval {
	switch e := e.(type) {
	case *ir.Lit:
		return between(0, 0)
	case *ir.Binary:
		before, one := lengthsOf(e.X), big.NewInt(1)
		return interval{new(big.Int).Add(before.lo, one), new(big.Int).Add(before.hi, one)}
	}
	return lengthOf(e.Type())
}

// clip is v where it fits, and all of int64 where it does not: an operation
// that overflows has no value.
func (v interval) clip() interval {
	if v.fits() {
		return v
	}
	return anyInt64
}

// valuesOf is what e, an int or a duration, can be where nothing in it
// overflows; the outermost operation is not clipped.
func valuesOf(e ir.Expr) interval {
	inner := func(e ir.Expr) interval { return valuesOf(e).clip() }
	switch e := e.(type) {
	case *ir.Lit:
		return between(e.Value.Int, e.Value.Int)
	case *ir.VarRef:
		return rangeOf(e.Var.Type)
	case *ir.FieldRef:
		return rangeOf(e.Type())
	case *ir.Len:
		return lengthOf(e.X.Type())
	case *ir.Unary:
		x := inner(e.X)
		return interval{new(big.Int).Neg(x.hi), new(big.Int).Neg(x.lo)}
	case *ir.Binary:
		return sumOf(e, inner)
	case *ir.Call:
		x, y := inner(e.Args[0]), inner(e.Args[1])
		if e.Builtin == "min" {
			return interval{least(x.lo, y.lo), least(x.hi, y.hi)}
		}
		return interval{most(x.lo, y.lo), most(x.hi, y.hi)}
	}
	return anyInt64
}

func sumOf(e *ir.Binary, inner func(ir.Expr) interval) interval {
	if e.X.Type().Kind == ir.Time || e.Y.Type().Kind == ir.Time {
		return anyInt64
	}
	x, y := inner(e.X), inner(e.Y)
	switch e.Op {
	case ir.OpAdd:
		return interval{new(big.Int).Add(x.lo, y.lo), new(big.Int).Add(x.hi, y.hi)}
	case ir.OpSub:
		return interval{new(big.Int).Sub(x.lo, y.hi), new(big.Int).Sub(x.hi, y.lo)}
	case ir.OpMul:
		return x.mul(y)
	}
	return anyInt64
}
