package breaking

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// slot is one place of a payload, a list of parameters or a list of values that a run
// returns; of a record one of its leaves.
type slot struct {
	name     string
	typ      *ir.Type
	optional bool
	span     token.Span
}

// slotChange is one slot that differs; old or new is nil where it is on one side alone.
type slotChange struct {
	old, new *slot
	change
}

// compareSlots lists the slots that differ, the old ones first.
func compareSlots(old, new []slot) []slotChange {
	var out []slotChange
	for i := range old {
		was := &old[i]
		at := slices.IndexFunc(new, func(s slot) bool { return s.name == was.name })
		if at < 0 {
			out = append(out, slotChange{old: was})
			continue
		}
		is := &new[at]
		c := changeOf(was.typ, is.typ)
		if !c.retyped {
			c = c.or(change{narrowed: was.optional && !is.optional, widened: !was.optional && is.optional})
		}
		if !c.none() {
			out = append(out, slotChange{was, is, c})
		}
	}
	for i := range new {
		if !slices.ContainsFunc(old, func(s slot) bool { return s.name == new[i].name }) {
			out = append(out, slotChange{new: &new[i]})
		}
	}
	return out
}

// breaksGivers reports whether what was given in the slot before is refused now.
func (c *slotChange) breaksGivers() bool {
	if c.old == nil {
		return !c.new.optional
	}
	return c.new == nil || c.retyped || c.narrowed
}

// text says what changed, as a clause behind the name of what has the slots: `field "x" is gone`.
func (c *slotChange) text(what string) string {
	switch {
	case c.new == nil:
		return what + " " + check.Quote(c.old.name) + " is gone"
	case c.old == nil && c.new.optional:
		return what + " " + check.Quote(c.new.name) + " is new"
	case c.old == nil:
		return what + " " + check.Quote(c.new.name) + " is new, and may not be absent"
	}
	name := what + " " + check.Quote(c.new.name)
	was, is := slotText(c.old), slotText(c.new)
	if was == is {
		return name + " is another " + c.new.typ.Innermost().String()
	}
	return name + " was " + was + ", and is " + is
}

func slotText(s *slot) string {
	if s.optional {
		return "an optional " + s.typ.String()
	}
	return s.typ.String()
}

func slotsOfEvent(e *ir.Event) []slot {
	var out []slot
	for _, f := range e.Fields {
		out = append(out, slot{f.Name, f.Type, f.Optional, f.Span})
	}
	return out
}

func slotsOfParams(params []*ir.Param) []slot {
	var out []slot
	for _, p := range params {
		out = append(out, slot{p.Name, p.Type, p.Optional, p.Span})
	}
	return out
}

func slotsOfVars(vars []*ir.Var) []slot {
	var out []slot
	for _, v := range vars {
		out = append(out, slot{v.Name, v.Type, v.Optional || v.Default != nil, v.Span})
	}
	return out
}

func slotsOfReturns(s *ir.State) []slot {
	var out []slot
	for _, r := range s.Returns {
		out = append(out, slot{r.Var.Name, r.Var.Type, r.Var.MayBeUnset(), r.Span()})
	}
	return out
}
