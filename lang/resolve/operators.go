package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// unary is `!x` or `-x`. A minus before a constant is part of it.
func (r *resolver) unary(src *ast.Unary, sc scope) ir.Expr {
	if number, ok := src.X.(*ast.Literal); ok && src.Op == "-" && number.Kind != ast.String && number.Kind != ast.Bool {
		x := r.constant(number, !number.Neg)
		if l, ok := x.(*ir.Lit); ok {
			l.At = src.Span()
		}
		return x
	}
	x := r.expr(src.X, sc)
	kind := x.Type().Kind
	e := &ir.Unary{E: ir.E{T: plain(x.Type()), At: src.Span()}, Op: ir.Op(src.Op), X: x}
	switch {
	case kind == ir.Invalid:
		return bad(src.Span(), x)
	case src.Op == "!" && kind == ir.Bool:
		return e
	case src.Op == "-" && (kind == ir.Int || kind == ir.Float || kind == ir.Duration):
		if l, ok := x.(*ir.Lit); ok {
			if c := ir.Value(e); c != nil {
				return lit(src.Span(), l.T, c)
			}
		}
		return e
	}
	r.mismatch(src.Span(), "operator "+quote(src.Op)+" does not take "+diag.Article(named(x.Type())), unaryHelp(ir.Op(src.Op)))
	return bad(src.Span(), x)
}

// plain is t without its range or length: what computing gives.
func plain(t *ir.Type) *ir.Type {
	switch t.Kind {
	case ir.Int:
		return intType
	case ir.Duration:
		return durationType
	case ir.List:
		return &ir.Type{Kind: ir.List, Elem: t.Elem}
	}
	return t
}

// binary is an operator between two operands.
func (r *resolver) binary(src *ast.Binary, sc scope) ir.Expr {
	x, y := r.expr(src.X, sc), r.expr(src.Y, sc)
	if isBad(x, y) {
		return bad(src.Span(), x, y)
	}
	op := ir.Op(src.Op)
	if op == ir.OpAdd && x.Type().Kind == ir.JSON {
		return r.built(&ir.Binary{E: ir.E{T: jsonType, At: src.Span()}, Op: op, X: x, Y: y}, sc, x, y)
	}
	if op != ir.OpAdd || x.Type().Kind != ir.List {
		x, y = meet(x, y)
	}
	t := result(op, x.Type(), y.Type())
	if t == nil && op == ir.OpAdd && x.Type().Kind == ir.List {
		x, y, t = appended(x, y, sc)
	}
	if t == nil {
		r.mismatch(src.Span(), "operator "+quote(src.Op)+" does not take "+diag.Article(named(x.Type()))+" and "+diag.Article(named(y.Type())), r.operandHelp(op, x, y))
		return bad(src.Span(), x, y)
	}
	return &ir.Binary{E: ir.E{T: t, At: src.Span()}, Op: op, X: x, Y: y}
}

// meet gives an operand the type of the other one where it is a constant that
// can have it: an int that becomes a float, an empty list.
func meet(x, y ir.Expr) (ir.Expr, ir.Expr) {
	if c := adapt(x, y.Type()); c != nil {
		return c, y
	}
	if c := adapt(y, x.Type()); c != nil {
		return x, c
	}
	return x, y
}

// result is the type of op between a t and a u; nil where op does not take
// them.
func result(op ir.Op, t, u *ir.Type) *ir.Type {
	switch op {
	case ir.OpAnd, ir.OpOr:
		if t.Kind == ir.Bool && u.Kind == ir.Bool {
			return boolType
		}
	case ir.OpEq, ir.OpNe:
		if t.Same(u) && t.Innermost().Kind != ir.RecordKind {
			return boolType
		}
	case ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		if t.Same(u) && ordered(t.Kind) {
			return boolType
		}
	default:
		return arithmetic(op, t.Kind, u.Kind)
	}
	return nil
}

func ordered(k ir.Kind) bool {
	switch k {
	case ir.Int, ir.Float, ir.Duration, ir.Time, ir.String:
		return true
	}
	return false
}

