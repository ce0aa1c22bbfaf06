package breaking

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// slotChange is one place of a payload, of parameters or of values that a run returns, that
// differs; old or new is nil where it is on one side alone.
type slotChange struct {
	old, new *ir.Slot
	change
}

// compareSlots lists the slots that differ, the old ones first.
func compareSlots(old, new []*ir.Slot) []slotChange {
	var out []slotChange
	for _, was := range old {
		at := slices.IndexFunc(new, func(s *ir.Slot) bool { return s.Name == was.Name })
		if at < 0 {
			out = append(out, slotChange{old: was})
			continue
		}
		is := new[at]
		c := changeOf(was.Type, is.Type)
		if !c.retyped {
			c = c.or(change{narrowed: was.Optional && !is.Optional, widened: !was.Optional && is.Optional})
		}
		if !c.none() {
			out = append(out, slotChange{was, is, c})
		}
	}
	for _, is := range new {
		if !slices.ContainsFunc(old, func(s *ir.Slot) bool { return s.Name == is.Name }) {
			out = append(out, slotChange{new: is})
		}
	}
	return out
}

// breaksGivers reports whether what was given in the slot before is refused now.
func (c *slotChange) breaksGivers() bool {
	if c.old == nil {
		return !c.new.Optional
	}
	return c.new == nil || c.retyped || c.narrowed
}

// text says what changed, as a clause behind the name of what has the slots: `field "x" is gone`.
func (c *slotChange) text(what string) string {
	switch {
	case c.new == nil:
		return what + " " + check.Quote(c.old.Name) + " is gone"
	case c.old == nil && c.new.Optional:
		return what + " " + check.Quote(c.new.Name) + " is new"
	case c.old == nil:
		return what + " " + check.Quote(c.new.Name) + " is new, and may not be absent"
	}
	name := what + " " + check.Quote(c.new.Name)
	was, is := slotText(c.old), slotText(c.new)
	if was == is {
		return name + " is another " + c.new.Type.Innermost().String() + otherValues(c.old.Type.Innermost().Enum, c.new.Type.Innermost().Enum)
	}
	return name + " was " + was + ", and is " + is
}

// otherValues says which values of an enum are gone, and which are new: `, without "A" and with "B"`.
func otherValues(old, new *ir.Enum) string {
	if old == nil || new == nil {
		return ""
	}
	var said []string
	if gone := lacking(new.Values, old.Values); len(gone) > 0 {
		said = append(said, "without "+check.And(gone))
	}
	if more := lacking(old.Values, new.Values); len(more) > 0 {
		said = append(said, "with "+check.And(more))
	}
	return ", " + strings.Join(said, " and ")
}

func slotText(s *ir.Slot) string {
	if s.Optional {
		return "an optional " + s.Type.String()
	}
	return s.Type.String()
}

// slotsOfVars are those of parameters or fields of a machine: a parameter with a default may be left out.
func slotsOfVars(vars []*ir.Var) []*ir.Slot {
	var out []*ir.Slot
	for _, v := range vars {
		s := v.Slot
		s.Optional = s.Optional || v.Param && v.Default != nil
		out = append(out, &s)
	}
	return out
}

func slotsOfReturns(of *ir.State) []*ir.Slot {
	var out []*ir.Slot
	for _, r := range of.Returns {
		s := r.Var.Slot
		s.Optional, s.Span = false, r.Span() // a terminal returns what is set
		out = append(out, &s)
	}
	return out
}
