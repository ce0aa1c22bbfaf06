package guard

import (
	"math"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// term names what a guard reads: a parameter or a context field, a field of the
// input, the length of one of them, or the time of the step.
type term struct {
	Var   *ir.Var // nil for what is no parameter or context field
	Event string  // the name of a field of the input
	Len   bool
	Now   bool
}

// whole is the term itself where t is its length.
func (t term) whole() term {
	t.Len = false
	return t
}

// String is the term as written in a guard.
func (t term) String() string {
	name := "now"
	switch {
	case t.Var != nil:
		name = t.Var.Name
	case !t.Now:
		name = "event." + t.Event
	}
	if t.Len {
		return "len(" + name + ")"
	}
	return name
}

// around are the terms by which what t is within is asked whether it is set.
func (t term) around() []term {
	var out []term
	if t.Var != nil {
		for _, head := range t.Var.Heads() {
			out = append(out, term{Var: head})
		}
	}
	for i := range t.Event {
		if t.Event[i] == '.' {
			out = append(out, term{Event: t.Event[:i]})
		}
	}
	return out
}

// asked is the term as it is asked whether it is set.
func (t term) asked() string {
	if t.Var != nil && len(t.Var.Within) > 0 {
		return t.Var.Asked()
	}
	return t.String()
}

// variable is a term with its type and what that says of its values.
type variable struct {
	term   term
	typ    *ir.Type // of the term; of a length, that of the string or list
	lo, hi int64    // of what is compared as an integer; both ends belong to it
	fixed  *string  // of a string that the input fixes
}

// is reports whether v and w name the same; nil, the constant 0, is itself.
func (v *variable) is(w *variable) bool {
	return v == w || v != nil && w != nil && v.term == w.term
}

// kind is the kind of values that v has.
func (v *variable) kind() ir.Kind {
	if v.term.Len {
		return ir.Int
	}
	return v.typ.Kind
}

// Times lie in the years 1 to 9999, as in the runtime, in microseconds.
var (
	minTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	maxTime = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC).UnixMicro()
)

func newVariable(t term, typ *ir.Type) *variable {
	v := &variable{term: t, typ: typ, lo: math.MinInt64, hi: math.MaxInt64}
	switch {
	case t.Len:
		if v.lo = 0; typ.Len != nil {
			v.lo, v.hi = typ.Len.Lo, typ.Len.Hi
		}
	case typ.Range != nil:
		v.lo, v.hi = typ.Range.Lo, typ.Range.Hi
	case typ.Kind == ir.Time:
		v.lo, v.hi = minTime, maxTime
	case typ.Kind == ir.Float:
		v.lo, v.hi = ordinal(-math.MaxFloat64), ordinal(math.MaxFloat64)
	case typ.Kind == ir.EnumKind:
		v.lo, v.hi = 0, int64(max(len(typ.Enum.Values), 1))-1
	}
	return v
}

// set holds where v is set: all that it is within is.
func set(v *ir.Var) *node {
	out := always
	for _, head := range v.Heads() {
		if head.MayBeUnset() {
			out = and(out, factNode(fact{kind: isSet, term: term{Var: head}}))
		}
	}
	return out
}

// sent holds where the field that e reads comes with the input: all that it is within does.
func (r *reader) sent(e *ir.FieldRef) *node {
	out, f := always, r.field(e.Name)
	for _, name := range e.Within {
		if f == nil || slices.Contains(f.Within, name) {
			out = and(out, factNode(fact{kind: isSet, term: term{Event: name}}))
		}
	}
	return out
}