// arithmetic is the type of a sum, a difference or a product of a t and a u:
// int, float and duration each with their own kind, int * duration, time ±
// duration, time - time, string + string. Lists are dealt with elsewhere.
func arithmetic(op ir.Op, t, u ir.Kind) *ir.Type {
	pair := [2]ir.Kind{t, u}
	switch {
	case pair == [2]ir.Kind{ir.Int, ir.Int}:
		return intType
	case pair == [2]ir.Kind{ir.Float, ir.Float}:
		return floatType
	case pair == [2]ir.Kind{ir.Duration, ir.Duration} && op != ir.OpMul:
		return durationType
	case op == ir.OpMul && (pair == [2]ir.Kind{ir.Int, ir.Duration} || pair == [2]ir.Kind{ir.Duration, ir.Int}):
		return durationType
	case op != ir.OpMul && pair == [2]ir.Kind{ir.Time, ir.Duration}:
		return timeType
	case op == ir.OpAdd && pair == [2]ir.Kind{ir.Duration, ir.Time}:
		return timeType
	case op == ir.OpSub && pair == [2]ir.Kind{ir.Time, ir.Time}:
		return durationType
	case op == ir.OpAdd && pair == [2]ir.Kind{ir.String, ir.String}:
		return stringType
	}
	return nil
}

// appended is the list x with one more item y; a nil type where y is none.
func appended(x, y ir.Expr, sc scope) (list, item ir.Expr, t *ir.Type) {
	elem := x.Type().Elem
	if elem == nil { // the empty list takes its type from the item
		t = &ir.Type{Kind: ir.List, Elem: plain(y.Type())}
		return adapt(x, t), y, t
	}
	if c := adapt(y, elem); c != nil {
		y = c
	}
	switch {
	case elem.Same(y.Type()):
	case y.Type().Kind == ir.JSON && jsonLiteral(y) == "" && !sc.guard && !sc.wait:
		y = fitted(y, elem)
	default:
		return x, y, nil
	}
	return x, y, plain(x.Type())
}

// extreme is `min(a, b)` or `max(a, b)`.
func (r *resolver) extreme(src *ast.Call, name string, args []ir.Expr) ir.Expr {
	if len(args) != 2 {
		r.mismatch(src.Span(), "`"+name+"` takes 2 arguments, and is given "+diag.Count(len(args), "argument"), "Write `"+name+"(a, b)`.")
		return bad(src.Span(), args...)
	}
	if isBad(args...) {
		return bad(src.Span(), args...)
	}
	args[0], args[1] = meet(args[0], args[1])
	t, u := args[0].Type(), args[1].Type()
	if !t.Same(u) || !ordered(t.Kind) || t.Kind == ir.String {
		r.mismatch(src.Span(), "`"+name+"` does not take "+diag.Article(named(t))+" and "+diag.Article(named(u)),
			"Give it two values of one kind: int, float, duration or time.")
		return bad(src.Span(), args...)
	}
	return &ir.Call{E: ir.E{T: plain(t), At: src.Span()}, Builtin: name, Args: args}
}

// unaryHelp says what op, before its one operand, does take.
func unaryHelp(op ir.Op) string {
	if op == ir.OpNot {
		return "It takes a boolean."
	}
	return "It takes an int, a float or a duration."
}

// operandHelp says what to do about operands that op does not take.
func (r *resolver) operandHelp(op ir.Op, x, y ir.Expr) string {
	for _, side := range [][2]ir.Expr{{x, y}, {y, x}} {
		switch {
		case jsonLiteral(side[0]) == nullWord && (op == ir.OpEq || op == ir.OpNe):
			return "Ask with `is set` whether a field has a value."
		case isArray(side[0]) && side[1].Type().Kind == ir.List && op == ir.OpAdd:
			return "A list takes one item, without brackets: `list + item`."
		case side[0].Type().Kind == ir.JSON && jsonLiteral(side[0]) == "":
			return "Keep the json in a field of type " + named(side[1].Type()) + " first, and read that."
		case side[0].Type().Kind == ir.String && op == ir.OpAdd && texted(side[1].Type().Kind):
			return "Make a text of the other one with `text(…)`."
		}
	}
	return operatorHelp(op)
}

func isArray(e ir.Expr) bool { _, is := e.(*ir.Array); return is }

// texted reports whether `text` takes a k.
func texted(k ir.Kind) bool {
	switch k {
	case ir.Bool, ir.Int, ir.Float, ir.Duration, ir.Time, ir.EnumKind:
		return true
	}
	return false
}

