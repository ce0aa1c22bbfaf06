package machine

import (
	"fmt"
	"math"
)

func (c *exprCompiler) compileUnary(e *Expr, x *code) (*code, error) {
	switch {
	case e.Op == "!" && x.test != nil:
		return testCode(func(e *env) (bool, error) {
			b, err := x.test(e)
			return !b, err
		}), nil
	case e.Op == "len":
		return c.compileLen(e, x)
	case (e.Op == "neg" || e.Op == "-") && x.real != nil:
		return realCode(func(e *env) (float64, error) {
			f, err := x.real(e)
			return -f, err
		}), nil
	case (e.Op == "neg" || e.Op == "-") && (x.typ.Kind == Int || x.typ.Kind == DurationKind):
		return compileNegation(x), nil
	}
	return nil, fmt.Errorf("operator %q does not take a %s", e.Op, c.d.TypeName(&x.typ))
}

func (c *exprCompiler) compileLen(e *Expr, x *code) (*code, error) {
	switch op := e.Args[0].Op; {
	case op != "param" && op != "field" && op != "event" && op != "each" && op != "run":
	case x.typ.Kind == String:
		return numCode(Int, func(e *env) (int64, error) {
			v, err := x.value(e)
			return int64(len(v.s)), err
		}), nil
	case x.typ.Kind == ListKind:
		return numCode(Int, func(e *env) (int64, error) {
			v, err := x.value(e)
			return v.n, err
		}), nil
	}
	return nil, fmt.Errorf(`"len" takes a string or a list that a parameter, a field, an event or the run holds`)
}

func compileNegation(x *code) *code {
	exact := x.exact()
	out := numCode(x.typ.Kind, func(e *env) (int64, error) {
		n, err := x.num(e)
		if err == nil && n == math.MinInt64 {
			err = errOverflow("-")
		}
		return -n, err
	})
	out.wide = func(e *env) (wide, error) {
		n, err := exact(e)
		return n.negate(), err
	}
	return out
}

func errOverflow(op string) error { return faultOf(Overflow, op) }
