package machine

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// compileBinary compiles an operator of two operands.
func (c *exprCompiler) compileBinary(e *Expr, x, y *code) (*code, error) {
	var out *code
	switch e.Op {
	case "&&", "||":
		out = compileLogic(e.Op, x, y)
	case "==", "!=", "<", "<=", ">", ">=":
		out = compileComparison(e.Op, x, y)
	case "min", "max":
		out = compileExtreme(e.Op, x, y)
	case "+", "-", "*":
		out = compileArithmetic(e.Op, x, y)
	default:
		return nil, fmt.Errorf("there is no operator %q", e.Op)
	}
	if out == nil {
		return nil, fmt.Errorf("operator %q does not take a %s and a %s", e.Op, c.d.TypeName(&x.typ), c.d.TypeName(&y.typ))
	}
	return out, nil
}

// compileLogic stops early from left to right.
func compileLogic(op string, x, y *code) *code {
	if x.test == nil || y.test == nil {
		return nil
	}
	decided := op == "||" // the left value that settles it
	return testCode(func(e *env) (bool, error) {
		b, err := x.test(e)
		if err != nil || b == decided {
			return b, err
		}
		return y.test(e)
	})
}

// compileComparison compares values of one kind. Sums and differences of int,
// duration and time are compared as mathematical integers (of nanoseconds):
// they are computed wide and do not overflow.
func compileComparison(op string, x, y *code) *code {
	if !sameType(&x.typ, &y.typ) {
		return nil
	}
	holds := comparisons[op]
	switch {
	case x.num != nil && x.wide == nil && y.wide == nil:
		return compare(x.num, y.num, cmp.Compare[int64], holds)
	case x.num != nil:
		return compare(x.exact(), y.exact(), wide.compare, holds)
	case x.real != nil:
		return compare(x.real, y.real, cmp.Compare[float64], holds)
	case x.typ.Kind == String:
		return compare(x.value, y.value, func(a, b Value) int { return strings.Compare(a.s, b.s) }, holds)
	case op == "==" || op == "!=":
		return compare(x.value, y.value, func(a, b Value) int {
			if a.Equal(b) {
				return 0
			}
			return 1
		}, holds)
	}
	return nil
}

// comparisons say which signs of x - y an operator accepts.
var comparisons = map[string]func(int) bool{
	"==": func(s int) bool { return s == 0 },
	"!=": func(s int) bool { return s != 0 },
	"<":  func(s int) bool { return s < 0 },
	"<=": func(s int) bool { return s <= 0 },
	">":  func(s int) bool { return s > 0 },
	">=": func(s int) bool { return s >= 0 },
}

func compare[T any](x, y func(*env) (T, error), sign func(a, b T) int, holds func(int) bool) *code {
	return testCode(func(e *env) (bool, error) {
		a, err := x(e)
		if err != nil {
			return false, err
		}
		b, err := y(e)
		if err != nil {
			return false, err
		}
		return holds(sign(a, b)), nil
	})
}

// exact is x, an int, duration or time, as a mathematical integer; duration
// and time in nanoseconds.
func (c *code) exact() func(*env) (wide, error) {
	if c.wide != nil {
		return c.wide
	}
	num, micro := c.num, c.typ.Kind == TimeKind
	return func(e *env) (wide, error) {
		n, err := num(e)
		if micro {
			return widen(n).thousandfold(), err
		}
		return widen(n), err
	}
}

func compileExtreme(op string, x, y *code) *code {
	if !sameType(&x.typ, &y.typ) {
		return nil
	}
	switch {
	case x.num != nil && op == "min":
		return numCode(x.typ.Kind, both(x.num, y.num, func(a, b int64) (int64, error) { return min(a, b), nil }))
	case x.num != nil:
		return numCode(x.typ.Kind, both(x.num, y.num, func(a, b int64) (int64, error) { return max(a, b), nil }))
	case x.real != nil && op == "min":
		return realCode(both(x.real, y.real, func(a, b float64) (float64, error) { return min(a, b), nil }))
	case x.real != nil:
		return realCode(both(x.real, y.real, func(a, b float64) (float64, error) { return max(a, b), nil }))
	}
	return nil
}

// both computes x, then y, then f of them.
func both[X, Y, Z any](x func(*env) (X, error), y func(*env) (Y, error), f func(X, Y) (Z, error)) func(*env) (Z, error) {
	return func(e *env) (z Z, err error) {
		a, err := x(e)
		if err != nil {
			return z, err
		}
		b, err := y(e)
		if err != nil {
			return z, err
		}
		return f(a, b)
	}
}

