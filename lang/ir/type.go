package ir

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kind is what sort of value a type has.
type Kind int

const (
	Invalid Kind = iota // the type of what could not be resolved; it fits everything
	Bool
	Int
	Float
	String
	Duration
	Time
	JSON
	EnumKind
	List
	RecordKind // of the items of lists, and of RecordLit; what else has it is its leaves
)

// Type is the type of a value. Types are compared with Same, not with ==.
type Type struct {
	Kind  Kind
	Range *Range // of int and duration; nil where none is declared
	Enum  *Enum  // of EnumKind
	Elem  *Type  // of List; nil for the empty list literal
	Len   *Range // of List: how many items it may have, at least none; nil where none is declared

	Record  *Record // of RecordKind
	Unknown string  // of Invalid: the name, where no type has it
}

// Range is a range of an int, of a duration in nanoseconds, or of the length of
// a list; both ends belong to it.
type Range struct {
	Lo, Hi int64
}

// Contains reports whether v lies in r.
func (r *Range) Contains(v int64) bool { return r.Lo <= v && v <= r.Hi }

// Limits is the range of t, of a list that of its length; nil where none is declared.
func (t *Type) Limits() *Range {
	if t.Kind == List {
		return t.Len
	}
	return t.Range
}

// LeastLen is how many items a list of type t has at least, as far as t says.
func (t *Type) LeastLen() int64 {
	if t.Len == nil {
		return 0
	}
	return t.Len.Lo
}

// Same reports whether values of t and u are of one type, ranges aside.
func (t *Type) Same(u *Type) bool {
	switch {
	case t == nil || u == nil:
		return true // the element of an empty list
	case t.Kind == Invalid || u.Kind == Invalid:
		return true
	case t.Kind != u.Kind:
		return false
	case t.Kind == EnumKind:
		return t.Enum == u.Enum
	case t.Kind == RecordKind:
		return t.Record == u.Record
	case t.Kind == List:
		return t.Elem.Same(u.Elem)
	}
	return true
}

// String is the type as written in a machine.
func (t *Type) String() string {
	name := [...]string{"invalid", "bool", "int", "float", "string", "duration", "time", "json", "enum", "list", "record"}[t.Kind]
	switch t.Kind {
	case Invalid:
		name = cmp.Or(t.Unknown, name)
	case EnumKind:
		name = t.Enum.Name
	case RecordKind:
		name = t.Record.Name
	case List:
		if t.Elem == nil {
			return "[]"
		}
		if t.Len != nil {
			return fmt.Sprintf("[%d..%d]%s", t.Len.Lo, t.Len.Hi, t.Elem)
		}
		return "[]" + t.Elem.String()
	}
	switch {
	case t.Range == nil:
		return name
	case t.Kind == Duration:
		return fmt.Sprintf("%s %s..%s", name, FormatDuration(t.Range.Lo), FormatDuration(t.Range.Hi))
	}
	return fmt.Sprintf("%s %d..%d", name, t.Range.Lo, t.Range.Hi)
}

// FormatDuration writes ns nanoseconds in the units of the language, without
// the zero parts that Go's own form has: "24h" and "1m30s", not "24h0m0s"; and
// "us", not "µs".
func FormatDuration(ns int64) string {
	if ns == 0 {
		return "0s"
	}
	s := strings.Replace(time.Duration(ns).String(), "µs", "us", 1)
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Const is a constant value.
type Const struct {
	Kind  Kind
	Int   int64 // of Int, Duration (ns), Bool (0, 1), EnumKind (index of the value)
	Float float64
	Str   string // of String, the bare value of EnumKind, and the text of JSON
	Enum  *Enum
}

// JSONValue is what encoding/json makes the JSON form of c of.
func (c *Const) JSONValue() any {
	switch c.Kind {
	case Bool:
		return c.Int != 0
	case Int:
		return c.Int
	case Float:
		return c.Float
	case Duration:
		return time.Duration(c.Int).String()
	case List:
		return []any{}
	case JSON:
		return json.RawMessage(c.Str)
	}
	return c.Str
}

// Text is the constant as written in a machine.
func (c *Const) Text() string {
	switch c.Kind {
	case Bool:
		return strconv.FormatBool(c.Int != 0)
	case Int:
		return strconv.FormatInt(c.Int, 10)
	case Float:
		return strconv.FormatFloat(c.Float, 'f', -1, 64)
	case Duration:
		return FormatDuration(c.Int)
	case String:
		return strconv.Quote(c.Str)
	case EnumKind:
		return c.Enum.Name + "." + c.Str
	case JSON:
		return c.Str
	case List:
		return "[]"
	}
	return "?"
}
