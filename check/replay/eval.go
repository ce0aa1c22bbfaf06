package replay

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

var errOverflow = errors.New("the result does not fit into 64 bits")

// env is what the expressions of one step read.
type env struct {
	run    *run
	event  map[string]value
	guards map[string]bool // answers of host guards, by the text of the call

	answered map[string]bool // by guard and arguments: each question is asked once in a step
}

func (e *env) test(x ir.Expr) (bool, error) {
	if x == nil {
		return true, nil
	}
	v, err := e.eval(x)
	return v.n != 0, err
}

// eval computes x, from left to right and no further than needed.
func (e *env) eval(x ir.Expr) (value, error) {
	switch x := x.(type) {
	case *ir.Lit:
		return constant(x.Value), nil
	case *ir.VarRef:
		v := e.run.value(x.Var)
		if !v.set {
			return v, fmt.Errorf("%q is not set", x.Var.Name)
		}
		return v, nil
	case *ir.FieldRef:
		v, ok := e.event[x.Name]
		if !ok {
			return v, fmt.Errorf("the input has no %q", x.Name)
		}
		return v, nil
	case *ir.Now:
		return number(epoch + e.run.now), nil
	case *ir.Len:
		v, err := e.eval(x.X)
		if x.X.Type().Kind == ir.List {
			return number(int64(len(v.list))), err
		}
		return number(int64(len(v.s))), err
	case *ir.IsSet:
		return truth(e.run.value(x.Var).set != x.Not), nil
	case *ir.Unary:
		v, err := e.eval(x.X)
		switch {
		case err != nil:
			return v, err
		case x.Op == ir.OpNot:
			return truth(v.n == 0), nil
		case x.T.Kind == ir.Float:
			return value{set: true, f: -v.f}, nil
		case v.n == math.MinInt64:
			return v, errOverflow
		}
		return number(-v.n), nil
	case *ir.Binary:
		return e.binary(x)
	case *ir.Call:
		return e.call(x)
	}
	return value{}, errors.New("it cannot be computed")
}

func (e *env) call(x *ir.Call) (value, error) {
	args := make([]value, len(x.Args))
	for i, a := range x.Args {
		var err error
		if args[i], err = e.eval(a); err != nil {
			return value{}, err
		}
	}
	if x.Guard != nil {
		return e.ask(x, args)
	}
	less := args[0].compare(args[1], x.T.Kind) < 0
	if less == (x.Builtin == "min") {
		return args[0], nil
	}
	return args[1], nil
}

// ask is the answer of a host guard: what the witness says of the call, or what
// was answered to the same question before. The two must agree.
func (e *env) ask(x *ir.Call, args []value) (value, error) {
	question := x.Guard.Name
	for _, a := range args {
		question += "\x00" + a.key()
	}
	before, asked := e.answered[question]
	answer, said := e.guards[ir.ExprText(x)]
	switch {
	case asked && !said:
		answer = before
	case asked && answer != before:
		return value{}, fmt.Errorf("%q is answered in two ways", x.Guard.Name)
	}
	if e.answered == nil {
		e.answered = map[string]bool{}
	}
	e.answered[question] = answer
	return truth(answer), nil
}

func (e *env) binary(x *ir.Binary) (value, error) {
	if x.T.Kind == ir.Bool && (computesInteger(x.X) || computesInteger(x.Y)) {
		return e.comparison(x)
	}
	a, err := e.eval(x.X)
	if err != nil {
		return a, err
	}
	if x.Op == ir.OpAnd && a.n == 0 || x.Op == ir.OpOr && a.n != 0 {
		return a, nil
	}
	b, err := e.eval(x.Y)
	if err != nil {
		return b, err
	}
	switch x.Op {
	case ir.OpAnd, ir.OpOr:
		return b, nil
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return compute(x, a, b)
	}
	return compare(x.Op, a, b, x.X.Type().Kind), nil
}

// comparison compares over the mathematical integers where a side is computed: such
// numbers need not fit into 64 bits.
func (e *env) comparison(x *ir.Binary) (value, error) {
	a, err := e.exact(x.X)
	if err != nil {
		return value{}, err
	}
	b, err := e.exact(x.Y)
	if err != nil {
		return value{}, err
	}
	return compare(x.Op, number(int64(a.Cmp(b))), number(0), ir.Int), nil
}

// computesInteger reports whether x is a sum or the like of integers, durations or times.
func computesInteger(x ir.Expr) bool {
	switch x.Type().Kind {
	case ir.Int, ir.Duration, ir.Time:
		switch x.(type) {
		case *ir.Binary, *ir.Unary:
			return true
		}
	}
	return false
}

// exact is x, an int, duration or time, as a mathematical integer.
func (e *env) exact(x ir.Expr) (*big.Int, error) {
	if computesInteger(x) {
		switch x := x.(type) {
		case *ir.Unary:
			n, err := e.exact(x.X)
			if err != nil {
				return nil, err
			}
			return n.Neg(n), nil
		case *ir.Binary:
			a, err := e.exact(x.X)
			if err != nil {
				return nil, err
			}
			b, err := e.exact(x.Y)
			if err != nil {
				return nil, err
			}
			switch x.Op {
			case ir.OpAdd:
				return a.Add(a, b), nil
			case ir.OpSub:
				return a.Sub(a, b), nil
			case ir.OpMul:
				return a.Mul(a, b), nil
			}
		}
	}
	v, err := e.eval(x)
	return big.NewInt(v.n), err
}

// compare is whether `a op b` holds of two values of kind k.
func compare(op ir.Op, a, b value, k ir.Kind) value {
	switch op {
	case ir.OpEq:
		return truth(a.equal(b, k))
	case ir.OpNe:
		return truth(!a.equal(b, k))
	}
	return truth(op.Holds(int64(a.compare(b, k)), 0))
}

// compute is arithmetic.
func compute(x *ir.Binary, a, b value) (value, error) {
	switch x.T.Kind {
	case ir.String:
		return value{set: true, s: a.s + b.s}, nil
	case ir.List:
		return a.with(b), nil
	case ir.Float:
		return float(x.Op, a.f, b.f)
	}
	n, ok := x.Op.Compute(a.n, b.n)
	if !ok {
		return value{}, errOverflow
	}
	return number(n), nil
}

func float(op ir.Op, a, b float64) (value, error) {
	f := a * b
	switch op {
	case ir.OpAdd:
		f = a + b
	case ir.OpSub:
		f = a - b
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return value{}, errOverflow
	}
	return value{set: true, f: f}, nil
}
