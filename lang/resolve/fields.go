package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// declareParams declares the parameters of the machine.
func (r *resolver) declareParams() {
	for _, p := range r.src.Params {
		v := &ir.Var{Name: textOf(p.Name), Type: r.typeOf(p.Type), Param: true, Doc: p.Doc()}
		if claim(r, r.vars, p.Name, v) {
			v.Index, v.Span = len(r.m.Params), p.Name.Span()
			r.m.Params = append(r.m.Params, v)
		}
	}
}

// declareFields declares the fields of every context.
func (r *resolver) declareFields() {
	for c := range items[*ast.Context](r) {
		for _, f := range c.Fields {
			v := &ir.Var{Name: textOf(f.Name), Type: r.typeOf(f.Type), Doc: f.Doc()}
			if f.Default != nil {
				v.Default = r.defaultOf(f, v.Type)
			}
			if claim(r, r.vars, f.Name, v) {
				v.Index, v.Span = len(r.m.Fields), f.Name.Span()
				r.m.Fields = append(r.m.Fields, v)
			}
		}
	}
}

// defaultOf resolves the default of f, whose type is t. A wrong one becomes
// some value of the type, since the field does start set.
func (r *resolver) defaultOf(f *ast.Field, t *ir.Type) *ir.Const {
	if _, bad := f.Default.(*ast.BadExpr); bad {
		r.m.Incomplete = true
		return anyValue(t)
	}
	if own, ok := f.Default.(*ast.Selector); ok && r.isOwn(own) {
		r.mismatch(own.Span(), "a default is a literal, and "+quote(ir.OwnName(own.Sel.Text))+" is none",
			"Leave the default out, and set "+quote(textOf(f.Name))+" in an `entry` of the machine.")
		return anyValue(t)
	}
	value := r.expr(f.Default, scope{literal: true})
	if t.Kind == ir.JSON && jsonLiteral(value) != "" {
		if c := r.jsonDefault(value); c != nil {
			return c
		}
		return anyValue(t)
	}
	if t.Kind == ir.Time {
		r.mismatch(f.Default.Span(), article(t.String())+" has no default: there are no literals of that type",
			"Leave the default out, and set "+quote(textOf(f.Name))+" in an `entry` or an arm.")
		return anyValue(t)
	}
	lit, ok := r.place(value, t, "the default of "+quote(textOf(f.Name)), scope{}).(*ir.Lit)
	if !ok {
		return anyValue(t)
	}
	switch {
	case t.Range != nil && !t.Range.Contains(lit.Value.Int):
		r.literal(f.Default.Span(), "the default of "+quote(textOf(f.Name))+" is outside its range, "+t.String(),
			"Write a value inside the range, or widen the range.")
		return anyValue(t)
	case t.Len != nil && t.Len.Lo > 0: // [] is the only literal of a list
		r.literal(f.Default.Span(), "the default of "+quote(textOf(f.Name))+" has fewer items than its type, "+t.String(),
			"Leave the default out, and set the field where its items are known; or begin the range with 0.")
		t.Len.Lo = 0 // or each rule would say it again
	}
	return lit.Value
}

// anyValue is some value of type t.
func anyValue(t *ir.Type) *ir.Const {
	c := &ir.Const{Kind: t.Kind}
	switch {
	case t.Kind == ir.JSON:
		c.Str = nullWord
	case t.Range != nil:
		c.Int = t.Range.Lo
	case t.Kind == ir.EnumKind:
		c.Enum = t.Enum
		if len(t.Enum.Values) > 0 {
			c.Str = t.Enum.Values[0]
		}
	}
	return c
}

// declareEvents declares the events and their payloads.
func (r *resolver) declareEvents() {
	for src := range items[*ast.Event](r) {
		e := &ir.Event{Name: textOf(src.Name), Doc: src.Doc()}
		fields := newSpace[*ir.EventField]("field")
		for _, p := range src.Fields {
			f := &ir.EventField{Name: textOf(p.Name), Type: r.typeOf(p.Type), Doc: p.Doc()}
			if claim(r, fields, p.Name, f) {
				f.Index, f.Span = len(e.Fields), p.Name.Span()
				e.Fields = append(e.Fields, f)
			}
		}
		r.m.Incomplete = r.m.Incomplete || len(src.Bad) > 0 || isTrigger(e.Name)
		if claim(r, r.events, src.Name, e) {
			e.Index, e.Span = len(r.m.Events), src.Name.Span()
			r.m.Events = append(r.m.Events, e)
			r.payload[e] = fields.names
			r.partial[e] = len(src.Bad) > 0
		}
	}
}

// isTrigger reports whether name means another input where a trigger stands. An
// event of that name, which the parser has reported, has handlers that look like
// those of the other one.
func isTrigger(name string) bool { return name == "done" || name == "failed" || name == "cancel" }

// declareEnums declares the enums; they are the only types with names.
func (r *resolver) declareEnums() {
	for src := range items[*ast.Enum](r) {
		e := &ir.Enum{Name: textOf(src.Name), Doc: src.Doc(), OfFile: r.file == nil}
		values := newSpace[int]("value")
		for _, name := range src.Values {
			if claim(r, values, name, len(e.Values)) {
				e.Values = append(e.Values, name.Text)
			}
		}
		if _, taken := builtin[e.Name]; taken {
			r.forbidden(src.Name, "enum", "it is a built-in type")
			continue
		}
		if claim(r, r.enums, src.Name, e) {
			e.Span = src.Name.Span()
			r.m.Enums = append(r.m.Enums, e)
			r.values[e] = values.names
		}
	}
}