// operatorHelp says what op does take.
func operatorHelp(op ir.Op) string {
	switch op {
	case ir.OpAnd, ir.OpOr:
		return "It takes booleans."
	case ir.OpEq, ir.OpNe:
		return "Compare two values of one type; of records, compare the fields."
	case ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		return "Compare two values of one kind: int, float, duration, time or string."
	case ir.OpMul:
		return "It takes two ints, two floats, or an int and a duration."
	case ir.OpAdd:
		return "It takes two ints, floats, durations or strings, a time and a duration, or a list and an item."
	}
	return "It takes ints, floats or durations, each with their own kind, a time and a duration, or two times."
}

// fit is e where a value of type want is wanted; what says where that is, for
// the message. A value of another type is reported.
func (r *resolver) fit(e ir.Expr, want *ir.Type, what string) ir.Expr {
	if isBad(e) || want.Kind == ir.Invalid {
		return e
	}
	if c := adapt(e, want); c != nil {
		return c
	}
	if !want.Same(e.Type()) {
		r.mismatch(e.Span(), what+" wants "+diag.Article(named(want))+", and this is "+diag.Article(named(e.Type())), fitHelp(want))
		return bad(e.Span(), e)
	}
	return e
}

func fitHelp(want *ir.Type) string {
	switch want.Kind {
	case ir.Duration:
		return "Write a duration, such as 30s or 1h30m."
	case ir.Time:
		return "Give it a time, such as `now` or `now + 1h`."
	case ir.EnumKind:
		return "Write one of its values, such as " + quote(want.Enum.Name+"."+firstOf(want.Enum.Values)) + "."
	case ir.JSON:
		return "Build a json of it, such as `{\"key\": x}` or `[x]`."
	}
	return "Give it a value of that type, or change the declaration."
}

// adapt is e with type want, where e is made of constants that can have it:
// ints that become floats, an empty list of any type, perhaps with items added
// to it. Else it is nil.
func adapt(e ir.Expr, want *ir.Type) ir.Expr {
	switch {
	case want.Kind == ir.Float && e.Type().Kind == ir.Int && constantInt(e):
		return floated(e)
	case want.Kind == ir.List && e.Type().Kind == ir.List && e.Type().Elem == nil:
		if l, ok := e.(*ir.Lit); ok && want.Elem != nil {
			return lit(l.At, plain(want), l.Value)
		}
	case want.Kind == ir.JSON && e.Type().Kind == ir.List && e.Type().Elem == nil:
		return lit(e.Span(), jsonType, &ir.Const{Kind: ir.JSON, Str: "[]"})
	case want.Kind == ir.List && want.Elem != nil && want.Elem.Kind == ir.Float && e.Type().Kind == ir.List:
		return floatList(e, plain(want))
	}
	return nil
}

// floatList is e, an empty list with ints made of literals added to it, as a
// list of floats; nil where it is another.
func floatList(e ir.Expr, want *ir.Type) ir.Expr {
	if l, ok := e.(*ir.Lit); ok {
		return lit(l.At, want, l.Value)
	}
	sum, ok := e.(*ir.Binary)
	if !ok || sum.Type().Elem.Kind != ir.Int || !constantInt(sum.Y) {
		return nil
	}
	list := floatList(sum.X, want)
	if list == nil {
		return nil
	}
	return &ir.Binary{E: ir.E{T: want, At: sum.At}, Op: sum.Op, X: list, Y: floated(sum.Y)}
}

// constantInt reports whether e, an int, is made of literals alone.
func constantInt(e ir.Expr) bool {
	return nil == ir.Find(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Lit, *ir.Unary, *ir.Binary:
			return false
		case *ir.Call:
			return e.Builtin == ""
		}
		return true
	})
}

// floated is e, an int made of literals, as a float.
func floated(e ir.Expr) ir.Expr {
	typed := ir.E{T: floatType, At: e.Span()}
	switch e := e.(type) {
	case *ir.Lit:
		return &ir.Lit{E: typed, Value: &ir.Const{Kind: ir.Float, Float: float64(e.Value.Int)}}
	case *ir.Unary:
		return &ir.Unary{E: typed, Op: e.Op, X: floated(e.X)}
	case *ir.Binary:
		return &ir.Binary{E: typed, Op: e.Op, X: floated(e.X), Y: floated(e.Y)}
	case *ir.Call:
		out := &ir.Call{E: typed, Builtin: e.Builtin}
		for _, a := range e.Args {
			out.Args = append(out.Args, floated(a))
		}
		return out
	}
	return e
}
