package replay

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Records that may be absent. Whether one is there is chosen by the first of the leaves that are
// set and unset together with it; the others follow. So a choice for all leaves is made for each
// by itself, and then made whole.

// spot is a leaf of an event or a list of parameters, by what the choice of its value depends on.
type spot struct {
	name   string
	within ir.Within
}

// together reports whether s is set and unset together with other leaves.
func (s spot) together() bool { return len(s.within) > 0 && s.within.Group() != s.name }

// spotsOf are the leaves of an event.
func spotsOf(fields []*ir.EventField) []spot {
	out := make([]spot, len(fields))
	for i, f := range fields {
		out[i] = spot{f.Name, f.Within}
	}
	return out
}

// spotsOfVars are the leaves of parameters.
func spotsOfVars(vars []*ir.Var) []spot {
	out := make([]spot, len(vars))
	for i, v := range vars {
		out[i] = spot{v.Name, v.Within}
	}
	return out
}

// heads are the places of the first leaves of what may be absent, by its name.
func heads(spots []spot) map[string]int {
	out := map[string]int{}
	for i, s := range spots {
		if group := s.within.Group(); group != "" {
			if _, found := out[group]; !found {
				out[group] = i
			}
		}
	}
	return out
}

// made is values, one for each spot, where what is within something that is absent is absent, too.
func made(spots []spot, heads map[string]int, values []machine.Value) []machine.Value {
	out := slices.Clone(values)
	for i, s := range spots {
		for _, name := range s.within {
			if !values[heads[name]].IsSet() {
				out[i] = machine.Unset
			}
		}
	}
	return out
}

// isAbsent reports whether a witness says that something is absent that s is within.
func isAbsent(said map[string]any, s spot) bool {
	return slices.ContainsFunc(s.within, func(name string) bool {
		x, isSaid := said[name]
		return isSaid && x == nil
	})
}

// isPresent reports whether a witness says that what is called name, a record that may be absent,
// is there: of it, or by a value in it.
func isPresent(said map[string]any, name string) bool {
	return said[name] == witness.Present || ir.AnyBelow(said, name)
}

// shared are the values to try for s, which is set and unset together with others, of tried, which
// are those for one that is there. Free says whether anything depends on whether it is.
func shared(said map[string]any, s spot, head, free bool, tried []machine.Value) []machine.Value {
	switch present := isPresent(said, s.within.Group()); {
	case !present && !free:
		return []machine.Value{machine.Unset}
	case !present && head:
		return append(slices.Clip(tried), machine.Unset)
	}
	return tried
}

// anyWithin reports whether one of the leaves that are in what is called name is among names.
func anyWithin(spots []spot, name string, names map[string]bool) bool {
	return slices.ContainsFunc(spots, func(s spot) bool { return names[s.name] && slices.Contains(s.within, name) })
}

// shownGroup is the outermost record that may be absent and is, of those that s is within, given
// the values of all; empty where there is none.
func shownGroup(spots []spot, heads map[string]int, s spot, value func(name string) machine.Value) string {
	for _, name := range s.within {
		if name != s.name && !value(spots[heads[name]].name).IsSet() {
			return name
		}
	}
	return ""
}
