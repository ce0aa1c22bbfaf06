package machine

import "fmt"

// env is what expressions read.
type env struct {
	machine *Machine
	run     *Snapshot // of which the run's own values are read
	params  []Value
	data    []Value
	now     int64 // microseconds since 1970
	payload []Value
	source  int   // what payload belongs to: an event, failureSource, or noSource
	index   Value // of the element that a result or failure is of, or an attempt is for; else unset
	item    Value // the same element

	ask      Ask
	verdicts []Verdict // of the host guards that have been asked
}

// Sources of a payload that are no events.
const (
	noSource      = -1
	failureSource = -2
)

// fault is why something cannot be computed: an unset field, an overflow, a
// host guard that fails.
type fault struct{ cause Cause }

func (f *fault) Error() string { return f.cause.String() }

func faultOf(code CauseCode, args ...string) *fault { return &fault{Cause{Code: code, Args: args}} }

// saying adds words that someone else has chosen.
func (f *fault) saying(words string) *fault {
	f.cause.Said = CleanMessage(words)
	return f
}

// code is a compiled expression: closures over an env. Which of them there are
// depends on its kind: test for bool; num for int, duration and time; real for
// float; value always. wide is there where a num is a sum or a difference,
// and computes it exactly: see compileComparison.
type code struct {
	typ   Type
	test  func(*env) (bool, error)
	num   func(*env) (int64, error)
	real  func(*env) (float64, error)
	wide  func(*env) (wide, error)
	value func(*env) (Value, error)
}

func testCode(f func(*env) (bool, error)) *code {
	return &code{typ: Type{Kind: Bool}, test: f, value: func(e *env) (Value, error) {
		b, err := f(e)
		return BoolValue(b), err
	}}
}

func numCode(k Kind, f func(*env) (int64, error)) *code {
	return &code{typ: Type{Kind: k}, num: f, value: func(e *env) (Value, error) {
		n, err := f(e)
		return IntValue(n), err
	}}
}

func realCode(f func(*env) (float64, error)) *code {
	return &code{typ: Type{Kind: Float}, real: f, value: func(e *env) (Value, error) {
		x, err := f(e)
		return FloatValue(x), err
	}}
}

// readCode is the code of an operand: something that finds a set Value. find
// must not give nil without an error.
func readCode(t Type, find func(*env) (*Value, error)) *code {
	c := &code{typ: t, value: func(e *env) (Value, error) {
		v, err := find(e)
		if err != nil {
			return Unset, err
		}
		return *v, nil
	}}
	switch t.Kind {
	case Bool:
		c.test = func(e *env) (bool, error) {
			v, err := find(e)
			return err == nil && v.n != 0, err
		}
	case Int, DurationKind, TimeKind:
		c.num = func(e *env) (int64, error) {
			v, err := find(e)
			if err != nil {
				return 0, err
			}
			return v.n, nil
		}
	case Float:
		c.real = func(e *env) (float64, error) {
			v, err := find(e)
			if err != nil {
				return 0, err
			}
			return v.Float(), nil
		}
	}
	return c
}

// maxExpr is how deep an expression of a definition may be nested.
const maxExpr = 5000

// exprCompiler compiles the expressions of one place.
type exprCompiler struct {
	d       *Definition
	m       *Machine
	inArm   bool              // event.x may be read
	sources []int             // the inputs with which the arm can be met
	of      map[int]*elements // what they are of
	each    *Type             // in the arguments of a do with a Fan: the type of its elements
	given   bool              // what is compiled next is given to what may be unset
	depth   int
}

// compile checks e and turns it into closures.
func (c *exprCompiler) compile(e *Expr) (*code, error) {
	if e == nil {
		return nil, fmt.Errorf("an expression is missing")
	}
	if c.depth++; c.depth > maxExpr {
		return nil, fmt.Errorf("an expression is nested deeper than %d", maxExpr)
	}
	defer func() { c.depth-- }()
	if err := checkType(c.d, &e.Type); err != nil {
		return nil, err
	}
	if !c.given && (e.OrUnset || e.Op == "unset") {
		return nil, fmt.Errorf("expression %q may have no value where one is wanted", e.Op)
	}
	c.given = false
	out, err := c.compileOp(e)
	if err != nil {
		return nil, err
	}
	if !sameType(&out.typ, &e.Type) {
		return nil, fmt.Errorf("expression %q is said to be of type %s, and is of type %s", e.Op, c.d.TypeName(&e.Type), c.d.TypeName(&out.typ))
	}
	return out, nil
}

func (c *exprCompiler) compileOp(e *Expr) (*code, error) {
	switch e.Op {
	case "lit":
		return c.compileLiteral(e)
	case "param":
		return c.compileParam(e)
	case "field":
		return c.compileField(e)
	case "event":
		return c.compileEventField(e)
	case "each":
		return c.compileEach(e)
	case "run":
		return c.compileOwn(e)
	case "now":
		return numCode(TimeKind, func(e *env) (int64, error) { return e.now, nil }), nil
	case "set":
		return c.compileSet(e)
	case "unset":
		return valueCode(e.Type, func(*env) (Value, error) { return Unset, nil }), nil
	case "guard":
		return c.compileGuard(e)
	case "object":
		return c.compileObject(e)
	case "array":
		return c.compileArray(e)
	case "key":
		return c.compileKey(e)
	case "fit":
		return c.compileFit(e)
	case "leaf":
		return c.compileLeaf(e)
	case "text":
		return c.compileText(e)
	case "record":
		return c.compileRecord(e)
	}
	args, err := c.compileArgs(e.Args)
	if err != nil {
		return nil, err
	}
	switch {
	case len(args) == 1:
		return c.compileUnary(e, args[0])
	case len(args) == 2:
		return c.compileBinary(e, args[0], args[1])
	}
	return nil, fmt.Errorf("operator %q does not take %d operands", e.Op, len(args))
}

func (c *exprCompiler) compileArgs(list []*Expr) ([]*code, error) {
	args := make([]*code, len(list))
	for i, a := range list {
		var err error
		if args[i], err = c.compile(a); err != nil {
			return nil, err
		}
	}
	return args, nil
}

func (c *exprCompiler) compileLiteral(e *Expr) (*code, error) {
	v, err := decodeValue(c.d, &e.Type, e.Value)
	if err != nil {
		return nil, fmt.Errorf("a literal: %w", err)
	}
	return readCode(e.Type, func(*env) (*Value, error) { return &v, nil }), nil
}
