package guard_test

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// This file computes guards as section 6 of the language says it, on concrete
// data: the oracle of the tests. It shares no code with the package.

// world is what expressions read: values in their JSON forms by name as written
// ("x", "event.x", "now"), absent where unset, and lengths of what is too long
// to be written out ("len(x)").
type world struct {
	values  map[string]any
	verdict func(call string, args []any) bool
}

var errStuck = errors.New("a field that is not set is read")

// holds computes e; stuck where that reads an unset field.
func (w *world) holds(e ir.Expr) (result, stuck bool) {
	if e == nil {
		return true, false
	}
	v, err := w.eval(e)
	if err != nil {
		return false, true
	}
	return v.(bool), false
}

func (w *world) eval(e ir.Expr) (any, error) {
	switch e := e.(type) {
	case *ir.Lit:
		switch e.Value.Kind {
		case ir.Bool:
			return e.Value.Int != 0, nil
		case ir.Int, ir.Duration:
			return big.NewInt(e.Value.Int), nil
		case ir.Float:
			return e.Value.Float, nil
		}
		return e.Value.Str, nil
	case *ir.VarRef:
		return w.read(e.Var.Name, e.Var.Type)
	case *ir.FieldRef:
		return w.read("event."+e.Name, e.T)
	case *ir.Now:
		return w.read("now", e.T)
	case *ir.Len:
		if n, long := w.values[ir.ExprText(e)]; long {
			return big.NewInt(n.(int64)), nil
		}
		v, err := w.eval(e.X)
		if err != nil {
			return nil, err
		}
		if list, isList := v.([]any); isList {
			return big.NewInt(int64(len(list))), nil
		}
		return big.NewInt(int64(len(v.(string)))), nil
	case *ir.IsSet:
		_, set := w.values[e.Var.Name]
		_, long := w.values["len("+e.Var.Name+")"]
		return (set || long) != e.Not, nil
	case *ir.Unary:
		v, err := w.eval(e.X)
		if err != nil {
			return nil, err
		}
		return !v.(bool), nil
	case *ir.Call:
		return w.call(e)
	case *ir.Binary:
		return w.binary(e)
	}
	return nil, fmt.Errorf("%T in a guard", e)
}

func (w *world) read(name string, t *ir.Type) (any, error) {
	v, set := w.values[name]
	if !set {
		return nil, errStuck
	}
	switch t.Kind {
	case ir.Int:
		return big.NewInt(v.(int64)), nil
	case ir.Duration:
		d, err := time.ParseDuration(v.(string))
		return big.NewInt(int64(d)), err
	case ir.Time:
		at, err := time.Parse(time.RFC3339, v.(string))
		return new(big.Int).Mul(big.NewInt(at.UnixMicro()), big.NewInt(1000)), err
	}
	return v, nil
}

func (w *world) call(e *ir.Call) (any, error) {
	args := make([]any, len(e.Args))
	for i, a := range e.Args {
		v, err := w.eval(a)
		if err != nil {
			return nil, err
		}
		if n, ok := v.(*big.Int); ok {
			r := e.Guard.Params[i].Type.Range
			if r != nil && !r.Contains(n.Int64()) {
				return nil, errStuck
			}
			v = n.String()
		}
		args[i] = v
	}
	return w.verdict(ir.ExprText(e), append(args, e.Guard.Name)), nil
}

func (w *world) binary(e *ir.Binary) (any, error) {
	x, err := w.eval(e.X)
	if err != nil {
		return nil, err
	}
	if e.Op == ir.OpAnd && !x.(bool) || e.Op == ir.OpOr && x.(bool) {
		return x, nil
	}
	y, err := w.eval(e.Y)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case ir.OpAnd, ir.OpOr:
		return y, nil
	case ir.OpAdd:
		return new(big.Int).Add(x.(*big.Int), y.(*big.Int)), nil
	case ir.OpSub:
		return new(big.Int).Sub(x.(*big.Int), y.(*big.Int)), nil
	}
	return compare(e.Op, x, y), nil
}

func compare(op ir.Op, x, y any) bool {
	sign := 1
	switch x := x.(type) {
	case *big.Int:
		sign = x.Cmp(y.(*big.Int))
	case float64:
		if x == y.(float64) {
			sign = 0
		} else if x < y.(float64) {
			sign = -1
		}
	default:
		if x == y {
			sign = 0
		}
	}
	switch op {
	case ir.OpEq:
		return sign == 0
	case ir.OpNe:
		return sign != 0
	case ir.OpLt:
		return sign < 0
	case ir.OpLe:
		return sign <= 0
	case ir.OpGt:
		return sign > 0
	}
	return sign >= 0
}

// worldOf is m as a world. It fails the test where a call of which m says nothing
// is asked, or two with equal arguments differ.
func worldOf(t testing.TB, m *guard.Model) *world {
	said := map[string]bool{}
	return &world{values: m.Values(), verdict: func(call string, args []any) bool {
		t.Helper()
		answer, known := m.Guards[call]
		if !known {
			t.Errorf("the model says nothing of %s", call)
		}
		key := fmt.Sprintf("%q", args)
		if before, asked := said[key]; asked && before != answer {
			t.Errorf("%s: two answers to one question %s", call, key)
		}
		said[key] = answer
		return answer
	}}
}

// declarations are those of the machine that the tests' guards stand in.
const declarations = `
	enum Kind { red, green, blue }
	enum One { only }
	context {
		x int -3..3 = 0
		y int -3..3 = 0
		z int -3..3
		n int = 0
		m int = 0
		b bool = false
		c bool
		k Kind = Kind.red
		j Kind
		one One = One.only
		s string = ""
		t string
		f float = 0
		g float
		d duration 0s..15m = 1m
		e duration
		start time
		end time
		tags []string
		marks []int 0..3
		bits []bool
		ones []One
		raw json
		raw2 json
	}
	event E {
		n int 0..10, text string, kind Kind, flag bool, score float, wait duration 0s..1h, at time, list []string
	}
	event F { n int -5..5 }
	failures { slow }
	activity work() -> Worked fails slow
	event Worked { ok bool }
	guard ready()
	guard small(v int 0..2)
	guard likes(text string)
	guard eq(a int, b int)
	guard kindly(k Kind)
	guard odd(v float)
	guard given(v bool)
	guard has(list []string)
	guard hasBits(list []bool)
	guard hasOnes(list []One)
	guard parsed(raw json)
	guard due(at time, wait duration)
`

// machine is the machine of the tests with body in its state A.
func machine(t testing.TB, body string) *ir.Machine {
	t.Helper()
	src := "machine M(p int, q string) {" + declarations + "initial A\nstate A {\n" + body + "\n}\nterminal B\n}\n"
	m := langtest.Machine(t, src)
	for _, v := range m.Fields {
		v.Assigned = true // the guards alone are in question, of any data
	}
	return m
}

// guards are the texts as resolved guards; input is the event E.
func guards(t testing.TB, texts ...string) (list []ir.Expr, input *ir.Case, m *ir.Machine) {
	t.Helper()
	var body strings.Builder
	for _, text := range texts {
		body.WriteString("on E when " + text + " -> B\n")
	}
	m = machine(t, body.String())
	for _, a := range m.Arms {
		list = append(list, a.When)
	}
	return list, &ir.Case{Kind: ir.CaseEvent, Event: m.Events[0]}, m
}

// field is the parameter or context field called name.
func field(t testing.TB, m *ir.Machine, name string) *ir.Var {
	t.Helper()
	for _, v := range append(m.Params, m.Fields...) {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("no field %q", name)
	return nil
}
