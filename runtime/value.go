package runtime

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

func BoolValue(b bool) Value {
	if b {
		return Value{set: true, n: 1}
	}
	return Value{set: true}
}
func IntValue(n int64) Value              { return Value{set: true, n: n} }
func FloatValue(f float64) Value          { return Value{set: true, n: int64(math.Float64bits(f))} }
func StringValue(s string) Value          { return Value{set: true, s: s} }
func DurationValue(d time.Duration) Value { return Value{set: true, n: int64(d)} }
func TimeValue(t time.Time) Value         { return Value{set: true, n: t.UnixMicro()} }
func EnumValue(name string) Value         { return Value{set: true, s: name} }
func ListValue(items ...Value) Value      { return Value{set: true, list: items} }
func JSONValue(compacted string) Value    { return Value{set: true, s: compacted} }
func (v Value) IsSet() bool               { return v.set }
func (v Value) Bool() bool                { return v.n != 0 }
func (v Value) Int() int64                { return v.n }
func (v Value) Float() float64            { return math.Float64frombits(uint64(v.n)) }
func (v Value) Text() string              { return v.s }
func (v Value) Duration() time.Duration   { return time.Duration(v.n) }
func (v Value) Time() time.Time           { return time.UnixMicro(v.n).UTC() }
func (v Value) List() []Value             { return v.list }
