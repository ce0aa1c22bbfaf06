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
	case ir.RecordKind:
		return m.rec[t.Record].Type
	case ir.List:
		return "[]" + m.goType(t.Elem)
	}
	return "json.RawMessage"
}

// runtimeOptional is the type of what may be unset, but for a core.
const runtimeOptional = "runtime.Optional"

// goTypeOf is the Go type of a field or parameter of type t, which may be unset or not.
func (m *machinePlan) goTypeOf(t *ir.Type, unset bool) string {
	if unset {
		return m.Optional + "[" + m.goType(t) + "]"
	}
	return m.goType(t)
}
