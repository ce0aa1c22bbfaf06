package golang

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// block writes the effects of b. All right sides read the values from before
// it: where there are several effects they are computed first and stored last.
func (x *exprs) block(b *ir.Block) string {
	if b == nil || len(b.Assigns)+len(b.Publishes) == 0 {
		return ""
	}
	var values, stores strings.Builder
	many := len(b.Assigns)+len(b.Publishes) > 1
	grows := false
	for _, a := range b.Assigns {
		x.assign(&values, &stores, a, many)
		grows = grows || isLong(a.Var.Type)
	}
	for _, e := range b.Publishes {
		x.publish(&values, e)
	}
	code := values.String() + stores.String()
	if grows && x.c.unbounded {
		x.fails, x.c.sized = true, true
		code += "t.checkSize(s)\n"
	}
	if strings.Contains(code, ":=") {
		code = "{\n" + code + "}\n"
	}
	return code
}

// assign writes to out what has to be computed first for a, and to stores what is stored then.
func (x *exprs) assign(out, stores *strings.Builder, a *ir.Assign, many bool) {
	t, s := a.Var.Type, x.c.m.stored(a.Var)
	tells := x.c.tells(a.Var)
	value := given{set: never}
	if a.Value != nil {
		value = x.orUnset(a.Value)
	}
	if value.set == never { // with all that it is set together with
		if tells {
			fmt.Fprintf(stores, "%s = %s{}\n", s.optional, s.typ)
		}
		return
	}
	local := "new" + localName(a.Var.Name)
	check := x.misfit(t, a.Value, local, "field "+quote(a.Var.Name))
	_, constant := a.Value.(*ir.Lit)
	same := value.code == s.value
	if check != "" || many && !constant && !same {
		fmt.Fprintf(out, "%s := %s\n%s", local, x.typed(a.Value, value.code), ifSet(value.set, check))
		value.code = local
	}
	if a.Var.Within.Group() == a.Var.Name && t.Kind == ir.JSON {
		value.set = notNull(value.set, value.code)
	}
	if many && value.set != "" && tells {
		fmt.Fprintf(out, "%sSet := %s\n", local, value.set)
		value.set = local + "Set"
	}
	set := cmp.Or(value.set, "true")
	if tells && a.Var.Type == a.Var.DeclaredType() {
		fmt.Fprintf(stores, "%s = %s{Value: %s, Set: %s}\n", s.optional, s.typ, value.code, set)
		return
	}
	if value.code != s.value { // which go vet takes for a slip
		fmt.Fprintf(stores, "%s = %s\n", s.value, value.code)
	}
	if tells {
		fmt.Fprintf(stores, "%s.Set = %s\n", s.optional, set)
	}
}

// tells reports whether v, a field that may be unset, is the one among those which are set and unset
// together with it that says so.
func (c *corePrinter) tells(v *ir.Var) bool {
	if c.m.stored(v).optional == "" {
		return false
	}
	for _, w := range c.m.src.Fields {
		if w.Together(v) && w.Within.Group() == v.Within.Group() {
			return w == v
		}
	}
	return false
}

// typed keeps Go from taking an int made of literals for its own int.
func (x *exprs) typed(e ir.Expr, code string) string {
	if e.Type().Kind == ir.Int {
		return "int64(" + code + ")"
	}
	return code
}

// misfit writes a check that the value of e, held by local, fits t; nothing
// where every value that it can have does.
func (x *exprs) misfit(t *ir.Type, e ir.Expr, local, what string) string {
	if alwaysFits(e, t) {
		return ""
	}
	x.fails = true
	fail := func(why string) string { return "t.fail(" + quote(what+": "+why) + ")" }
	if t.Kind == ir.List && itemsFit(e, t) {
		return x.c.lengthCheck(t, local, fail)
	}
	return x.c.checks(t, local, fail)
}

// alwaysFits reports whether every value of e fits t, as far as ranges say: the
// other properties of a value are kept by every operation.
func alwaysFits(e ir.Expr, t *ir.Type) bool {
	if _, ok := e.(*ir.Absent); ok {
		return true
	}
	switch t.Kind {
	case ir.Int, ir.Duration:
		return valuesOf(e).clip().within(t.Range)
	case ir.List:
		return lengthsOf(e).within(t.Len) && itemsFit(e, t)
	case ir.RecordKind:
		list := ir.Leaves(e)
		for i, l := range t.Leaves() {
			if !alwaysFits(list[i], l.Type) {
				return false
			}
		}
	}
	return true
}

// itemsFit reports whether every item that the list e can have fits t, as far as ranges
// say.
func itemsFit(e ir.Expr, t *ir.Type) bool {
	if sum, ok := e.(*ir.Binary); ok {
		return itemsFit(sum.X, t) && alwaysFits(sum.Y, t.Elem)
	}
	return narrower(e.Type().Elem, t.Elem)
}

// narrower reports whether every value of t fits u, as far as ranges say.
func narrower(t, u *ir.Type) bool {
	if t == nil || u == nil || t.Elem == nil && t.Kind == ir.List {
		return true
	}
	if t.Kind == ir.List {
		return lengthOf(t).within(u.Len) && narrower(t.Elem, u.Elem)
	}
	return t.Kind != ir.Int && t.Kind != ir.Duration || rangeOf(t).within(u.Range)
}

