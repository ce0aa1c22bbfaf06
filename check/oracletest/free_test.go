package oracletest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Free reports whether a path may depend on what the checker does not follow by
// value (language.md, section 7): strings, durations, and ints without a range
// that are compared with one another, and durations that are computed. It may
// then leave a question undecided, and a figure is an upper bound.
func (s *Space) Free() bool {
	free := false
	changes := s.assigned()
	known := func(e *machine.Expr) bool {
		return e.Op == "lit" || e.Op == "field" && !changes[e.Index] && s.Def.Fields[e.Index].Default != nil
	}
	for _, e := range conditions(s.Def) {
		visit(e, func(e *machine.Expr) {
			switch e.Op {
			case "event":
				free = free || strings.HasPrefix(e.Name, "item.") // of one step the next knows nothing of it
			case "==", "!=", "<", "<=", ">", ">=":
				free = free || !known(e.Args[0]) && !known(e.Args[1]) && !finite(&e.Args[0].Type)
			}
		})
	}
	for _, b := range blocks(s.Def) {
		for _, a := range b.Assigns {
			free = free || a.Value != nil && len(a.Value.Args) > 0 && a.Value.Type.Kind == machine.DurationKind
		}
	}
	return free
}

// assigned marks the fields that some block gives another value than their default,
// by index. The others are constants.
func (s *Space) assigned() []bool {
	out := make([]bool, len(s.Def.Fields))
	for _, b := range blocks(s.Def) {
		for _, a := range b.Assigns {
			same := a.Value != nil && a.Value.Op == "lit" && bytes.Equal(a.Value.Value, s.Def.Fields[a.Field].Default)
			out[a.Field] = out[a.Field] || !same
		}
	}
	return out
}

// Fans reports whether an activity runs for the elements of a list. The waits of their
// retries are not followed.
func (s *Space) Fans() bool {
	return slices.ContainsFunc(s.Def.Dos, func(do machine.Do) bool { return do.Fan != nil })
}

// Timed reports whether the order of timers, or of time limits beside each other,
// may decide what a run does.
func (s *Space) Timed() bool {
	if len(s.Def.Timers) > 0 {
		return true
	}
	for _, do := range s.Def.Dos {
		if do.Fan != nil && (do.Timeout != nil || do.Heartbeat != nil || do.Progress != nil) {
			return true
		}
	}
	for i := range s.Def.States {
		if len(s.Def.States[i].Dos) < 2 {
			continue
		}
		for _, d := range s.Def.States[i].Dos {
			if do := &s.Def.Dos[d]; do.Timeout != nil || do.Heartbeat != nil || do.Progress != nil {
				return true
			}
		}
	}
	return false
}

func finite(t *machine.Type) bool {
	switch t.Kind {
	case machine.Bool, machine.EnumKind:
		return true
	case machine.Int:
		return t.Min != nil
	}
	return false
}
