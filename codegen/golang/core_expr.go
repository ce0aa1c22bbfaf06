package golang

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// exprs writes expressions of one place as Go. The code stands in a method of
// the stepper t, with s the core and in the input.
//
// What cannot be computed (an unset field, an overflow, a guard that fails) is
// noted in t by the helper that finds it, and looked at once after the whole
// expression: so an expression stays one Go expression, and && and || stop
// early as they should. Helpers are printed where they are used.
type exprs struct {
	c      *corePrinter
	source *ir.Case // what `event` means; nil outside an arm
	fails  bool     // something in it needs a look at t.why
}

// Precedence in Go of what is written; a higher one binds tighter.
const (
	precOr = iota + 1
	precAnd
	precCompare
	precAdd
	precMul
	precUnary
	precOperand
)

// paren puts code of precedence prec in parentheses where outer binds tighter.
func paren(code string, prec, outer int) string {
	if prec < outer {
		return "(" + code + ")"
	}
	return code
}

// helper is the name of a helper that can fail.
func (x *exprs) helper(name string) string {
	x.fails = true
	return x.c.need(name)
}

// expr is e as Go, to stand beside an operator of precedence outer.
func (x *exprs) expr(e ir.Expr, outer int) string {
	switch e := e.(type) {
	case *ir.Lit:
		return x.literal(e.Value, e.Type(), outer)
	case *ir.VarRef:
		return x.variable(e.Var)
	case *ir.FieldRef:
		return x.eventField(e)
	case *ir.Now:
		return "t.now"
	case *ir.Len:
		return "int64(len(" + x.expr(e.X, 0) + "))"
	case *ir.IsSet:
		return x.isSet(e, outer)
	case *ir.Unary:
		return x.unary(e, outer)
	case *ir.Binary:
		return x.binary(e, outer)
	case *ir.Call:
		return x.call(e)
	case *ir.RecordLit:
		return x.c.m.compose(e.T, false, x.given(e.Leaves))
	}
	panic(fmt.Sprintf("golang: an expression of kind %T", e))
}

// given are values for places that may be absent, or not.
func (x *exprs) given(exprs []ir.Expr) []given {
	var out []given
	for _, e := range exprs {
		out = append(out, x.orUnset(e))
	}
	return out
}

// orUnset is e where what is absent is copied as it is.
func (x *exprs) orUnset(e ir.Expr) given {
	switch e := e.(type) {
	case *ir.Absent:
		return given{set: never}
	case *ir.VarRef:
		if e.OrUnset && !e.Var.Own {
			s := x.c.m.stored(e.Var)
			return given{s.value, s.set()}
		}
	case *ir.FieldRef:
		if e.OrUnset && x.source.Kind != ir.CaseFailure {
			s := x.ofEvent(e)
			return given{x.cut(e, s.value), s.set()}
		}
	}
	return given{code: x.expr(e, 0)}
}

func (x *exprs) literal(k *ir.Const, t *ir.Type, outer int) string {
	switch k.Kind {
	case ir.Bool:
		return strconv.FormatBool(k.Int != 0)
	case ir.Int:
		return paren(strconv.FormatInt(k.Int, 10), signed(k.Int < 0), outer)
	case ir.Float:
		if k.Float == 0 && math.Signbit(k.Float) { // Go's constants have no negative zero
			return "math.Copysign(0, -1)"
		}
		return paren(floatLiteral(k.Float), signed(k.Float < 0), outer)
	case ir.Duration:
		code, prec := durationLiteral(k.Int)
		return paren(code, prec, outer)
	case ir.EnumKind:
		return x.c.m.enumValue(k.Enum, k.Str)
	case ir.List:
		return x.c.m.goType(t) + "{}"
	case ir.JSON:
		return "json.RawMessage(" + quote(k.Str) + ")"
	}
	return quote(k.Str)
}

func signed(negative bool) int {
	if negative {
		return precUnary
	}
	return precOperand
}

