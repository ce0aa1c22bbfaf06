package machine

import (
	"math"
	"time"
)

// Kind is what sort of value a Type has.
type Kind string

const (
	Bool         Kind = "bool"
	Int          Kind = "int"
	Float        Kind = "float"
	String       Kind = "string"
	DurationKind Kind = "duration"
	TimeKind     Kind = "time"
	JSON         Kind = "json"
	EnumKind     Kind = "enum"
	ListKind     Kind = "list"
)

// Value is one value of a run's data. The zero Value is unset. Which type it
// has is known from where it stands; a Value alone holds only its content:
// int, duration (nanoseconds), time (microseconds since 1970) and bool as a
// number, float as its bits, string, enum (the bare value) and json
// (compacted) as text. Values are immutable.
type Value struct {
	set  bool
	n    int64
	s    string
	list []Value
}

// Unset is the absence of a value.
var Unset Value

// BoolValue is a bool.
func BoolValue(b bool) Value {
	if b {
		return Value{set: true, n: 1}
	}
	return Value{set: true}
}

// IntValue is an int.
func IntValue(n int64) Value { return Value{set: true, n: n} }

// FloatValue is a float; one that is not finite fits no type.
func FloatValue(f float64) Value { return Value{set: true, n: int64(math.Float64bits(f))} }

// StringValue is a string; one that is not UTF-8 fits no type.
func StringValue(s string) Value { return Value{set: true, s: s} }

// DurationValue is a duration.
func DurationValue(d time.Duration) Value { return Value{set: true, n: int64(d)} }

// TimeValue is a time, cut to the microsecond.
func TimeValue(t time.Time) Value { return Value{set: true, n: t.UnixMicro()} }

// EnumValue is a value of an enum, by its bare name.
func EnumValue(name string) Value { return Value{set: true, s: name} }

// ListValue is a list. The caller must not change items afterwards.
func ListValue(items ...Value) Value { return Value{set: true, list: items} }

// JSONValue is a JSON text, which must be valid and compacted.
func JSONValue(compacted string) Value { return Value{set: true, s: compacted} }

// IsSet reports whether there is a value at all.
func (v Value) IsSet() bool { return v.set }

// Bool is the content of a bool.
func (v Value) Bool() bool { return v.n != 0 }

// Int is the content of an int.
func (v Value) Int() int64 { return v.n }

// Float is the content of a float.
func (v Value) Float() float64 { return math.Float64frombits(uint64(v.n)) }

// Text is the content of a string, an enum or a json.
func (v Value) Text() string { return v.s }

// Duration is the content of a duration.
func (v Value) Duration() time.Duration { return time.Duration(v.n) }

// Time is the content of a time, in UTC.
func (v Value) Time() time.Time { return time.UnixMicro(v.n).UTC() }

// List is the content of a list, which must not be changed.
func (v Value) List() []Value { return v.list }

// Equal reports whether v and w, values of one type, are the same. Floats are
// the same when they have the same bits.
func (v Value) Equal(w Value) bool {
	if v.set != w.set || v.n != w.n || v.s != w.s || len(v.list) != len(w.list) {
		return false
	}
	for i := range v.list {
		if !v.list[i].Equal(w.list[i]) {
			return false
		}
	}
	return true
}

// size is about how many bytes v takes, in memory and in JSON; see MaxData.
func (v *Value) size() int {
	n := 16 + len(v.s)
	for i := range v.list {
		n += v.list[i].size()
	}
	return n
}
