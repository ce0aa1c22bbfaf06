package contracttest

import (
	"fmt"
	"strings"
)

// name is the place that e is about.
func (e *Effect) name() string {
	if e.Record != nil {
		return e.Record.Name
	}
	return e.Field.Name
}

// value is what e gives, as source.
func (m *Machine) value(e *Effect) string {
	switch {
	case e.From != nil && e.Op == "field":
		return e.From.Name
	case e.From != nil:
		return "event." + e.From.Name
	case e.Parts != nil:
		var list []string
		for _, part := range e.Parts {
			list = append(list, last(part.name())+" = "+m.value(part))
		}
		return strings.TrimSuffix(m.recordType(e.Record), "?") + " { " + strings.Join(list, ", ") + " }"
	case e.Value == nil:
		return "unset"
	}
	return text(e.Value)
}

// asked is what e asks for: of the place that tells whether a record is there, the record.
func (e *Expr) asked() string {
	if r := e.Field.In; r != nil && e.Field == r.head() {
		return r.Name
	}
	return e.Field.Name
}

// text is e as source, with more parentheses than it needs. A literal has its
// kind in Field.
func text(e *Expr) string {
	switch e.Op {
	case "lit":
		return literal(e.Field.Kind, e.Val)
	case "field":
		return e.Field.Name
	case "event":
		return "event." + e.Field.Name
	case "host":
		return fmt.Sprintf("h%d()", e.Host)
	case "isset":
		return e.asked() + " is set"
	case "sent", "has":
		return "event." + e.asked() + " is set"
	case "item":
		return "event." + e.Field.Name
	case "!":
		return "!(" + text(e.Args[0]) + ")"
	case "len":
		return "len(" + text(e.Args[0]) + ")"
	case "append":
		return text(e.Args[0]) + " + true"
	case "&&", "||":
		return "(" + text(e.Args[0]) + ") " + e.Op + " (" + text(e.Args[1]) + ")"
	case "min", "max":
		return e.Op + "(" + text(e.Args[0]) + ", " + text(e.Args[1]) + ")"
	}
	return text(e.Args[0]) + " " + e.Op + " " + text(e.Args[1])
}
