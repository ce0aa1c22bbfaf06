package resolve

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// A json is built and taken apart in effects and arguments. No guard and no wait does
// so: what they read is decided, and of a json nothing is known.

var jsonType = &ir.Type{Kind: ir.JSON}

// nullWord is null, unless a field or a parameter has that name.
const nullWord = "null"

// maxJSON is the most bytes that a value may have when a machine runs.
const maxJSON = 1 << 20

// built is e, which builds a json of parts or takes it apart, where it may do so; else it
// says why e cannot stand where sc is.
func (r *resolver) built(e ir.Expr, sc scope, parts ...ir.Expr) ir.Expr {
	switch {
	case sc.wait:
		r.mismatch(e.Span(), quote(ir.ExprText(e))+" cannot say how long a retry waits", "Keep it in a field of type duration first.")
	case sc.guard:
		r.report(guardTooRich, e.Span(), quote(ir.ExprText(e))+" is more than a guard may say",
			"Keep it in a field of its type first, or declare a host `guard`.")
	default:
		return e
	}
	return bad(e.Span(), parts...)
}

// array is `[a, b]`.
func (r *resolver) array(src *ast.List, sc scope) ir.Expr {
	items := r.exprs(src.Items, sc)
	if isBad(items...) {
		return bad(src.Span(), items...)
	}
	return r.built(&ir.Array{E: ir.E{T: jsonType, At: src.Span()}, Items: items}, sc, items...)
}

// object is `{"key": value}`. A key stands in it once.
func (r *resolver) object(src *ast.Object, sc scope) ir.Expr {
	e := &ir.Object{E: ir.E{T: jsonType, At: src.Span()}}
	given := map[string]token.Span{}
	sound := true
	for _, pair := range src.Pairs {
		e.Values = append(e.Values, r.expr(pair.Value, sc))
		key, f := parseString(pair.Key.Text)
		first, twice := given[key]
		switch {
		case f != nil:
			r.badLiteral(pair.Key, f)
			sound = false
		case twice:
			r.second(pair.Key.Span(), "key "+quote(key)+" stands twice in one object", "Remove one of the two, or rename it.", first)
			sound = false
		}
		given[key] = pair.Key.Span()
		e.Keys = append(e.Keys, key)
	}
	if !sound || isBad(e.Values...) {
		return bad(src.Span(), e.Values...)
	}
	return r.built(e, sc, e.Values...)
}

// key is what x has under a key.
func (r *resolver) key(x ir.Expr, sel *ast.Name, at token.Span, sc scope) ir.Expr {
	switch {
	case sel == nil:
		r.m.Incomplete = true
		return bad(at, x)
	case isBad(x):
		return bad(at, x)
	case x.Type().Kind != ir.JSON:
		r.mismatch(at, quote(ir.ExprText(x))+" is "+diag.Article(named(x.Type()))+", and only a json has keys", "Read it alone.")
		return bad(at, x)
	}
	r.refer(sel, ir.KeyName, &sel.Pos)
	return r.built(&ir.Key{E: ir.E{T: jsonType, At: at}, X: x, Name: sel.Text}, sc, x)
}

// nearHolder is the field or parameter of type json whose name is nearest to word.
func (r *resolver) nearHolder(word string) string {
	holders := map[string]*ir.Var{}
	for name, v := range r.vars.names {
		if v.Type.Kind == ir.JSON {
			holders[name] = v
		}
	}
	return near(r, word, holders)
}

// text is `text(x)`.
func (r *resolver) text(src *ast.Call, args []ir.Expr, sc scope) ir.Expr {
	if len(args) != 1 {
		r.mismatch(src.Span(), "`text` takes 1 argument, and is given "+strconv.Itoa(len(args)), "Write `text(x)`.")
		return bad(src.Span(), args...)
	}
	kind := args[0].Type().Kind
	if kind == ir.Invalid {
		return bad(src.Span(), args...)
	}
	if !texted(kind) {
		help := "Give it a number, a bool, a duration, a time or a value of an enum."
		if kind == ir.String {
			help = "It is a text; leave `text` out."
		}
		r.mismatch(args[0].Span(), "`text` does not take "+diag.Article(named(args[0].Type())), help)
		return bad(src.Span(), args...)
	}
	return r.built(&ir.Text{E: ir.E{T: stringType, At: src.Span()}, X: args[0]}, sc, args...)
}

// place is e where a value of type want is wanted, as fit is. A json may stand there,
// too, if it is no literal: it has to fit when it is computed.
func (r *resolver) place(e ir.Expr, want *ir.Type, what string, sc scope) ir.Expr {
	if isBad(e) || e.Type().Kind != ir.JSON || want.Kind == ir.JSON || want.Kind == ir.Invalid || sc.guard {
		return r.fit(e, want, what)
	}
	if word := jsonLiteral(e); word != "" {
		help := fitHelp(want)
		switch {
		case word == "null":
			help = "A field without a default is cleared by `unset`."
		case want.Kind == ir.List:
			help = "`[]` is the only literal of a list; add items to it with `+`."
		}
		r.mismatch(e.Span(), what+" wants "+diag.Article(named(want))+", and this is "+word, help)
		return bad(e.Span(), e)
	}
	return fitted(e, want)
}

func fitted(e ir.Expr, want *ir.Type) ir.Expr {
	return &ir.Fit{E: ir.E{T: want, At: e.Span()}, X: e}
}

// jsonLiteral says what e is, if it is a json that is written out; else it is empty.
func jsonLiteral(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Object:
		return "an object of a json"
	case *ir.Array:
		return "a list of a json"
	case *ir.Lit:
		if e.Value.Kind == ir.JSON {
			return e.Value.Str
		}
	}
	return ""
}

// jsonDefault is the constant that e is, the default of a json; nil where it is none.
func (r *resolver) jsonDefault(e ir.Expr) *ir.Const {
	var b bytes.Buffer
	writeJSON(&b, e)
	if b.Len() > maxJSON {
		r.literal(e.Span(), "a json of more than 1 MiB", "Leave it to an activity.")
		return nil
	}
	return &ir.Const{Kind: ir.JSON, Str: b.String()}
}

// writeJSON writes e, of which the parser has seen that it is made of literals.
func writeJSON(b *bytes.Buffer, e ir.Expr) {
	switch e := e.(type) {
	case *ir.Object:
		b.WriteByte('{')
		for i, key := range e.Keys {
			if i > 0 {
				b.WriteByte(',')
			}
			writeScalar(b, key)
			b.WriteByte(':')
			writeJSON(b, e.Values[i])
		}
		b.WriteByte('}')
	case *ir.Array:
		b.WriteByte('[')
		for i, item := range e.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, item)
		}
		b.WriteByte(']')
	case *ir.Lit:
		writeScalar(b, e.Value.JSONValue())
	}
}

func writeScalar(b *bytes.Buffer, v any) {
	out := json.NewEncoder(b)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		panic("resolve: a literal without a JSON form: " + err.Error())
	}
	b.Truncate(b.Len() - 1) // the line end
}
