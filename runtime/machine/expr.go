package machine

import (
	"fmt"
	"math"
	"strings"
)

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

// compileRecord makes an item of a list of its leaves.
func (c *exprCompiler) compileRecord(e *Expr) (*code, error) {
	if e.Type.Kind != RecordKind {
		return nil, fmt.Errorf("expression %q is said to be of type %s", e.Op, c.d.TypeName(&e.Type))
	}
	leaves, err := c.compileGiven(e.Type.Fields, e.Args)
	if err != nil {
		return nil, err
	}
	return valueCode(e.Type, func(e *env) (Value, error) {
		values := make([]Value, len(leaves))
		for i, leaf := range leaves {
			var err error
			if values[i], err = leaf.value(e); err != nil {
				return Unset, err
			}
		}
		return RecordValue(values...), nil
	}), nil
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

func (c *exprCompiler) compileParam(e *Expr) (*code, error) {
	if e.Index < 0 || e.Index >= len(c.d.Params) {
		return nil, fmt.Errorf("there is no parameter %d", e.Index)
	}
	i, f := e.Index, &c.d.Params[e.Index]
	unset := faultOf(ParamUnset, f.Name)
	if e.OrUnset {
		return valueCode(f.Type, func(e *env) (Value, error) {
			if i >= len(e.params) {
				return Unset, unset
			}
			return e.params[i], nil
		}), nil
	}
	return readCode(f.Type, func(e *env) (*Value, error) {
		if i >= len(e.params) || !e.params[i].set {
			return nil, unset
		}
		return &e.params[i], nil
	}), nil
}

func (c *exprCompiler) compileField(e *Expr) (*code, error) {
	if e.Index < 0 || e.Index >= len(c.d.Fields) {
		return nil, fmt.Errorf("there is no context field %d", e.Index)
	}
	i, f := e.Index, &c.d.Fields[e.Index]
	unset := faultOf(FieldUnset, f.Name)
	if e.OrUnset {
		return valueCode(f.Type, func(e *env) (Value, error) { return e.data[i], nil }), nil
	}
	return readCode(f.Type, func(e *env) (*Value, error) {
		if !e.data[i].set {
			return nil, unset
		}
		return &e.data[i], nil
	}), nil
}

// compileOwn reads a value of the run itself. A snapshot has it, so that a run which
// is retried, migrated or replayed has the same one.
func (c *exprCompiler) compileOwn(e *Expr) (*code, error) {
	switch e.Name {
	case "id":
		return &code{typ: Type{Kind: String}, value: func(e *env) (Value, error) { return StringValue(e.run.Run), nil }}, nil
	case "started":
		return numCode(TimeKind, func(e *env) (int64, error) { return e.run.Started.UnixMicro(), nil }), nil
	}
	return nil, fmt.Errorf("a run has no value %q of its own", shorten(e.Name))
}

// failureFields are what `event` has in the arm of a failure.
var failureFields = []Field{
	{Name: "category", Type: Type{Kind: String}},
	{Name: "message", Type: Type{Kind: String}},
	{Name: "activity", Type: Type{Kind: String}},
	{Name: "attempt", Type: Type{Kind: Int}},
}

// compileEventField looks the field up by name in each input with which the
// arm can be met; it may stand at another place in each.
func (c *exprCompiler) compileEventField(e *Expr) (*code, error) {
	find, err := c.findEventField(e)
	if err != nil {
		return nil, err
	}
	if e.OrUnset {
		return valueCode(e.Type, func(e *env) (Value, error) {
			v, err := find(e)
			if err != nil {
				return Unset, err
			}
			return *v, nil
		}), nil
	}
	missing := faultOf(InputField, e.Name)
	return readCode(e.Type, func(e *env) (*Value, error) {
		v, err := find(e)
		if err == nil && !v.set {
			return nil, missing
		}
		return v, err
	}), nil
}

// findEventField finds the Value of a field, which is unset where it is absent.
func (c *exprCompiler) findEventField(e *Expr) (func(*env) (*Value, error), error) {
	if !c.inArm {
		return nil, fmt.Errorf("field %q of an event is read outside an arm", e.Name)
	}
	places := make([]eventField, 0, len(c.sources))
	for _, source := range c.sources {
		fields := failureFields
		if source >= 0 {
			fields = c.d.Events[source].Fields
		}
		place := eventField{source: source, index: indexOfField(fields, e.Name)}
		var t *Type
		if place.index >= 0 {
			t = &fields[place.index].Type
		} else if of := c.of[source]; of != nil {
			place.element, t = elementField(e.Name, of.item)
		}
		if t == nil || !sameType(t, &e.Type) {
			return nil, fmt.Errorf("an input of the arm has no field %q of type %s", e.Name, c.d.TypeName(&e.Type))
		}
		places = append(places, place)
	}
	missing := faultOf(InputField, e.Name)
	return func(e *env) (*Value, error) {
		for _, p := range places {
			switch {
			case p.source != e.source:
			case p.index < 0:
				return e.ofElement(p.element, missing)
			case p.index < len(e.payload):
				return &e.payload[p.index], nil
			}
		}
		return nil, missing
	}, nil
}

// elements are what alone the results or failures are of that an arm can be met with.
type elements struct {
	item *Type // nil where they are of several types
}

// eventField is where a field stands in the payload of one source; the index is -1 for what is
// known of an element.
type eventField struct {
	source, index int
	element       elementPart
}

// elementPart is what is known of an element beside a payload: its index, itself, or where
// that is a record one of its leaves.
type elementPart struct {
	item bool
	leaf int // of the item; -1 for the whole
}

// elementField is the part of elements of a type that is called name, and its type; nil for
// nothing.
func elementField(name string, item *Type) (elementPart, *Type) {
	path, isLeaf := strings.CutPrefix(name, "item.")
	switch {
	case name == "index":
		return elementPart{leaf: -1}, &Type{Kind: Int}
	case name == "item":
		return elementPart{item: true, leaf: -1}, item
	case isLeaf && item != nil && item.Kind == RecordKind:
		if i := indexOfField(item.Fields, path); i >= 0 {
			return elementPart{item: true, leaf: i}, &item.Fields[i].Type
		}
	}
	return elementPart{}, nil
}

// ofElement is a part of the element.
func (e *env) ofElement(part elementPart, missing *fault) (*Value, error) {
	v := &e.index
	if part.item {
		v = &e.item
	}
	switch {
	case !v.set:
		return nil, missing
	case part.leaf >= 0:
		return &v.List()[part.leaf], nil
	}
	return v, nil
}

// compileEach reads the element that an attempt is for, or its index.
func (c *exprCompiler) compileEach(e *Expr) (*code, error) {
	if c.each == nil {
		return nil, fmt.Errorf("an element is read where there is none")
	}
	what, t := elementField(e.Name, c.each)
	if t == nil {
		return nil, fmt.Errorf("an element has no %q", shorten(e.Name))
	}
	missing, orUnset := faultOf(InputField, e.Name), e.OrUnset
	return readCode(*t, func(e *env) (*Value, error) {
		v, err := e.ofElement(what, missing)
		if err == nil && !v.set && !orUnset {
			return nil, missing
		}
		return v, err
	}), nil
}

func indexOfField(fields []Field, name string) int {
	for i := range fields {
		if fields[i].Name == name {
			return i
		}
	}
	return -1
}

func (c *exprCompiler) compileSet(e *Expr) (*code, error) {
	if len(e.Args) != 1 || e.Args[0] == nil {
		return nil, fmt.Errorf(`"set" takes one parameter or field`)
	}
	i := e.Args[0].Index
	switch {
	case e.Args[0].Op == "event":
		find, err := c.findEventField(e.Args[0])
		if err != nil {
			return nil, err
		}
		return testCode(func(e *env) (bool, error) {
			v, err := find(e)
			return err == nil && v.set, err
		}), nil
	case e.Args[0].Op == "param" && i >= 0 && i < len(c.d.Params):
		return testCode(func(e *env) (bool, error) { return i < len(e.params) && e.params[i].set, nil }), nil
	case e.Args[0].Op == "field" && i >= 0 && i < len(c.d.Fields):
		return testCode(func(e *env) (bool, error) { return e.data[i].set, nil }), nil
	}
	return nil, fmt.Errorf(`"set" takes one parameter or field`)
}

func (c *exprCompiler) compileGuard(e *Expr) (*code, error) {
	if e.Index < 0 || e.Index >= len(c.d.Guards) {
		return nil, fmt.Errorf("there is no guard %d", e.Index)
	}
	guard, g := e.Index, &c.d.Guards[e.Index]
	args, err := c.compileGiven(g.Params, e.Args)
	if err != nil {
		return nil, fmt.Errorf("guard %q: %w", g.Name, err)
	}
	return testCode(func(e *env) (bool, error) {
		values := make([]Value, len(args))
		for i, a := range args {
			var err error
			if values[i], err = a.value(e); err != nil {
				return false, err
			}
		}
		if err := e.machine.def.checkFields(g.Params, values); err != nil {
			return false, faultOf(GuardArguments, g.Name).saying(err.Error())
		}
		return e.answer(guard, values)
	}), nil
}

// compileGiven compiles what is given for params.
func (c *exprCompiler) compileGiven(params []Field, list []*Expr) ([]*code, error) {
	args := make([]*code, len(list))
	for i, a := range list {
		var err error
		if args[i], err = c.compilePlace(a, i < len(params) && params[i].Optional); err != nil {
			return nil, err
		}
		if i < len(params) && params[i].alone() && params[i].Type.Kind == JSON {
			args[i].value = noNull(args[i].value)
		}
	}
	return args, c.checkArgs(params, args)
}

// compilePlace compiles what is given to what may be unset, or not.
func (c *exprCompiler) compilePlace(e *Expr, mayBeUnset bool) (*code, error) {
	c.given = mayBeUnset
	return c.compile(e)
}

// noNull is value without null, which is no value where a json may be absent.
func noNull(value func(*env) (Value, error)) func(*env) (Value, error) {
	return func(e *env) (Value, error) {
		v, err := value(e)
		if v.s == "null" {
			return Unset, err
		}
		return v, err
	}
}

func (c *exprCompiler) checkArgs(params []Field, args []*code) error {
	if len(args) != len(params) {
		return fmt.Errorf("%d arguments for %d parameters", len(args), len(params))
	}
	for i, a := range args {
		if !sameType(&a.typ, &params[i].Type) {
			return fmt.Errorf("parameter %q is given a %s", params[i].Name, c.d.TypeName(&a.typ))
		}
	}
	return nil
}

// answer asks a host guard, at most once for the same arguments in one step.
func (e *env) answer(guard int, args []Value) (bool, error) {
	for i := range e.verdicts {
		if v := &e.verdicts[i]; v.Guard == guard && ListValue(v.Args...).Equal(ListValue(args...)) {
			return v.Answer, nil
		}
	}
	name := e.machine.def.Guards[guard].Name
	if e.ask == nil {
		return false, faultOf(GuardUnanswered, name)
	}
	answer, err := e.ask(guard, args)
	if err != nil {
		return false, faultOf(GuardFailed, name).saying(err.Error())
	}
	e.verdicts = append(e.verdicts, Verdict{Guard: guard, Args: args, Answer: answer})
	return answer, nil
}

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