func (x *exprs) publish(out *strings.Builder, p *ir.Publish) {
	event := x.c.m.ev[p.Event]
	var leaves []given
	var fields []string
	for i, e := range p.Values {
		f := p.Event.Fields[i]
		value := x.orUnset(e)
		local := "out" + exported(p.Event.Name) + localName(f.Name)
		if check := x.misfit(f.Type, e, local, "event "+quote(p.Event.Name)+": field "+quote(f.Name)); check != "" {
			fmt.Fprintf(out, "%s := %s\n%s", local, x.typed(e, value.code), ifSet(value.set, check))
			value.code = local
		}
		leaves = append(leaves, value)
	}
	for _, f := range event.Payload.Fields {
		n := f.typ.Count()
		fields = append(fields, f.Name+": "+x.c.m.compose(f.typ, f.Optional, leaves[:n]))
		leaves = leaves[n:]
	}
	data := when(len(fields) > 0,
		fmt.Sprintf(", Data: %sStepPayload{%s: %s{%s}}", x.c.m.Name, exported(p.Event.Name), event.Payload.Type, strings.Join(fields, ", ")))
	fmt.Fprintf(out, "t.publish(%sOutMessage{Event: %s%s})\n", x.c.m.Name, event.Const, data)
}

// isLong reports whether a value of t may be long.
func isLong(t *ir.Type) bool { return t.Kind == ir.String || t.Kind == ir.JSON || t.Kind == ir.List }

// holdsText reports whether a value of t is or holds strings, and nothing else.
func holdsText(t *ir.Type) bool {
	for t.Kind == ir.List && t.Elem != nil {
		t = t.Elem
	}
	for _, l := range t.Leaves() {
		if t.Kind == ir.RecordKind && !holdsText(l.Type) {
			return false
		}
	}
	return t.Kind == ir.String || t.Kind == ir.JSON || t.Kind == ir.RecordKind
}

// checks writes statements that call fail with why v, a Go expression, is no
// value of t; nothing where it always is one.
func (c *corePrinter) checks(t *ir.Type, v string, fail func(why string) string) string {
	expected := "expected " + t.String()
	when := func(cond, why string) string { return "if " + cond + " {\n" + fail(why) + "\n}\n" }
	switch t.Kind {
	case ir.Int, ir.Duration:
		if t.Range != nil {
			lo, hi := &ir.Const{Kind: t.Kind, Int: t.Range.Lo}, &ir.Const{Kind: t.Kind, Int: t.Range.Hi}
			x := &exprs{c: c}
			return when(v+" < "+x.literal(lo, t, precAdd)+" || "+v+" > "+x.literal(hi, t, precAdd), "it is out of range, "+expected)
		}
	case ir.Float:
		return when("math.IsInf("+v+", 0) || math.IsNaN("+v+")", "a float is finite")
	case ir.String, ir.JSON:
		valid := "utf8.ValidString"
		if t.Kind == ir.JSON {
			valid = "utf8.Valid"
		}
		return when("len("+v+") > 1<<20 || !"+valid+"("+v+")", "it is not valid UTF-8, or longer than 1 MiB")
	case ir.Time:
		return when(v+".UTC().Year() < 1 || "+v+".UTC().Year() > 9999", "a time lies in the years 1 to 9999")
	case ir.EnumKind:
		return when(fmt.Sprintf("%s == 0 || int(%s) >= len(%sNames)", v, v, unexported(c.m.enum[t.Enum].Type)), "it is none of the values of "+t.Enum.Name)
	case ir.RecordKind:
		return c.m.whereSet(t, v, false, "", func(l ir.RecordLeaf, v, name string) string {
			return c.checks(l.Type, v, func(why string) string { return fail(name + ": " + why) })
		})
	case ir.List:
		return c.lengthCheck(t, v, fail) + eachItem(v, c.checks(t.Elem, "item", fail))
	}
	return ""
}

// eachItem runs what check does for each item of the list v.
func eachItem(v, check string) string {
	return when(check != "", "for _, item := range "+v+" {\n"+check+"}\n")
}

// lengths is the part of checks that speaks of the lengths of lists.
func (c *corePrinter) lengths(t *ir.Type, v string, fail func(why string) string) string {
	switch t.Kind {
	case ir.RecordKind:
		return c.m.whereSet(t, v, false, "", func(l ir.RecordLeaf, v, name string) string {
			return c.lengths(l.Type, v, func(why string) string { return fail(name + ": " + why) })
		})
	case ir.List:
		return c.lengthCheck(t, v, fail) + eachItem(v, c.lengths(t.Elem, "item", fail))
	}
	return ""
}

// lengthCheck is the part of checks that speaks of the length of t, a list.
func (c *corePrinter) lengthCheck(t *ir.Type, v string, fail func(why string) string) string {
	if t.Len == nil {
		return ""
	}
	n := "int64(len(" + v + "))"
	cond := fmt.Sprintf("%s > %d", n, t.Len.Hi)
	if t.Len.Lo > 0 {
		cond = fmt.Sprintf("%s < %d || %s", n, t.Len.Lo, cond)
	}
	return "if " + cond + " {\n" + fail("its length is out of range, expected "+t.String()) + "\n}\n"
}
