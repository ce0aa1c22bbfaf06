package ir

import (
	"iter"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// Expr is a typed expression: *Lit, *VarRef, *FieldRef, *FanRef, *Now, *Len, *IsSet,
// *Unary, *Binary, *Call, *Object, *Array, *Key, *Fit, *Text, *RecordLit, *Absent, or in a
// machine that is Broken or Incomplete *Bad.
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
	Var     *Var
	OrUnset bool // where it is unset, so is the place that it is given to; else it cannot be read there
}

// FieldRef is `event.Field`. With several triggers the field stands for the
// one of that name in each: read it by name.
type FieldRef struct {
	E
	Name     string
	Optional bool   // of some trigger: it may be absent
	Within   Within // of some trigger
	OrUnset  bool   // as of a VarRef
}

// FanRef is the element that an attempt of a do with a Fan is for, or its index, or of a
// record a leaf. It stands in the arguments of that do alone.
type FanRef struct {
	E
	Fan   *Fan
	Index bool   // the index, else the element
	Leaf  string // of an element that is a record: its path; else empty

	Optional bool // the leaf may be absent
	OrUnset  bool // as of a VarRef
}

// Now is the time of the step.
type Now struct{ E }

// Len is the length of X: bytes of a string, items of a list.
type Len struct {
	E
	X Expr // *VarRef, *FieldRef or *FanRef
}

// IsSet is `Var is set`, or with Not `Var is not set`; or the same of a field of the
// event. Exactly one of Var and Field is set.
type IsSet struct {
	E
	Var   *Var
	Field *FieldRef
	Asked string // where Field is a leaf that stands for a record that may be absent: the name of that
	Not   bool
}

// Unary is `!X` (bool) or `-X` (int, float, duration).
type Unary struct {
	E
	Op Op
	X  Expr
}

// Binary is X Op Y. Both sides have one kind, but for time ± duration,
// time - time, int * duration, duration * int, list + item and json + anything.
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

// Object is `{"key": value}`, a json. Each value has its JSON form there.
type Object struct {
	E
	Keys   []string
	Values []Expr
}

// Array is `[a, b]`, a json. Each item has its JSON form there.
type Array struct {
	E
	Items []Expr
}

// Key is what the json X has under a name: null where it has none, or is no object.
type Key struct {
	E
	X    Expr
	Name string
}

// Fit is the json X as a value of another type; it cannot be computed where X does not
// fit. It is not written: it stands where the place has a type and what is given to it
// is a json.
type Fit struct {
	E
	X       Expr
	OrUnset bool // where X is null, the place that it is given to is unset

	// Of a record that a json is given to, each leaf is a Fit, and X is what the json has
	// under its path. But Whole has to fit, with all its keys.
	Whole  *Fit
	Leaf   string // the path; empty without Whole
	Within Within // by paths
}

// KeysOf is the field of the event that e reads, and the keys behind it, the outermost
// first; nil where e is no part of one.
func KeysOf(e Expr) (*FieldRef, []string) {
	switch e := e.(type) {
	case *FieldRef:
		return e, nil
	case *Key:
		field, keys := KeysOf(e.X)
		return field, append(keys, e.Name)
	}
	return nil, nil
}

// Text is `text(X)`: the JSON form of a number, a bool, a duration, a time or a value of
// an enum, without quotes.
type Text struct {
	E
	X Expr
}

// Absent is what a message has in a field that may be absent and is left out. It is not
// written.
type Absent struct{ E }

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

// Conjuncts are the parts of e that must all hold for e to hold, in the order in which they are
// asked. A nil e has none.
func Conjuncts(e Expr) iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		if e != nil {
			eachConjunct(e, yield)
		}
	}
}

func eachConjunct(e Expr, yield func(Expr) bool) bool {
	if b, ok := e.(*Binary); ok && b.Op == OpAnd {
		return eachConjunct(b.X, yield) && eachConjunct(b.Y, yield)
	}
	return yield(e)
}

// Known are the parts of e of which it is known whether they hold where it is known that e holds, or
// does not: `not (a or b)` says that neither holds. A nil e has none.
func Known(e Expr, holds bool) iter.Seq2[Expr, bool] {
	return func(yield func(Expr, bool) bool) {
		if e != nil {
			eachKnown(e, holds, yield)
		}
	}
}

func eachKnown(e Expr, holds bool, yield func(Expr, bool) bool) bool {
	switch b := e.(type) {
	case *Unary:
		if b.Op == OpNot {
			return eachKnown(b.X, !holds, yield)
		}
	case *Binary:
		if holds && b.Op == OpAnd || !holds && b.Op == OpOr {
			return eachKnown(b.X, holds, yield) && eachKnown(b.Y, holds, yield)
		}
	}
	return yield(e, holds)
}

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
	case *Object:
		for _, v := range e.Values {
			Walk(v, f)
		}
	case *Array:
		for _, item := range e.Items {
			Walk(item, f)
		}
	case *Key:
		Walk(e.X, f)
	case *Fit:
		Walk(e.X, f)
	case *Text:
		Walk(e.X, f)
	case *RecordLit:
		for _, l := range e.Leaves {
			Walk(l, f)
		}
	case *Bad:
		for _, p := range e.Parts {
			Walk(p, f)
		}
	}
}
