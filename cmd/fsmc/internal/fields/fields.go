// Package fields makes the JSON of parameters and events from what a person writes for each field.
package fields

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Object makes the object of some fields from NAME=VALUE. A value is taken as it stands for
// fields whose JSON form is a string, and as JSON for others. Of a record a NAME may be that of a
// place in it. Errors begin with flag.
func Object(fields []machine.Field, flag string, words []string) (json.RawMessage, error) {
	object := map[string]any{}
	for _, word := range words {
		name, value, found := strings.Cut(word, "=")
		if !found {
			return nil, fmt.Errorf("%s%q has no value: write NAME=VALUE", flag, word)
		}
		if !utf8.ValidString(word) {
			return nil, fmt.Errorf("%s%q is not valid UTF-8", flag, word)
		}
		if err := broken(fields, name, value); err != nil {
			return nil, fmt.Errorf("%s%s begins like JSON, but it is not valid JSON: %w", flag, name, err)
		}
		if !put(object, fields, name, fieldValue(fields, name, value)) {
			return nil, fmt.Errorf("%s%s is given twice", flag, name)
		}
	}
	return runtime.EncodeJSON(object)
}

// put writes value into object under a name: that of a leaf of a record, as in
// "order.total", stands inside. It is false where something stands there.
func put(object map[string]any, fields []machine.Field, name string, value json.RawMessage) bool {
	leaf := slices.ContainsFunc(fields, func(f machine.Field) bool { return f.Name == name })
	for point := strings.IndexByte(name, '.'); leaf && point >= 0; point = strings.IndexByte(name, '.') {
		if object[name[:point]] == nil {
			object[name[:point]] = map[string]any{}
		}
		inner, ok := object[name[:point]].(map[string]any)
		if !ok {
			return false
		}
		object, name = inner, name[point+1:]
	}
	if object[name] != nil {
		return false
	}
	object[name] = value
	return true
}

// broken is what is wrong with a list or an object that value begins to be, of a field that takes
// one. As a string, a json would take it, and the fault would show only where the run reads it.
func broken(fields []machine.Field, name, value string) error {
	takes := slices.ContainsFunc(fields, func(f machine.Field) bool {
		return f.Name == name && (f.Type.Kind == machine.ListKind || f.Type.Kind == machine.JSON) || strings.HasPrefix(f.Name, name+".")
	})
	if start := strings.TrimLeft(value, " \t\r\n"); !takes || !strings.HasPrefix(start, "[") && !strings.HasPrefix(start, "{") {
		return nil
	}
	return json.Unmarshal([]byte(value), new(json.RawMessage))
}

func fieldValue(fields []machine.Field, name, value string) json.RawMessage {
	for _, f := range fields {
		if strings.HasPrefix(f.Name, name+".") && json.Valid([]byte(value)) {
			return json.RawMessage(value)
		}
		if f.Name != name {
			continue
		}
		switch f.Type.Kind {
		case machine.Bool, machine.Int, machine.Float, machine.JSON, machine.ListKind:
			if json.Valid([]byte(value)) {
				return json.RawMessage(value)
			}
		}
	}
	text, _ := runtime.EncodeJSON(value) // a string always has a JSON form
	return text
}
