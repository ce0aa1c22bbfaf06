package oracletest

import "github.com/fsmc-dev/fsmc/runtime"

// Free reports whether a path may depend on what the checker does not follow by
// value (language.md, section 7): strings, durations, and ints without a range
// that are compared with one another, and durations that are computed. It may
// then leave a question undecided, and a figure is an upper bound.
func (s *Space) Free() bool {
	free := false
	for _, e := range conditions(s.Def) {
		visit(e, func(e *runtime.Expr) {
			switch e.Op {
			case "==", "!=", "<", "<=", ">", ">=":
				free = free || e.Args[0].Op != "lit" && e.Args[1].Op != "lit" && !finite(&e.Args[0].Type)
			}
		})
	}
	for _, b := range blocks(s.Def) {
		for _, a := range b.Assigns {
			free = free || a.Value != nil && len(a.Value.Args) > 0 && a.Value.Type.Kind == runtime.DurationKind
		}
	}
	return free
}

func finite(t *runtime.Type) bool {
	switch t.Kind {
	case runtime.Bool, runtime.EnumKind:
		return true
	case runtime.Int:
		return t.Min != nil
	}
	return false
}
