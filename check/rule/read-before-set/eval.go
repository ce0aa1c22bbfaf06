package readbeforeset

import (
	"cmp"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// value is what is known of a value; the zero value is nothing at all.
type value struct {
	known bool
	kind  ir.Kind
	n     int64 // of bool (0, 1), int, duration and enum
	f     float64
	s     string
}

func truth(b bool) value {
	v := value{known: true, kind: ir.Bool}
	if b {
		v.n = 1
	}
	return v
}

func (v value) is(b bool) bool { return v.known && (v.n != 0) == b }

// constant is the value of c; that of a list is not followed.
func constant(c *ir.Const) value {
	return value{known: c.Kind != ir.List, kind: c.Kind, n: c.Int, f: c.Float, s: c.Str}
}

// moment is what the environment chooses in one step: what the input carries,
// by the name of the field, and what host guards answer, by their text.
type moment struct {
	event map[string]value
	hosts map[string]bool
}

// eval reads e from left to right, as far as the step does, and gives what is
// known of its value. Once the reader has halted, the value means nothing.
func (r *reader) eval(e ir.Expr) value {
	if r.halted {
		return value{}
	}
	switch e := e.(type) {
	case *ir.Lit:
		return constant(e.Value)
	case *ir.VarRef:
		r.variable(e.Var, e.At)
	case *ir.FieldRef:
		return r.given.event[e.Name]
	case *ir.Len:
		if x := r.eval(e.X); x.known && x.kind == ir.String {
			return value{known: true, kind: ir.Int, n: int64(len(x.s))}
		}
	case *ir.IsSet:
		bit, tracked := r.walk.bit[e.Var]
		if tracked || e.Var.Param || e.Var.Default != nil {
			return truth((r.unset&bit == 0) != e.Not)
		}
	case *ir.Unary:
		if x := r.eval(e.X); e.Op == ir.OpNot && x.known {
			return truth(x.n == 0)
		}
	case *ir.Call:
		for _, a := range e.Args {
			r.eval(a)
		}
		if e.Guard != nil {
			answer, known := r.given.hosts[ir.ExprText(e)]
			if known {
				return truth(answer)
			}
		}
	case *ir.Binary:
		if e.Op == ir.OpAnd || e.Op == ir.OpOr {
			return r.logic(e)
		}
		return compute(e.Op, r.eval(e.X), r.eval(e.Y))
	}
	return value{}
}

// logic stops early from left to right. Where it is not known whether the right
// side is read, what it would meet is not held against anybody.
func (r *reader) logic(e *ir.Binary) value {
	decides := e.Op == ir.OpOr // the value of one side that settles it
	x := r.eval(e.X)
	switch {
	case r.halted || x.is(decides):
		return x
	case x.known:
		return r.eval(e.Y)
	}
	trial := *r
	trial.muted = true
	if y := trial.eval(e.Y); !trial.halted && y.is(decides) {
		return y
	}
	return value{}
}

// small bounds the numbers that are computed with, so that nothing overflows.
const small = 1 << 61

// compute is x op y for a comparison, a sum or a difference.
func compute(op ir.Op, x, y value) value {
	if !x.known || !y.known || x.kind != y.kind {
		return value{}
	}
	switch op {
	case ir.OpAdd, ir.OpSub:
		if x.kind != ir.Int && x.kind != ir.Duration || max(x.n, y.n) > small || min(x.n, y.n) < -small {
			return value{}
		}
		if op == ir.OpSub {
			y.n = -y.n
		}
		return value{known: true, kind: x.kind, n: x.n + y.n}
	case ir.OpMul:
		return value{}
	}
	sign := cmp.Compare(x.n, y.n)
	switch x.kind {
	case ir.Float:
		sign = cmp.Compare(x.f, y.f)
	case ir.String:
		sign = cmp.Compare(x.s, y.s)
	}
	switch op {
	case ir.OpEq:
		return truth(sign == 0)
	case ir.OpNe:
		return truth(sign != 0)
	case ir.OpLt:
		return truth(sign < 0)
	case ir.OpLe:
		return truth(sign <= 0)
	case ir.OpGt:
		return truth(sign > 0)
	}
	return truth(sign >= 0)
}
