package runtime

import "encoding/json"

// Optional is a field of a run's data that may be unset.
type Optional[T any] struct {
	Value T
	Set   bool
}

// IsZero reports whether the field is unset; it has no place in JSON then.
func (o Optional[T]) IsZero() bool { return !o.Set }

// MarshalJSON is the value as the machine's own JSON has it.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return EncodeFields(o.Value) }

// UnmarshalJSON sets the field.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Set = true
	return DecodeFields(json.RawMessage(data), &o.Value)
}
