package ir

import "github.com/fsmc-dev/fsmc/lang/token"

// Expr is a typed expression: *Lit, *VarRef, *FieldRef, *Now, *Len, *IsSet,
// *Unary, *Binary, *Call, or in a machine that is Broken or Incomplete *Bad.
type Expr interface {
	Type() *Type
	Span() token.Span
	expr()
}

// E is embedded in every expression: its type and its place.
type E struct {
	T  *Type
	At token.Span
}

// Type is the type of the expression's value.
func (e *E) Type() *Type { return e.T }

// Span is where the expression stands.
func (e *E) Span() token.Span { return e.At }

func (*E) expr() {}

// Lit is a constant. The empty list is a Lit of kind List. An int literal
// where a float is wanted has been turned into a float.
type Lit struct {
	E
	Value   *Const
	Written string // where that is no literal: "run.machine"
}

// VarRef reads a parameter, a context field or a value of the run itself.
type VarRef struct {
	E
	Var *Var
}

// FieldRef is `event.Field`. With several triggers the field stands for the
// one of that name in each: read it by name.
type FieldRef struct {
	E
	Name string
}

// Now is the time of the step.
type Now struct{ E }

// Len is the length of X: bytes of a string, items of a list.
type Len struct {
	E
	X Expr // *VarRef or *FieldRef
}

// IsSet is `Var is set`, or with Not `Var is not set`.
type IsSet struct {
	E
	Var *Var
	Not bool
}

// Unary is `!X` (bool) or `-X` (int, float, duration).
type Unary struct {
	E
	Op Op
	X  Expr
}

// Binary is X Op Y. Both sides have one kind, but for time ± duration,
// time - time, int * duration, duration * int and list + item.
type Binary struct {
	E
	Op   Op
	X, Y Expr
}

// Call is a host guard, or min or max, applied. Exactly one of Guard and
// Builtin is set.
type Call struct {
	E
	Guard   *Guard
	Builtin string // "min", "max"
	Args    []Expr
}

// Bad is an expression in which something is wrong that has been reported. Its
// type is Invalid and nothing is known of its value; Parts are what could be
// understood of it.
type Bad struct {
	E
	Parts []Expr
}

// Op is an operator, as written.
type Op string

const (
	OpOr  Op = "||"
	OpAnd Op = "&&"
	OpNot Op = "!"
	OpEq  Op = "=="
	OpNe  Op = "!="
	OpLt  Op = "<"
	OpLe  Op = "<="
	OpGt  Op = ">"
	OpGe  Op = ">="
	OpAdd Op = "+"
	OpSub Op = "-" // also the unary minus
	OpMul Op = "*"
)

// Walk calls f for e and everything in it, outermost first; where f returns
// false it does not go inside. A nil e is nothing.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	switch e := e.(type) {
	case *Len:
		Walk(e.X, f)
	case *Unary:
		Walk(e.X, f)
	case *Binary:
		Walk(e.X, f)
		Walk(e.Y, f)
	case *Call:
		for _, a := range e.Args {
			Walk(a, f)
		}
	case *Bad:
		for _, p := range e.Parts {
			Walk(p, f)
		}
	}
}
