package contracttest

import "fmt"

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
		return e.Field.Name + " is set"
	case "sent":
		return "event." + e.Field.Name + " is set"
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
