package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// declareParams declares the parameters of the machine.
func (r *resolver) declareParams() {
	for _, p := range r.src.Params {
		v := &ir.Var{Slot: ir.Slot{Name: textOf(p.Name), Type: r.typeOf(p.Type), Optional: p.Optional, Doc: p.Doc()}, Param: true}
		if claim(r, r.vars, p.Name, v) {
			v.Index, v.Span = len(r.m.Params), p.Name.Span()
			r.m.Params = append(r.m.Params, r.leafVars(v, nil)...)
		}
	}
	ir.FindHeads(r.m.Params)
}

// declareFields declares the fields of every context.
func (r *resolver) declareFields() {
	for c := range ast.Of[*ast.Context](r.src.Items) {
		for _, f := range c.Fields {
			v := &ir.Var{Slot: ir.Slot{Name: textOf(f.Name), Type: r.typeOf(f.Type), Doc: f.Doc()}}
			var defaults []*ir.Const
			if f.Default != nil {
				defaults = r.defaultOf(f, v.Type)
				v.Default = defaults[v.Type.FirstSure()]
			}
			if claim(r, r.vars, f.Name, v) {
				v.Index, v.Span = len(r.m.Fields), f.Name.Span()
				r.m.Fields = append(r.m.Fields, r.leafVars(v, defaults)...)
			}
		}
	}
	ir.FindHeads(r.m.Fields)
}

// defaultOf resolves the default of f, whose type is t: one value for each leaf of it. A
// wrong one becomes some value of the type, since the field does start set.
func (r *resolver) defaultOf(f *ast.Field, t *ir.Type) []*ir.Const {
	leaves := t.Leaves()
	out := make([]*ir.Const, max(1, len(leaves)))
	for i, l := range leaves {
		out[i] = anyValue(l.Type)
	}
	if _, bad := f.Default.(*ast.BadExpr); bad {
		r.m.Incomplete = true
		return out
	}
	if own, ok := f.Default.(*ast.Selector); ok && r.isOwn(own) {
		r.noLiteral(f, own, ir.OwnName(own.Sel.Text))
		return out
	}
	value := r.expr(f.Default, scope{literal: true})
	if t.Kind == ir.JSON && jsonLiteral(value) != "" {
		if c := r.jsonDefault(value); c != nil {
			out[0] = c
		}
		return out
	}
	if t.Kind == ir.Time {
		r.mismatch(f.Default.Span(), diag.Article(t.String())+" has no default: there are no literals of that type",
			"Leave the default out, and set "+quote(textOf(f.Name))+" in an `entry` or an arm.")
		return out
	}
	values := leavesFor(r.whole(value, t, "the default of "+quote(textOf(f.Name)), scope{}), t)
	for i, l := range leaves {
		lit, ok := values[i].(*ir.Lit)
		_, absent := values[i].(*ir.Absent)
		switch {
		case absent:
			out[i] = nil
		case isBad(values[i]):
		case !ok:
			r.noLiteral(f, f.Default, ir.ExprText(value))
			return out
		case l.Type.Range != nil && !l.Type.Range.Contains(lit.Value.Int):
			r.literal(values[i].Span(), "the default of "+quote(ir.Joined(textOf(f.Name), l.Path))+" is outside its range, "+l.Type.String(),
				"Write a value inside the range, or widen the range.")
		case l.Type.Len != nil && l.Type.Len.Lo > 0: // [] is the only literal of a list
			r.literal(values[i].Span(), "the default of "+quote(ir.Joined(textOf(f.Name), l.Path))+" has fewer items than its type, "+l.Type.String(),
				"Leave the default out, and set the field where its items are known; or begin the range with 0.")
			l.Type.Len.Lo = 0 // or each rule would say it again
		default:
			out[i] = lit.Value
		}
	}
	return out
}

// noLiteral reports a default of f that is no literal.
func (r *resolver) noLiteral(f *ast.Field, value ast.Expr, text string) {
	r.mismatch(value.Span(), "a default is a literal, and "+quote(text)+" is none",
		"Leave the default out, and set "+quote(textOf(f.Name))+" in an `entry` of the machine.")
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
	for src := range ast.Of[*ast.Event](r.src.Items) {
		e := &ir.Event{Name: textOf(src.Name), Doc: src.Doc()}
		fields := newSpace[*ir.EventField]("field")
		for _, p := range src.Fields {
			f := &ir.EventField{Slot: ir.Slot{Name: textOf(p.Name), Type: r.typeOf(p.Type), Optional: p.Optional, Doc: p.Doc()}}
			if claim(r, fields, p.Name, f) {
				f.Index, f.Span = len(e.Fields), p.Name.Span()
				leaf := func(i int, s ir.Slot) *ir.EventField { return &ir.EventField{Slot: s, Index: f.Index + i} }
				e.Fields = append(e.Fields, leavesMade(r, f, &f.Slot, leaf)...)
			}
		}
		r.m.Incomplete = r.m.Incomplete || len(src.Bad) > 0 || isTrigger(e.Name)
		if claim(r, r.events, src.Name, e) {
			e.Index, e.Span, e.Decl = len(r.m.Events), src.Name.Span(), src.Whole()
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

// declareEnums declares the enums.
func (r *resolver) declareEnums() {
	for src := range ast.Of[*ast.Enum](r.src.Items) {
		e := &ir.Enum{Name: textOf(src.Name), Doc: src.Doc(), OfFile: r.file == nil}
		values := newSpace[int]("value")
		var names []*ast.Name
		for _, name := range src.Values {
			if claim(r, values, name, len(e.Values)) {
				e.Values = append(e.Values, name.Text)
				names = append(names, name)
				r.refer(name, ir.ValueName, &name.Pos)
			}
		}
		if _, taken := builtin[e.Name]; taken {
			r.forbidden(src.Name, "enum", "it is a built-in type")
			continue
		}
		if claim(r, r.enums, src.Name, e) {
			e.Span, e.Decl = src.Name.Span(), src.Whole()
			r.m.Enums = append(r.m.Enums, e)
			r.values[e], r.valueNames[e] = values.names, names
		}
	}
}
