package resolve

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// block resolves a block of effects; nil for none.
func (r *resolver) block(src *ast.Block, sc scope) *ir.Block {
	if src == nil {
		return nil
	}
	b := &ir.Block{Span: src.Span()}
	given := map[string]token.Span{}
	for _, effect := range src.Effects {
		switch effect := effect.(type) {
		case *ast.Assign:
			assigns := r.assign(effect, sc)
			if len(assigns) == 0 {
				continue
			}
			if guessed := assigns[0].Var.Declared() != effect.Name.Text; guessed || r.firstAssign(given, effect, assigns) {
				b.Assigns = append(b.Assigns, assigns...)
			}
		case *ast.Publish:
			if p := r.publish(effect, sc); p != nil {
				b.Publishes = append(b.Publishes, p)
			}
		case *ast.Bad:
			r.m.Incomplete = true
		}
	}
	r.keepRest(b)
	return b
}

// firstAssign notes that a block gives the fields of assigns, which are of src, a value,
// and reports a second time.
func (r *resolver) firstAssign(given map[string]token.Span, src *ast.Assign, assigns []*ir.Assign) bool {
	for _, a := range assigns {
		if first, taken := given[a.Var.Name]; taken {
			r.setTwice(src.Name, a.Var.Name, first)
			return false
		}
	}
	for _, a := range assigns {
		given[a.Var.Name] = src.Name.Span()
	}
	return true
}

func (r *resolver) setTwice(at *ast.Name, name string, first token.Span) {
	r.second(at.Span(), "field "+quote(name)+" is set twice in one block",
		"All effects of a block happen at once; remove one of the two.", first)
}

// assign resolves an effect that sets or unsets a field or a place in a record: one
// assignment for each leaf. It is none where the field is unknown or cannot be set.
func (r *resolver) assign(src *ast.Assign, sc scope) []*ir.Assign {
	var value ir.Expr
	if src.Value != nil {
		value = r.expr(src.Value, sc)
	}
	if textOf(src.Name) == ir.RunWord && len(src.Inner) > 0 && r.vars.names[ir.RunWord] == nil {
		r.mismatch(src.Span(), "the values of the run itself cannot be set: they never change", "Set a field of the context.")
		return nil
	}
	v, exact, ok := guess(r, r.vars, src.Name)
	switch {
	case !ok:
		return nil
	case v.Param && exact:
		r.mismatch(src.Name.Span(), "parameter "+quote(v.Name)+" cannot be set: parameters never change",
			"Copy it into a field of the context, and set that.")
		return nil
	case v.Param:
		return nil
	}
	p, found := r.walk(v.Type, v.Name, src.Inner)
	leaves := r.within(src.Span(), p.t)
	if !found || leaves == nil {
		return nil
	}
	name := ir.Joined(v.Name, p.path)
	switch {
	case value == nil && p.optional:
	case value == nil && v.Default != nil && exact:
		r.mismatch(src.Span(), "field "+quote(v.Name)+" cannot be unset: it has a default",
			"Give it a value, or declare it without a default.")
	case value == nil && p.path != "" && exact:
		r.mismatch(src.Span(), quote(name)+" cannot be unset: a record has all its fields",
			"Unset the whole record, with "+quote(v.Name+" = unset")+", or give it a value.")
		return nil
	case value != nil && !exact:
		value = bad(value.Span(), ir.Leaves(value)...)
	}
	var values []ir.Expr
	if value != nil {
		whole := r.whole(value, p.t, "field "+quote(name), sc)
		if p.optional || p.path == "" && v.Default == nil {
			orUnset(whole, p.optional)
		}
		values = leavesFor(whole, p.t)
	}
	written := ""
	if p.t.Kind == ir.RecordKind && value != nil {
		written = name + " = " + ir.ExprText(value)
	}
	out := make([]*ir.Assign, len(leaves))
	for i := range leaves {
		out[i] = &ir.Assign{Var: r.leavesOf(v)[v.Index+p.offset+i], Span: src.Span(), Written: written}
		if values == nil {
			continue
		}
		if _, absent := values[i].(*ir.Absent); !absent {
			out[i].Value = values[i]
		}
	}
	return out
}

// publish resolves an effect that hands an event to the outbox, with all its
// fields and no others; nil where the event is unknown.
func (r *resolver) publish(src *ast.Publish, sc scope) *ir.Publish {
	values := make([]ir.Expr, len(src.Fields))
	for i, f := range src.Fields {
		values[i] = r.expr(f.Value, sc)
	}
	e, ok := find(r, r.events, src.Event)
	if !ok {
		return nil
	}
	p := &ir.Publish{Event: e, Values: make([]ir.Expr, len(e.Fields)), Span: src.Span()}
	given := map[string]token.Span{}
	guessed := map[*ir.EventField]bool{}
	for i, f := range src.Fields {
		if f.Name == nil {
			continue
		}
		if first, taken := given[f.Name.Text]; taken {
			r.setTwice(f.Name, f.Name.Text, first)
			continue
		}
		given[f.Name.Text] = f.Name.Span()
		if field := r.payload[e][f.Name.Text]; field != nil {
			r.referTo(f.Name, field)
			if len(f.Inner) > 0 {
				r.mismatch(f.Span(), "field "+quote(field.Name)+" of an event is given as a whole", "Give it a record with all its fields.")
				values[i] = bad(f.Span(), ir.Leaves(values[i])...)
			}
			given := r.whole(values[i], field.Type, "field "+quote(field.Name)+" of event "+quote(e.Name), sc)
			if field.Optional {
				orUnset(given, true)
			}
			copy(p.Values[field.Index:], leavesFor(given, field.Type))
			continue
		}
		nearest := near(r, f.Name.Text, r.payload[e])
		if nearest == "" && r.partial[e] {
			continue
		}
		guessed[r.payload[e][nearest]] = true
		r.misspelt(typeMismatch, f.Name.Span(), "event "+quote(e.Name)+" has no field "+quote(f.Name.Text), "Declare it in the event, or leave it out.", nearest)
	}
	r.missingFields(p, guessed)
	return p
}

// missingFields reports the fields of the event that p leaves out, but for
// those that were only misspelt.
func (r *resolver) missingFields(p *ir.Publish, guessed map[*ir.EventField]bool) {
	var missing []string
	for i, f := range p.Event.Fields {
		if p.Values[i] != nil {
			continue
		}
		if f.Optional && !guessed[f] {
			p.Values[i] = &ir.Absent{E: ir.E{T: f.Type, At: p.Span}}
			continue
		}
		p.Values[i] = bad(p.Span)
		name := f.Declared()
		if field := r.payload[p.Event][name]; !guessed[field] && field.Index == i {
			missing = append(missing, quote(name))
		}
	}
	if len(missing) == 0 {
		return
	}
	what, help := "field ", "Give it a value: an event carries all its fields."
	if len(missing) > 1 {
		what, help = "fields ", "Give them values: an event carries all its fields."
	}
	r.mismatch(p.Span, "event "+quote(p.Event.Name)+" is published without its "+what+strings.Join(missing, ", "), help)
}
