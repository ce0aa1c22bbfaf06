package breaking

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// fingerprint is the text of m in an order that does not depend on that of its
// declarations, without comments. Machines with one text mean the same; those that mean
// the same may have two, such as where a type has another name.
func fingerprint(m *ir.Machine) string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, v := range slices.Concat(m.Params, m.Own, m.Fields) {
		add("var %t %s %t %s = %s", v.Param, v.Name, v.Optional, typeText(v.Type), constText(v.Default))
	}
	for _, e := range m.Events {
		add("event %s %t%s", e.Name, e.External(), slotsText(ir.Slots(e.Fields)))
	}
	for _, a := range m.Activities {
		add("activity %s%s", a.Name, activityText(a))
	}
	for _, g := range m.Guards {
		add("guard %s%s", g.Name, slotsText(ir.Slots(g.Params)))
	}
	for _, a := range m.Asserts {
		add("assert %s", assertText(a))
	}
	add("budget %s", budgetText(m.Budget))
	for _, s := range m.States {
		add("state %s %s", s.Path, stateText(s))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func typeText(t *ir.Type) string {
	switch t.Kind {
	case ir.EnumKind:
		return "enum" + strings.Join(slices.Sorted(slices.Values(t.Enum.Values)), ",")
	case ir.List:
		if t.Elem == nil {
			break
		}
		return fmt.Sprintf("list %v of %s", rangeText(t.Len), typeText(t.Elem))
	case ir.RecordKind:
		leaf := func(l ir.RecordLeaf) string { return fmt.Sprintf("%s %v %s", l.Path, l.Within, typeText(l.Type)) }
		return "record{" + strings.Join(sorted(t.Leaves(), leaf), ";") + "}"
	}
	return t.String()
}

func rangeText(r *ir.Range) string {
	if r == nil {
		return "any"
	}
	return strconv.FormatInt(r.Lo, 10) + ".." + strconv.FormatInt(r.Hi, 10)
}

func constText(c *ir.Const) string {
	if c == nil {
		return "unset"
	}
	if c.Kind == ir.EnumKind {
		return c.Str
	}
	return c.Text()
}

func slotsText(list []*ir.Slot) string {
	slot := func(s *ir.Slot) string { return fmt.Sprintf(" %s %t %s", s.Name, s.Optional, typeText(s.Type)) }
	return strings.Join(sorted(list, slot), ";")
}

func activityText(a *ir.Activity) string {
	fails := sorted(a.Fails, func(c *ir.Category) string { return c.Name })
	return fmt.Sprint(slotsText(ir.Slots(a.Params)), sorted(a.Results, eventName), fails, sorted(a.Costs, costText), a.Limit, a.Machine != nil)
}

func costText(c ir.Cost) string { return c.Name + " " + c.Amount.RatString() }

func budgetText(b *ir.Budget) string {
	if b == nil {
		return "none"
	}
	return fmt.Sprint(numberText(b.Steps), numberText(b.Time), sorted(b.Costs, costText))
}

func numberText(n *int64) string {
	if n == nil {
		return "none"
	}
	return strconv.FormatInt(*n, 10)
}

func assertText(a *ir.Assert) string {
	return fmt.Sprint(a.About(), " ", a.Verb, " ", slices.Sorted(slices.Values(ir.Paths(a.Objects))), a.N)
}

// sorted are what text says of each of list, whose order says nothing.
func sorted[T any](list []T, text func(T) string) []string {
	var out []string
	for _, x := range list {
		out = append(out, text(x))
	}
	slices.Sort(out)
	return out
}
