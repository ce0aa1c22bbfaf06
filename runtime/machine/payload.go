package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// PayloadError says what is wrong with the JSON of a payload or of parameters.
type PayloadError struct {
	Field string // the field or parameter and its place inside, "tags[2]"; empty for all of it
	Why   string // lower case, without a full stop

	param bool // it is about parameters
}

// Error names the field and what is wrong with it.
func (e *PayloadError) Error() string {
	switch {
	case e.Field != "":
		return fmt.Sprintf("%s %q: %s", fieldNoun(e.param), e.Field, e.Why)
	case e.param:
		return "parameters: " + e.Why
	}
	return e.Why
}

func fieldNoun(param bool) string {
	if param {
		return "parameter"
	}
	return "field"
}

// ofParams is err, said of parameters.
func ofParams(err error) error {
	if payload, ok := errors.AsType[*PayloadError](err); ok {
		payload.param = true
	}
	return err
}

// DecodePayload reads the JSON object of an event strictly: every field of the
// event, once, of its type and in its range, and no other. Empty data stands
// for an object without fields. The error is a *PayloadError, or says that
// there is no such event.
func (m *Machine) DecodePayload(event int, data json.RawMessage) ([]Value, error) {
	if event < 0 || event >= len(m.def.Events) {
		return nil, fmt.Errorf("there is no event %d", event)
	}
	return m.def.decodeObject(m.def.Events[event].Fields, data, false)
}

// EncodePayload writes the payload of an event as canonical JSON: its fields in
// declaration order, without white space.
func (m *Machine) EncodePayload(event int, values []Value) (json.RawMessage, error) {
	if event < 0 || event >= len(m.def.Events) {
		return nil, fmt.Errorf("there is no event %d", event)
	}
	return m.def.encodeObject(m.def.Events[event].Fields, values)
}

// DecodeParams reads the parameters of a run as DecodePayload reads an event.
func (m *Machine) DecodeParams(data json.RawMessage) ([]Value, error) {
	values, err := m.def.decodeObject(m.def.Params, data, true)
	return values, ofParams(err)
}

// EncodeParams writes the parameters of a run as EncodePayload writes an event.
func (m *Machine) EncodeParams(values []Value) (json.RawMessage, error) {
	encoded, err := m.def.encodeObject(m.def.Params, values)
	return encoded, ofParams(err)
}

// GuardArgs writes the arguments of a host guard as an object by the names of its
// parameters.
func (m *Machine) GuardArgs(guard int, args []Value) (json.RawMessage, error) {
	return m.def.encodeObject(m.def.Guards[guard].Params, args)
}

// EncodeData writes the context fields of a run that are set, in declaration
// order.
func (m *Machine) EncodeData(s *Snapshot) json.RawMessage {
	return encodeFields(m.def.Fields, s.Data)
}

func (d *Definition) decodeObject(fields []Field, data json.RawMessage, param bool) ([]Value, error) {
	if len(data) > MaxPayload {
		return nil, &PayloadError{Why: fmt.Sprintf("it has %d bytes, more than the %d that are allowed", len(data), MaxPayload)}
	}
	s := &scanner{data: data}
	if s.found() == "nothing" {
		s = &scanner{data: []byte("{}")}
	}
	if s.peek() != '{' {
		return nil, &PayloadError{Why: "expected an object, found " + s.found()}
	}
	values, err := d.scanFields(s, fields, param)
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, payloadError(err)
	}
	if param {
		return values, d.allMissing(fields, values)
	}
	return values, d.missing(fields, values, "")
}

// fieldError names the field in which err was found. Where the text itself is
// no JSON, that is said of the payload as a whole.
func fieldError(field string, err error) error {
	var item *itemError
	for errors.As(err, &item) {
		field += "[" + strconv.Itoa(item.index) + "]"
		err = item.err
	}
	if inner, ok := errors.AsType[*PayloadError](err); ok { // of a record
		if inner.Field != "" {
			field += "." + inner.Field
		}
		return &PayloadError{Field: field, Why: inner.Why}
	}
	if fault, ok := errors.AsType[*scanError](err); ok {
		return &PayloadError{Field: field, Why: fault.why}
	}
	return &PayloadError{Field: field, Why: err.Error()}
}

func payloadError(err error) error {
	if payload, ok := errors.AsType[*PayloadError](givenTwice(err, "")); ok {
		return payload
	}
	return &PayloadError{Why: "it is not valid JSON: " + err.Error()}
}

// checkFields reports the first of values that is no value of its field.
func (d *Definition) checkFields(fields []Field, values []Value) error {
	if len(values) != len(fields) {
		return &PayloadError{Why: fmt.Sprintf("it has %d values for %d fields", len(values), len(fields))}
	}
	for i := range fields {
		if fields[i].Optional && !values[i].set {
			continue
		}
		if fields[i].alone() && fields[i].Type.Kind == JSON && values[i].s == "null" {
			return &PayloadError{Field: fields[i].Name, Why: "null is absent"}
		}
		if why := d.misfit(&fields[i].Type, &values[i]); why != "" {
			return &PayloadError{Field: fields[i].Name, Why: why}
		}
	}
	return nil
}

func (d *Definition) encodeObject(fields []Field, values []Value) (json.RawMessage, error) {
	if err := d.checkFields(fields, values); err != nil {
		return nil, err
	}
	return encodeFields(fields, values), nil
}

func encodeFields(fields []Field, values []Value) json.RawMessage {
	return encoded(nil, func(c *coder) { c.b = appendFields(c.b, fields, values) })
}
