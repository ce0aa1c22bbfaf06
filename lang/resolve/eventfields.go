package resolve

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// eventField is `event.x` or `event.x.y`: a field of one type in every trigger of the
// arm. Where its ranges differ from trigger to trigger it has the one that holds them all.
func (r *resolver) eventField(at token.Span, names []*ast.Name, sc scope) ir.Expr {
	text := quote("event." + names[0].Text)
	switch {
	case !sc.arm:
		r.report(unknownName, at, text+" is read where there is no event",
			"Read it in an arm of an `on`: in its `when`, its block or its `by`. To read it here, keep it in a field first.")
		return bad(at)
	case sc.timer:
		r.report(unknownName, at, text+" is read in the arm of a timer, which has no event", "Keep the value in a field first.")
		return bad(at)
	case len(sc.triggers) == 0:
		return bad(at) // they were reported
	}
	var t *ir.Type
	full := names[0].Text
	whole := map[string]bool{} // what may be absent, of some trigger
	var keys []*ast.Name
	for _, trigger := range sc.triggers {
		f := r.fieldOf(trigger, names[0])
		if f == nil || f.Type.Kind == ir.Invalid {
			return bad(at)
		}
		p, rest, found := r.walkTo(f.Type, names[1:])
		keys = rest
		for _, name := range p.within.Of(f.Name, f.Optional) {
			whole[name] = true
		}
		if t == nil {
			full = ir.Joined(names[0].Text, p.path)
		}
		switch {
		case !found:
			return bad(at)
		case t == nil:
			t = p.t
		case !t.Same(p.t):
			r.mismatch(at, quote("event."+full)+" is "+diag.Article(named(t))+" for "+quote(sc.triggers[0].Text())+" and "+
				diag.Article(named(p.t))+" for "+quote(trigger.Text()), "Give each trigger an `on` of its own, or the fields one type.")
			return bad(at)
		default:
			t = join(t, p.t)
		}
	}
	var within ir.Within
	for name := range whole {
		within = append(within, name)
	}
	slices.SortFunc(within, func(a, b string) int { return len(a) - len(b) }) // each has those before it in front
	e := r.leaves(at, t, "event."+full, func(_ int, l ir.RecordLeaf) ir.Expr {
		inner := slices.Concat(within, l.Within.Of(full, false))
		return &ir.FieldRef{E: ir.E{T: l.Type, At: at}, Name: ir.Joined(full, l.Path), Optional: len(inner) > 0, Within: inner}
	})
	return r.keys(e, keys, at, sc)
}

// fieldOf is the field of trigger called name; nil where there is none, which
// is then reported.
func (r *resolver) fieldOf(trigger *ir.Trigger, name *ast.Name) *ir.EventField {
	if trigger.Kind != ir.OnEvent && trigger.Kind != ir.OnFailed {
		r.report(unknownName, name.Span(), quote(trigger.Text())+" carries no fields, so there is no "+quote("event."+name.Text),
			"Keep the value in a field before.")
		return nil
	}
	if f := r.payload[trigger.Event][name.Text]; f != nil {
		r.referTo(name, f)
		return f // one of a record is no field of the trigger, but its leaves are
	}
	if f := trigger.Field(name.Text); f != nil {
		r.referTo(name, f)
		return f
	}
	if e := trigger.Element; e != nil && e.Item != nil && name.Text == ir.ItemField {
		r.referWord(name)
		return &ir.EventField{Slot: ir.Slot{Name: name.Text, Type: e.Item}} // a record, likewise
	}
	message, help := "event "+quote(trigger.Text())+" has no field "+quote(name.Text), "Add it to the event, or read one of its fields."
	if terminal := trigger.Event; terminal != nil && terminal.Terminal != nil {
		help = "Let " + quote(terminal.Exit()) + " return it, as in `terminal " + terminal.Exit() + " returns " + name.Text + "`, or read what it returns."
	}
	if trigger.Kind == ir.OnFailed {
		message, help = "a failure has no field "+quote(name.Text), "It has category, message, activity and attempt."
	} else if trigger.Label != "" {
		message = "event " + quote(trigger.Event.Name) + " has no field " + quote(name.Text)
	}
	fields := map[string]bool{}
	for _, f := range trigger.Fields() {
		fields[f.Declared()] = true
	}
	nearest := near(r, name.Text, fields)
	switch {
	case name.Text == ir.IndexField || name.Text == ir.ItemField:
		r.report(unknownName, name.Span(), message,
			"Only a result or a failure of an activity that runs `for` each element of a list has it: name that activity by its label.")
	case nearest != "" || !r.partial[trigger.Event]:
		r.misspelt(unknownName, name.Span(), message, help, nearest)
	}
	return nil
}

// join is the type that holds the values of t and u, which are the same but
// for their ranges and lengths.
func join(t, u *ir.Type) *ir.Type {
	out := *t
	out.Range, out.Len = hull(t.Range, u.Range), hull(t.Len, u.Len)
	if t.Elem != nil && u.Elem != nil {
		out.Elem = join(t.Elem, u.Elem)
	}
	return &out
}

// hull is the range that holds t and u; nil where one of them has no ends.
func hull(t, u *ir.Range) *ir.Range {
	if t == nil || u == nil {
		return nil
	}
	return &ir.Range{Lo: min(t.Lo, u.Lo), Hi: max(t.Hi, u.Hi)}
}