// floatLiteral is f as a Go constant that is a float.
func floatLiteral(f float64) string {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// durationLiteral is ns nanoseconds as a person would write them in Go.
func durationLiteral(ns int64) (code string, prec int) {
	for _, unit := range []struct {
		d    time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if ns != 0 && ns%int64(unit.d) == 0 {
			if ns == int64(unit.d) {
				return "time." + unit.name, precOperand
			}
			return strconv.FormatInt(ns/int64(unit.d), 10) + " * time." + unit.name, precMul
		}
	}
	return "time.Duration(" + strconv.FormatInt(ns, 10) + ")", precOperand
}

func (m *machinePlan) enumValue(e *ir.Enum, value string) string {
	for _, v := range m.enum[e].Values {
		if v.Value == value {
			return v.Name
		}
	}
	panic("golang: enum " + e.Name + " has no value " + value)
}

func (x *exprs) variable(v *ir.Var) string {
	if v.Own {
		return "s." + ownField(v)
	}
	return x.read(x.c.m.stored(v), unset(v))
}

// unset says that v is not set.
func unset(v *ir.Var) string {
	if v.Param {
		return "parameter " + quote(v.Name) + " is not set"
	}
	return "field " + quote(v.Name) + " is not set"
}

// read is the value in s, which cannot be computed where there is none.
func (x *exprs) read(s spot, why string) string {
	if s.optional == "" {
		return s.value
	}
	return x.helper("Value") + "(t, " + s.optional + ", " + quote(why) + ")" + strings.TrimPrefix(s.value, s.optional+".Value")
}

// ownField is the field of the core with a value of the run itself.
func ownField(v *ir.Var) string {
	if v.Type.Kind == ir.Time {
		return "Started"
	}
	return "ID"
}

// eventField reads the payload of the input, or what is known of a failure.
func (x *exprs) eventField(e *ir.FieldRef) string {
	if x.source.Kind == ir.CaseFailure {
		switch e.Name {
		case "category":
			return quote(x.source.Category.Name)
		case "message":
			return "in.Message"
		case "activity":
			return quote(x.source.Do.Activity.Name)
		}
		return "in.Attempt"
	}
	return x.cut(e, x.read(x.ofEvent(e), "field "+quote(e.Name)+" of the event is not set"))
}

// ofEvent is where a field of the event stands in the input.
func (x *exprs) ofEvent(e *ir.FieldRef) spot {
	event := x.c.m.ev[x.source.Event]
	return x.c.m.spot(event.Payload, "in.Data."+pathName(event.Name), e.Name)
}

// cut is a field of the event as a run holds it.
func (x *exprs) cut(e *ir.FieldRef, code string) string {
	if e.Type().Kind != ir.Time {
		return code
	}
	return code + ".UTC().Truncate(time.Microsecond)"
}

func (x *exprs) isSet(e *ir.IsSet, outer int) string {
	set := ""
	switch {
	case e.Var != nil:
		set = x.c.m.stored(e.Var).set()
	case x.source.Kind != ir.CaseFailure:
		set = x.ofEvent(e.Field).set()
	}
	switch {
	case set == "":
		return strconv.FormatBool(!e.Not)
	case e.Not:
		return paren("!"+set, precUnary, outer)
	}
	return set
}

func (x *exprs) unary(e *ir.Unary, outer int) string {
	switch {
	case e.Op == ir.OpNot:
		return x.not(e.X, outer)
	case e.Type().Kind == ir.Float:
		return x.c.need("Negative") + "(" + x.expr(e.X, 0) + ")"
	case valuesOf(e).fits():
		return paren("-"+x.expr(e.X, precOperand), precUnary, outer)
	}
	return x.checked("Sub", e.Type(), "0", x.expr(e.X, 0))
}

// checked is a call of a helper of two operands of t that can overflow.
func (x *exprs) checked(name string, t *ir.Type, a, b string) string {
	return x.helper(name) + "[" + x.c.m.goType(t) + "](t, " + a + ", " + b + ")"
}

func (x *exprs) binary(e *ir.Binary, outer int) string {
	switch e.Op {
	case ir.OpOr:
		return paren(x.expr(e.X, precOr)+" || "+x.expr(e.Y, precOr+1), precOr, outer)
	case ir.OpAnd:
		return paren(x.expr(e.X, precAnd)+" && "+x.expr(e.Y, precAnd+1), precAnd, outer)
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return x.arithmetic(e, outer)
	}
	return x.comparison(e, outer)
}

func (x *exprs) call(e *ir.Call) string {
	if e.Guard != nil {
		x.fails = true
		return x.c.ask(x, e)
	}
	if e.Type().Kind == ir.Time {
		return x.c.need(map[string]string{"min": "Earlier", "max": "Later"}[e.Builtin]) + "(" + x.expr(e.Args[0], 0) + ", " + x.expr(e.Args[1], 0) + ")"
	}
	if isLit(e.Args[0]) && isLit(e.Args[1]) { // else Go would take the literals for ints
		return x.c.m.goType(e.Type()) + "(" + e.Builtin + "(" + x.expr(e.Args[0], 0) + ", " + x.expr(e.Args[1], 0) + "))"
	}
	return e.Builtin + "(" + x.expr(e.Args[0], 0) + ", " + x.expr(e.Args[1], 0) + ")"
}

func isLit(e ir.Expr) bool {
	_, ok := e.(*ir.Lit)
	return ok
}

func (x *exprs) arithmetic(e *ir.Binary, outer int) string {
	left, right := e.X.Type().Kind, e.Y.Type().Kind
	name := map[ir.Op]string{ir.OpAdd: "Add", ir.OpSub: "Sub", ir.OpMul: "Mul"}[e.Op]
	switch {
	case left == ir.List:
		return x.helper("Append") + "(t, " + x.expr(e.X, 0) + ", " + x.expr(e.Y, 0) + ", " + x.c.size(e.X.Type()) + ")"
	case left == ir.String:
		return x.helper("Join") + "(t, " + x.expr(e.X, 0) + ", " + x.expr(e.Y, 0) + ")"
	case left == ir.Float:
		return x.helper("Finite") + "(t, float64(" + x.floatOperand(e.X, precMul) + " " + string(e.Op) + " " + x.floatOperand(e.Y, precMul+1) + "))"
	case left == ir.Time && right == ir.Time:
		return x.helper("Between") + "(t, " + x.expr(e.X, 0) + ", " + x.expr(e.Y, 0) + ")"
	case left == ir.Time && e.Op == ir.OpAdd:
		return x.helper("After") + "(t, " + x.expr(e.X, 0) + ", " + x.expr(e.Y, 0) + ")"
	case right == ir.Time:
		return x.helper("After") + "(t, " + x.expr(e.Y, 0) + ", " + x.expr(e.X, 0) + ")"
	case left == ir.Time:
		return x.helper("Before") + "(t, " + x.expr(e.X, 0) + ", " + x.expr(e.Y, 0) + ")"
	case !valuesOf(e).fits():
		return x.checked(name, e.Type(), x.operand(e.X, e.Type(), 0), x.operand(e.Y, e.Type(), 0))
	}
	prec := precAdd
	if e.Op == ir.OpMul {
		prec = precMul
	}
	return paren(x.operand(e.X, e.Type(), prec)+" "+string(e.Op)+" "+x.operand(e.Y, e.Type(), prec+1), prec, outer)
}

// floatOperand keeps Go from computing with constants more exactly than the
// language does, and from refusing what overflows.
func (x *exprs) floatOperand(e ir.Expr, outer int) string {
	if isLit(e) {
		return "float64(" + x.expr(e, 0) + ")"
	}
	return x.expr(e, outer)
}

// operand turns an int into a duration where it is multiplied by one.
func (x *exprs) operand(e ir.Expr, t *ir.Type, outer int) string {
	if t.Kind == ir.Duration && e.Type().Kind == ir.Int {
		return "time.Duration(" + x.expr(e, 0) + ")"
	}
	return x.expr(e, outer)
}