// compileArithmetic is `+`, `-` and `*`; nil where the kinds do not fit.
func compileArithmetic(op string, x, y *code) *code {
	kinds := [2]Kind{x.typ.Kind, y.typ.Kind}
	switch {
	case x.real != nil && y.real != nil:
		return realCode(both(x.real, y.real, realArithmetic(op)))
	case op == "+" && kinds == [2]Kind{String, String}:
		return valueCode(x.typ, both(x.value, y.value, joinStrings))
	case op == "+" && x.typ.Kind == ListKind && (x.typ.Elem == nil || sameType(x.typ.Elem, &y.typ)):
		elem := y.typ
		return valueCode(Type{Kind: ListKind, Elem: &elem}, both(x.value, y.value, appendItem))
	case op == "+" && x.typ.Kind == JSON:
		return compileAppend(x, y)
	case op == "*":
		return compileProduct(x, y)
	case x.num != nil && y.num != nil:
		return compileSum(op, x, y)
	}
	return nil
}

// valueCode is a code that has a value alone.
func valueCode(t Type, f func(*env) (Value, error)) *code { return &code{typ: t, value: f} }

func realArithmetic(op string) func(a, b float64) (float64, error) {
	return func(a, b float64) (float64, error) {
		var f float64
		switch op {
		case "+":
			f = a + b
		case "-":
			f = a - b
		case "*":
			f = a * b
		}
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return 0, errOverflow(op)
		}
		return f, nil
	}
}

func joinStrings(a, b Value) (Value, error) {
	if len(a.s)+len(b.s) > MaxPayload {
		return Unset, faultOf(StringTooLong, strconv.Itoa(MaxPayload))
	}
	return StringValue(a.s + b.s), nil
}

func appendItem(list, item Value) (Value, error) {
	if list.size()+item.size() > MaxPayload {
		return Unset, faultOf(ListTooLarge, strconv.Itoa(MaxPayload))
	}
	return list.with(item), nil
}

func compileProduct(x, y *code) *code {
	kind := Int
	switch [2]Kind{x.typ.Kind, y.typ.Kind} {
	case [2]Kind{Int, Int}:
	case [2]Kind{Int, DurationKind}, [2]Kind{DurationKind, Int}:
		kind = DurationKind
	default:
		return nil
	}
	return numCode(kind, both(x.num, y.num, multiply))
}

// compileSum is `+` and `-` of int and duration, time ± duration, and
// time - time.
func compileSum(op string, x, y *code) *code {
	xk, yk := x.typ.Kind, y.typ.Kind
	var out *code
	switch {
	case xk == yk && xk != TimeKind:
		f := add
		if op == "-" {
			f = subtract
		}
		out = numCode(xk, both(x.num, y.num, f))
	case xk == TimeKind && yk == DurationKind:
		f := timePlus
		if op == "-" {
			f = timeMinus
		}
		out = numCode(TimeKind, both(x.num, y.num, f))
	case xk == DurationKind && yk == TimeKind && op == "+":
		out = numCode(TimeKind, both(x.num, y.num, func(d, t int64) (int64, error) { return timePlus(t, d) }))
	case xk == TimeKind && yk == TimeKind && op == "-":
		out = numCode(DurationKind, both(x.num, y.num, timeBetween))
	default:
		return nil
	}
	plus := op == "+"
	out.wide = both(x.exact(), y.exact(), func(a, b wide) (wide, error) {
		if plus {
			return a.add(b), nil
		}
		return a.add(b.negate()), nil
	})
	return out
}

func add(a, b int64) (int64, error) {
	c := a + b
	if (c > a) != (b > 0) {
		return 0, errOverflow("+")
	}
	return c, nil
}

func subtract(a, b int64) (int64, error) {
	c := a - b
	if (c < a) != (b > 0) {
		return 0, errOverflow("-")
	}
	return c, nil
}

func multiply(a, b int64) (int64, error) {
	if a == 0 || b == 0 {
		return 0, nil
	}
	c := a * b
	if c/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		return 0, errOverflow("*")
	}
	return c, nil
}

// timePlus is t (microseconds) + d (nanoseconds), cut to the microsecond before.
func timePlus(t, d int64) (int64, error) {
	micro := d / 1000
	if d%1000 < 0 {
		micro--
	}
	return inTime("+", t+micro)
}

// timeMinus is t - d, cut to the microsecond before.
func timeMinus(t, d int64) (int64, error) {
	micro := d / 1000
	if d%1000 > 0 {
		micro++
	}
	return inTime("-", t-micro)
}

// inTime refuses a time outside the years 1 to 9999. Neither a time nor a
// duration in microseconds is large enough for their sum to overflow.
func inTime(op string, t int64) (int64, error) {
	if t < minTime || t > maxTime {
		return 0, errOverflow(op)
	}
	return t, nil
}

// timeBetween is a - b of times, in nanoseconds.
func timeBetween(a, b int64) (int64, error) {
	micro := a - b
	if micro > math.MaxInt64/1000 || micro < math.MinInt64/1000 {
		return 0, errOverflow("-")
	}
	return micro * 1000, nil
}
