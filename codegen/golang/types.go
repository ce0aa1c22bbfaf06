package golang

import "github.com/fsmc-dev/fsmc/lang/ir"

// goType is the Go type of values of t.
func (m *machinePlan) goType(t *ir.Type) string {
	switch t.Kind {
	case ir.Bool:
		return "bool"
	case ir.Int:
		return "int64"
	case ir.Float:
		return "float64"
	case ir.String:
		return "string"
	case ir.Duration:
		return "time.Duration"
	case ir.Time:
		return "time.Time"
	case ir.EnumKind:
		return m.enum[t.Enum].Type
	case ir.List:
		return "[]" + m.goType(t.Elem)
	}
	return "json.RawMessage"
}

// wireNeeds are the parts of the JSON forms of a machine that it makes use of.
type wireNeeds struct{ duration, time, list, each, json bool }

// sameOnWire reports whether encoding/json reads and writes t in its JSON form.
func sameOnWire(t *ir.Type) bool {
	switch t.Kind {
	case ir.Duration, ir.Time:
		return false
	case ir.List:
		return sameOnWire(t.Elem)
	}
	return true
}

// plainStruct reports whether a struct needs no JSON methods: field tags say
// all. Lists need them, because a nil one is an empty array, and not null.
func plainStruct(s *structPlan) bool {
	for _, f := range s.Fields {
		if f.typ.Kind == ir.List || !sameOnWire(f.typ) {
			return false
		}
	}
	return true
}

// wireType is the type through which values of t are written and read as JSON.
func (m *machinePlan) wireType(t *ir.Type) string {
	switch {
	case sameOnWire(t):
		return m.goType(t)
	case t.Kind == ir.Duration:
		m.wire.duration = true
		return m.low + "Duration"
	case t.Kind == ir.Time:
		m.wire.time = true
		return m.low + "Time"
	}
	return "[]" + m.wireType(t.Elem)
}

// toWire turns the Go expression x, of type t, into its wire type.
func (m *machinePlan) toWire(t *ir.Type, x string) string {
	switch {
	case t.Kind == ir.List && sameOnWire(t) && t.Elem.Kind != ir.List:
		m.wire.list = true
		return m.low + "List(" + x + ")"
	case t.Kind == ir.List:
		return m.each(t, x, m.goType(t.Elem), m.wireType(t.Elem), m.toWire)
	case sameOnWire(t):
		return x
	}
	return m.wireType(t) + "(" + x + ")"
}

// fromWire turns the Go expression x, of t's wire type, into type t.
func (m *machinePlan) fromWire(t *ir.Type, x string) string {
	switch {
	case sameOnWire(t):
		return x
	case t.Kind == ir.List:
		return m.each(t, x, m.wireType(t.Elem), m.goType(t.Elem), m.fromWire)
	}
	return m.goType(t) + "(" + x + ")"
}

func (m *machinePlan) each(t *ir.Type, x, from, to string, turn func(*ir.Type, string) string) string {
	m.wire.each = true
	return m.low + "Each(" + x + ", func(v " + from + ") " + to + " { return " + turn(t.Elem, "v") + " })"
}

// holdsJSON reports whether a value of type json is part of s.
func holdsJSON(s *structPlan) bool {
	for _, f := range s.Fields {
		t := f.typ
		for t.Kind == ir.List {
			t = t.Elem
		}
		if t.Kind == ir.JSON {
			return true
		}
	}
	return false
}
