package runtime

import (
	"bytes"
	"encoding/json"
)

// Optional is what may be unset of a run's data, and what may be absent of an event, a
// parameter or an argument.
type Optional[T any] struct {
	Value T
	Set   bool
}

// Some is an Optional with a value.
func Some[T any](value T) Optional[T] { return Optional[T]{Value: value, Set: true} }

// IsZero reports whether there is no value; it has no place in JSON then.
func (o Optional[T]) IsZero() bool { return !o.Set }

// MarshalJSON is the value as the machine's own JSON has it, and null for none.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.Set {
		return []byte("null"), nil
	}
	return EncodeFields(o.Value)
}

// UnmarshalJSON reads a value. Null is none, but for a field of type json, which may hold it.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	*o = Optional[T]{}
	_, isJSON := any(o.Value).(json.RawMessage)
	if o.Set = isJSON || !bytes.Equal(bytes.TrimSpace(data), []byte("null")); !o.Set {
		return nil
	}
	return DecodeFields(json.RawMessage(data), &o.Value)
}
