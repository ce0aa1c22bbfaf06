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

// spots are the leaves of an event, of a list of parameters, or of an item.
type spots struct {
	list  []*ir.Slot
	heads map[string]int // by the name of what may be absent: the place of its first leaf
}

func spotsOf(list []*ir.Slot) spots {
	out := spots{list, map[string]int{}}
	for i, s := range list {
		if group := s.Within.Group(); group != "" {
			if _, found := out.heads[group]; !found {
				out.heads[group] = i
			}
		}
	}
	return out
}

// inGroup reports whether s is set and unset together with other leaves.
func inGroup(s *ir.Slot) bool { return len(s.Within) > 0 && s.Within.Group() != s.Name }

// made is values, one for each spot, where what is within something that is absent is absent, too.
func (l spots) made(values []machine.Value) []machine.Value {
	out := slices.Clone(values)
	for i, s := range l.list {
		for _, name := range s.Within {
			if !values[l.heads[name]].IsSet() {
				out[i] = machine.Unset
			}
		}
	}
	return out
}

// isAbsent reports whether a witness says that something is absent that s is within.
func isAbsent(said map[string]any, s *ir.Slot) bool {
	return slices.ContainsFunc(s.Within, func(name string) bool {
		x, isSaid := said[name]
		return isSaid && x == nil
	})
}

// shared are the values to try for spot i, which is set and unset together with others, of tried, which
// are those for one that is there. Free says whether anything depends on whether it is. A witness says that
// a record is there by its name, or by a value in it.
func (l spots) shared(said map[string]any, i int, free bool, tried []machine.Value) []machine.Value {
	group := l.list[i].Within.Group()
	switch present := said[group] == witness.Present || ir.AnyBelow(said, group); {
	case !present && !free:
		return []machine.Value{machine.Unset}
	case !present && l.heads[group] == i:
		return append(slices.Clip(tried), machine.Unset)
	}
	return tried
}

// anyWithin reports whether one of the leaves that are in what is called name is among names.
func (l spots) anyWithin(name string, names map[string]bool) bool {
	return slices.ContainsFunc(l.list, func(s *ir.Slot) bool { return names[s.Name] && slices.Contains(s.Within, name) })
}

// shownGroup is the outermost record that may be absent and is, of those that s is within, given
// the values of all; empty where there is none.
func (l spots) shownGroup(s *ir.Slot, values []machine.Value) string {
	for _, name := range s.Within {
		if name != s.Name && !values[l.heads[name]].IsSet() {
			return name
		}
	}
	return ""
}
