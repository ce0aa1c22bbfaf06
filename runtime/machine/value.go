package machine

import (
	"math"
	"slices"
	"sync/atomic"
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
	RecordKind   Kind = "record" // of an item of a list; a field that is a record is its leaves, see Field
)

// Value is one value of a run's data. The zero Value is unset. Which type it
// has is known from where it stands; a Value alone holds only its content:
// int, duration (nanoseconds), time (microseconds since 1970) and bool as a
// number, float as its bits, string, enum (the bare value) and json
// (compacted) as text; a record is the list of its leaves. Values are immutable.
type Value struct {
	set  bool
	n    int64 // of a list: its length
	s    string
	list *items
}

// items hold the elements of lists that have grown from one another: each is a prefix
// of them. So a list that grows by an element at a time is not copied each time.
type items struct {
	all   []Value // as many as fit; those behind taken are of no list yet
	sizes []int   // by element: of all up to it
	taken atomic.Int64
}

// newItems has room for so many elements.
func newItems(room int) *items { return &items{all: make([]Value, room), sizes: make([]int, room)} }

// put writes element n, which is no one else's.
func (l *items) put(n int, v Value) {
	size := v.size()
	if n > 0 {
		size += l.sizes[n-1]
	}
	l.all[n], l.sizes[n] = v, size
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

// ListValue is a list.
func ListValue(elements ...Value) Value {
	if len(elements) == 0 {
		return Value{set: true}
	}
	l := newItems(len(elements))
	for i, v := range elements {
		l.put(i, v)
	}
	l.taken.Store(int64(len(elements)))
	return Value{set: true, n: int64(len(elements)), list: l}
}

// RecordValue is a record that is an item of a list: its leaves, in the order of its type.
func RecordValue(leaves ...Value) Value { return ListValue(leaves...) }

// with is the list v and x behind it. It copies v only where there is no room, or where
// another list has grown from it before.
func (v Value) with(x Value) Value {
	n, l := int(v.n), v.list
	if l == nil || n == len(l.all) || !l.taken.CompareAndSwap(v.n, v.n+1) {
		l = newItems(max(4, 2*n))
		if n > 0 {
			copy(l.all, v.list.all[:n])
			copy(l.sizes, v.list.sizes[:n])
		}
		l.taken.Store(v.n + 1)
	}
	l.put(n, x)
	return Value{set: true, n: v.n + 1, list: l}
}

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
func (v Value) List() []Value {
	if v.list == nil {
		return nil
	}
	return v.list.all[:v.n:v.n]
}

// Equal reports whether v and w, values of one type, are the same. Floats are
// the same when they have the same bits.
func (v Value) Equal(w Value) bool {
	if v.set != w.set || v.n != w.n || v.s != w.s || (v.list == nil) != (w.list == nil) {
		return false
	}
	return v.list == w.list || slices.EqualFunc(v.List(), w.List(), Value.Equal)
}

// size is about how many bytes v takes, in memory and in JSON; see MaxData.
func (v *Value) size() int {
	n := 16 + len(v.s)
	if v.list != nil {
		n += v.list.sizes[v.n-1]
	}
	return n
}
