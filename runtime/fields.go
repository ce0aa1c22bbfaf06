package runtime

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// EncodeFields writes Go values as the JSON of a machine: parameters, the fields of an event,
// data. It differs from EncodeJSON for three kinds of value, also inside structs, lists and maps:
// a duration is the string of Go ("1m30s"), a time is in UTC and cut to the microsecond, and a
// nil slice is an empty list. If a method of a value panics, that is an error.
func EncodeFields(v any) (encoded json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			encoded, err = nil, errors.New(panicText(p))
		}
	}()
	var w fieldWriter
	if err := w.value(reflect.ValueOf(v)); err != nil {
		return nil, plain(err)
	}
	return w.Bytes(), nil
}

// DecodeFields reads into v, a pointer, what EncodeFields writes. It ignores a field of the JSON
// that v does not have, and leaves a field of v as it is if the JSON does not have it.
func DecodeFields(data json.RawMessage, v any) error {
	to := reflect.ValueOf(v)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("fields are read into a pointer, not into %T", v)
	}
	return readFields(data, to.Elem())
}

// timeForm is how a time is written.
const timeForm = "2006-01-02T15:04:05.000000Z"

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	marshalers   = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}
	unmarshalers = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}
)

// fieldWriter writes values behind each other.
type fieldWriter struct {
	bytes.Buffer
	depth int
}

// deepest is how deep values may stand in each other: deeper ones go round in a
// circle.
const deepest = 1000

func (w *fieldWriter) value(v reflect.Value) error {
	if w.depth++; w.depth > deepest {
		return errors.New("the value has no end")
	}
	defer func() { w.depth-- }()
	switch {
	case !v.IsValid():
		w.WriteString("null")
		return nil
	case v.Type() == durationType:
		return w.plain(time.Duration(v.Int()).String())
	case v.Type() == timeType:
		return w.plain(v.Interface().(time.Time).UTC().Format(timeForm))
	case hasOneOf(v.Type(), marshalers):
		return w.plain(v.Interface())
	case v.CanAddr() && hasOneOf(reflect.PointerTo(v.Type()), marshalers):
		return w.plain(v.Addr().Interface())
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return w.value(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			return w.list(v)
		}
	case reflect.Map:
		if !v.IsNil() && v.Type().Key().Kind() == reflect.String {
			return w.entries(v)
		}
	case reflect.Struct:
		if fields, ok := fieldsOf(v.Type()); ok {
			return w.fields(v, fields)
		}
	}
	return w.plain(v.Interface())
}

// plain writes what encoding/json writes as it should be.
func (w *fieldWriter) plain(v any) error {
	text, err := EncodeJSON(v)
	w.Write(text)
	return err
}

func (w *fieldWriter) list(v reflect.Value) error {
	w.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			w.WriteByte(',')
		}
		if err := w.value(v.Index(i)); err != nil {
			return err
		}
	}
	w.WriteByte(']')
	return nil
}

func (w *fieldWriter) entries(v reflect.Value) error {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	w.WriteByte('{')
	for i, k := range keys {
		if err := w.member(i == 0, k.String(), v.MapIndex(k)); err != nil {
			return err
		}
	}
	w.WriteByte('}')
	return nil
}

func (w *fieldWriter) fields(v reflect.Value, fields []jsonField) error {
	w.WriteByte('{')
	first := true
	for _, f := range fields {
		value := v.Field(f.index)
		if f.omitZero && isZero(value) || f.omitEmpty && isEmpty(value) {
			continue
		}
		if err := w.member(first, f.name, value); err != nil {
			return err
		}
		first = false
	}
	w.WriteByte('}')
	return nil
}

func (w *fieldWriter) member(first bool, name string, v reflect.Value) error {
	if !first {
		w.WriteByte(',')
	}
	if err := w.plain(name); err != nil {
		return err
	}
	w.WriteByte(':')
	return w.value(v)
}

func isZero(v reflect.Value) bool {
	if z, ok := v.Interface().(interface{ IsZero() bool }); ok {
		return z.IsZero()
	}
	return v.IsZero()
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func readFields(data json.RawMessage, v reflect.Value) error {
	switch {
	case v.Type() == durationType:
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		d, err := time.ParseDuration(text)
		v.SetInt(int64(d))
		return err
	case v.Type() == timeType:
		var at time.Time
		err := json.Unmarshal(data, &at)
		v.Set(reflect.ValueOf(at.UTC()))
		return err
	case hasOneOf(reflect.PointerTo(v.Type()), unmarshalers):
		return json.Unmarshal(data, v.Addr().Interface())
	}
	switch v.Kind() {
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			return readList(data, v)
		}
	case reflect.Pointer:
		if v.Type().Elem().Kind() != reflect.Interface && string(bytes.TrimSpace(data)) != "null" {
			to := reflect.New(v.Type().Elem())
			v.Set(to)
			return readFields(data, to.Elem())
		}
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			return readEntries(data, v)
		}
	case reflect.Struct:
		if fields, ok := fieldsOf(v.Type()); ok {
			return readStruct(data, v, fields)
		}
	}
	return json.Unmarshal(data, v.Addr().Interface())
}

func readList(data json.RawMessage, v reflect.Value) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if err := readFields(item, list.Index(i)); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

func readEntries(data json.RawMessage, v reflect.Value) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	if members == nil {
		v.SetZero()
		return nil
	}
	entries := reflect.MakeMapWithSize(v.Type(), len(members))
	for name, member := range members {
		value := reflect.New(v.Type().Elem()).Elem()
		if err := readFields(member, value); err != nil {
			return fmt.Errorf("entry %q: %w", name, err)
		}
		entries.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), value)
	}
	v.Set(entries)
	return nil
}

func readStruct(data json.RawMessage, v reflect.Value, fields []jsonField) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	for _, f := range fields {
		if member, ok := memberOf(members, f.name); ok {
			if err := readFields(member, v.Field(f.index)); err != nil {
				return fmt.Errorf("field %q: %w", f.name, err)
			}
		}
	}
	return nil
}

// memberOf finds a member by its name, which may be written in other letters than the
// field's, as encoding/json has it.
func memberOf(members map[string]json.RawMessage, name string) (json.RawMessage, bool) {
	if member, ok := members[name]; ok {
		return member, true
	}
	for other, member := range members {
		if strings.EqualFold(other, name) {
			return member, true
		}
	}
	return nil, false
}

// jsonField is a field of a struct as its tag has it.
type jsonField struct {
	index               int
	name                string
	omitZero, omitEmpty bool
}

// fieldsOf are the fields of a struct type that have a place in JSON. It is not ok
// where only encoding/json knows what the struct means: with embedded fields, or
// numbers written as strings.
func fieldsOf(t reflect.Type) (fields []jsonField, ok bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, more, _ := strings.Cut(f.Tag.Get("json"), ",")
		options := strings.Split(more, ",")
		switch {
		case f.Anonymous || slices.Contains(options, "string"):
			return nil, false
		case !f.IsExported() || name == "-" && more == "":
			continue
		case name == "":
			name = f.Name
		}
		fields = append(fields, jsonField{i, name, slices.Contains(options, "omitzero"), slices.Contains(options, "omitempty")})
	}
	return fields, true
}

func hasOneOf(t reflect.Type, interfaces []reflect.Type) bool {
	return slices.ContainsFunc(interfaces, t.Implements)
}
