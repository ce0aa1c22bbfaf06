package breaking

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// change is how the values of a type differ from those of an older one.
type change struct {
	retyped  bool // another kind of value; then nothing else is said
	narrowed bool // some old value is none any more
	widened  bool // some value was none before
}

func (c change) none() bool { return c == change{} }

func (c change) or(d change) change {
	if c.retyped || d.retyped {
		return change{retyped: true}
	}
	return change{narrowed: c.narrowed || d.narrowed, widened: c.widened || d.widened}
}

// changeOf compares types by what values they have: the name of an enum or a record
// counts for nothing, since no JSON form has it.
func changeOf(old, new *ir.Type) change {
	switch {
	case old == nil || new == nil || old.Kind == ir.Invalid || new.Kind == ir.Invalid:
		return change{}
	case old.Kind != new.Kind:
		return change{retyped: true}
	case old.Kind == ir.EnumKind:
		return change{narrowed: len(lacking(new.Enum.Values, old.Enum.Values)) > 0, widened: len(lacking(old.Enum.Values, new.Enum.Values)) > 0}
	case old.Kind == ir.List:
		return changeOf(old.Elem, new.Elem).or(changeOfRange(old.Len, new.Len))
	case old.Kind == ir.RecordKind:
		return changeOfRecord(old, new)
	}
	return changeOfRange(old.Range, new.Range)
}

func changeOfRange(old, new *ir.Range) change {
	return change{
		narrowed: new != nil && (old == nil || old.Lo < new.Lo || old.Hi > new.Hi),
		widened:  old != nil && (new == nil || new.Lo < old.Lo || new.Hi > old.Hi),
	}
}

// changeOfRecord is that of the items of a list: a record that is no item is its leaves.
func changeOfRecord(old, new *ir.Type) change {
	var all change
	leaves := new.Leaves()
	for _, was := range old.Leaves() {
		i := slices.IndexFunc(leaves, func(l ir.RecordLeaf) bool { return l.Path == was.Path })
		if i < 0 {
			return change{retyped: true}
		}
		all = all.or(changeOf(was.Type, leaves[i].Type))
		all = all.or(change{narrowed: was.Optional && !leaves[i].Optional, widened: !was.Optional && leaves[i].Optional})
		leaves = slices.Delete(leaves, i, i+1)
	}
	for _, l := range leaves {
		if !l.Optional {
			return change{retyped: true}
		}
		all.widened = true
	}
	return all
}

// lacking are those of names that are not in list.
func lacking(list, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(list, n) })
}
