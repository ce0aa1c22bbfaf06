package runtime

import (
	"bytes"
	"encoding/json"
)

// Optional is a value that may be unset in the data of a run, or absent in an event, a parameter
// or an argument.
type Optional[T any] struct {
	Value T
	Set   bool
}

// Some is an Optional with a value.
func Some[T any](value T) Optional[T] { return Optional[T]{Value: value, Set: true} }

// IsZero reports whether there is no value; JSON then leaves it out.
func (o Optional[T]) IsZero() bool { return !o.Set }

// MarshalJSON writes the value in the JSON of the machine, or null if there is none.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.Set {
		return []byte("null"), nil
	}
	return EncodeFields(o.Value)
}

// UnmarshalJSON reads a value. Null is no value, except in a field of type json, which can hold
// null.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	*o = Optional[T]{}
	_, isJSON := any(o.Value).(json.RawMessage)
	if o.Set = isJSON || !bytes.Equal(bytes.TrimSpace(data), []byte("null")); !o.Set {
		return nil
	}
	return DecodeFields(json.RawMessage(data), &o.Value)
}
