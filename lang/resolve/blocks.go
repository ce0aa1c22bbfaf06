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
			a := r.assign(effect, sc)
			if a == nil {
				continue
			}
			if guessed := a.Var.Name != effect.Name.Text; guessed || r.firstAssign(given, effect.Name) {
				b.Assigns = append(b.Assigns, a)
			}
		case *ast.Publish:
			if p := r.publish(effect, sc); p != nil {
				b.Publishes = append(b.Publishes, p)
			}
		case *ast.Bad:
			r.m.Incomplete = true
		}
	}
	return b
}

// firstAssign notes that a block gives the field a value, and reports a second
// time.
func (r *resolver) firstAssign(given map[string]token.Span, name *ast.Name) bool {
	if first, taken := given[name.Text]; taken {
		r.second(name.Span(), "field "+quote(name.Text)+" is set twice in one block",
			"All effects of a block happen at once; remove one of the two.", first)
		return false
	}
	given[name.Text] = name.Span()
	return true
}

// assign resolves an effect that sets or unsets a field; nil where the field
// is unknown or cannot be set.
func (r *resolver) assign(src *ast.Assign, sc scope) *ir.Assign {
	var value ir.Expr
	if src.Value != nil {
		value = r.expr(src.Value, sc)
	}
	v, exact, ok := guess(r, r.vars, "field", src.Name)
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
	a := &ir.Assign{Var: v, Value: value, Span: src.Span()}
	switch {
	case value == nil && v.Default != nil && exact:
		r.mismatch(src.Span(), "field "+quote(v.Name)+" cannot be unset: it has a default",
			"Give it a value, or declare it without a default.")
	case value != nil && !exact:
		a.Value = bad(value.Span(), value)
	case value != nil:
		a.Value = r.place(value, v.Type, "field "+quote(v.Name), sc)
	}
	return a
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
		if f.Name == nil || !r.firstAssign(given, f.Name) {
			continue
		}
		if field := r.payload[e][f.Name.Text]; field != nil {
			p.Values[field.Index] = r.place(values[i], field.Type, "field "+quote(field.Name)+" of event "+quote(e.Name), sc)
			continue
		}
		nearest := near(r, f.Name.Text, r.payload[e])
		if nearest == "" && r.partial[e] {
			continue
		}
		guessed[r.payload[e][nearest]] = true
		r.misspelt(typeMismatch, f.Name.Span(), "event "+quote(e.Name)+" has no field "+quote(f.Name.Text), "Leave it out.", nearest)
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
		p.Values[i] = bad(p.Span)
		if !guessed[f] {
			missing = append(missing, quote(f.Name))
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
