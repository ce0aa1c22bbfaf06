// Package schema writes what a run takes as JSON Schemas (draft 2020-12): the fields of an
// event, the parameters of a machine, for forms, for programs and for agents. What fits such
// a schema is of the right types; the run itself still has the last word, since it knows
// what a schema cannot say: whether a duration lies in its range, whether a number has 64 bits.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Schema is the JSON Schema of a value. The zero Schema is that of any value.
type Schema struct {
	Type        string   `json:"type,omitempty"`
	Description string   `json:"description,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Minimum     *int64   `json:"minimum,omitempty"`
	Maximum     *int64   `json:"maximum,omitempty"`
	Format      string   `json:"format,omitempty"`
	Pattern     string   `json:"pattern,omitempty"`
	Items       *Schema  `json:"items,omitempty"`
	MinItems    *int64   `json:"minItems,omitempty"`
	MaxItems    *int64   `json:"maxItems,omitempty"`

	// Of an object: it has no other properties.
	Properties Properties `json:"properties,omitzero"`
	Required   []string   `json:"required,omitempty"`
	Closed     *bool      `json:"additionalProperties,omitempty"`
}

// Property is a property of an object.
type Property struct {
	Name   string
	Schema Schema
}

// Properties are those of an object, in the order in which they are declared, which forms keep.
type Properties []Property

// MarshalJSON writes the object of the properties.
func (p Properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(p[i].Name) // a string always has a JSON form
		text, err := json.Marshal(&p[i].Schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%s", name, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Event is the schema of what an event carries, by its index in d.
func Event(d *machine.Definition, event int) Schema {
	return Object(d, d.Events[event].Fields)
}

// Params is the schema of the parameters with which a run of d starts.
func Params(d *machine.Definition) Schema { return Object(d, d.Params) }

// Object is the schema of an object of fields: the leaves of a record stand in an object of
// its name.
func Object(d *machine.Definition, fields []machine.Field) Schema { return object(d, fields, "") }

// object is that of those fields whose names begin with prefix.
func object(d *machine.Definition, fields []machine.Field, prefix string) Schema {
	closed := false
	s := Schema{Type: "object", Closed: &closed}
	for i := range fields {
		f := &fields[i]
		rest, within := strings.CutPrefix(f.Name, prefix)
		if !within {
			continue
		}
		name, _, record := strings.Cut(rest, ".")
		if slices.ContainsFunc(s.Properties, func(p Property) bool { return p.Name == name }) {
			continue // another leaf of a record
		}
		var of Schema
		required := sure(f, prefix)
		if record {
			inner := prefix + name + "."
			of = object(d, fields, inner)
			required = slices.ContainsFunc(fields, func(g machine.Field) bool { return strings.HasPrefix(g.Name, inner) && sure(&g, prefix) })
		} else {
			of = Of(d, &f.Type)
			of.describe(f.Doc)
		}
		s.Properties = append(s.Properties, Property{name, of})
		if required {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// sure reports whether f is there whenever the object is whose fields have that prefix: nothing in
// it that may be absent is around f.
func sure(f *machine.Field, prefix string) bool {
	if len(f.Within) > 0 {
		return len(f.Within[len(f.Within)-1]) < len(prefix)
	}
	return !f.Optional
}

// describe puts what a field says of itself before what its type does.
func (s *Schema) describe(doc string) {
	if doc == "" {
		return
	}
	if s.Description != "" {
		doc += " (" + s.Description + ")"
	}
	s.Description = doc
}

// durations is the form of a duration: that of time.ParseDuration.
const durations = `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// Of is the schema of a value of type t.
func Of(d *machine.Definition, t *machine.Type) Schema {
	switch t.Kind {
	case machine.Bool:
		return Schema{Type: "boolean"}
	case machine.Int:
		return Schema{Type: "integer", Minimum: t.Min, Maximum: t.Max}
	case machine.Float:
		return Schema{Type: "number"}
	case machine.DurationKind:
		return Schema{Type: "string", Pattern: durations, Description: d.TypeName(t) + `, such as "1m30s"`}
	case machine.TimeKind:
		return Schema{Type: "string", Format: "date-time"}
	case machine.EnumKind:
		return Schema{Type: "string", Enum: d.Enums[t.Enum].Values, Description: d.TypeName(t)}
	case machine.RecordKind:
		return Object(d, t.Fields)
	case machine.ListKind:
		s := Schema{Type: "array"}
		if t.Elem != nil {
			items := Of(d, t.Elem)
			s.Items = &items
		}
		if t.Len != nil {
			s.MinItems, s.MaxItems = &t.Len.Min, &t.Len.Max
		}
		return s
	case machine.JSON:
		return Schema{Description: "any JSON"}
	}
	return Schema{Type: "string"}
}
