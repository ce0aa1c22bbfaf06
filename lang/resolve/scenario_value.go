package resolve

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// value is the JSON of a constant of type t; nil for `null`, where t is no json. It is false
// where src is none, which has been reported.
func (s *scenarioResolver) value(src ast.Expr, t *ir.Type, what string) (json.RawMessage, bool) {
	if p, ok := src.(*ast.Paren); ok {
		return s.value(p.X, t, what)
	}
	if id, ok := src.(*ast.Ident); ok && id.Name == nullWord && t.Kind != ir.JSON {
		return nil, true
	}
	switch src := src.(type) {
	case nil, *ast.BadExpr:
		return nil, s.lost()
	case *ast.List:
		return s.items(src, src.Items, t, what)
	case *ast.EmptyList:
		return s.items(src, nil, t, what)
	case *ast.Object:
		return s.pairs(src, t, what)
	case *ast.RecordLit:
		return s.recordValue(src, t, what)
	}
	return s.scalar(src, t, what)
}

// lost says that something could not be read, which has been reported.
func (s *scenarioResolver) lost() bool {
	s.m.Broken = true
	return false
}

// wrong reports that src is no value of type t.
func (s *scenarioResolver) wrong(src ast.Expr, t *ir.Type, what, is string) (json.RawMessage, bool) {
	if t.Kind != ir.Invalid {
		s.mismatch(src.Span(), what+" is "+diag.Article(named(t))+", and this is "+is, "Write "+diag.Article(named(t))+like(t, src)+".")
	}
	return nil, s.lost()
}

// like is what a value of t looks like, where src is written: of a record ", as in R { a = …, b = … }",
// of an enum ", as in E.A", with the value that src names.
func like(t *ir.Type, src ast.Expr) string {
	switch t.Kind {
	case ir.EnumKind:
		value := t.Enum.Values[0]
		if word := lastWord(src); slices.Contains(t.Enum.Values, word) {
			value = word
		}
		return ", as in " + t.Enum.Name + "." + value
	case ir.RecordKind:
	default:
		return ""
	}
	return ", as in " + t.Record.Name + " { " + ir.Listed(t.Record.Fields, func(f *ir.Field) string { return f.Name + " = …" }) + " }"
}

// lastWord is the name that src is, or that it ends with, or the text of a string.
func lastWord(src ast.Expr) string {
	switch src := src.(type) {
	case *ast.Ident:
		return src.Name
	case *ast.Member:
		return textOf(src.Sel)
	case *ast.Literal:
		return strings.Trim(src.Text, `"`)
	}
	return ""
}

func (s *scenarioResolver) items(src ast.Expr, list []ast.Expr, t *ir.Type, what string) (json.RawMessage, bool) {
	elem := t.Elem
	switch {
	case t.Kind == ir.JSON:
		elem = t
	case t.Kind != ir.List:
		return s.wrong(src, t, what, "a list")
	case t.Len != nil && !t.Len.Contains(int64(len(list))):
		s.literal(src.Span(), what+" has "+diag.Count(len(list), "item")+", and its type is "+t.String(), "Write as many items as the type allows.")
		return nil, false
	}
	out, whole := []json.RawMessage{}, true
	for _, item := range list {
		text, ok := s.value(item, elem, "an item of "+what)
		if ok && text == nil {
			return s.wrong(item, elem, "an item of "+what, "nothing")
		}
		out, whole = append(out, text), whole && ok
	}
	if !whole {
		return nil, false
	}
	text, err := json.Marshal(out)
	return text, err == nil
}

func (s *scenarioResolver) pairs(src *ast.Object, t *ir.Type, what string) (json.RawMessage, bool) {
	if t.Kind != ir.JSON {
		return s.wrong(src, t, what, "an object of a json")
	}
	out := map[string]json.RawMessage{}
	for _, p := range src.Pairs {
		var key string
		s.literalText(p.Key, &key)
		text, ok := s.value(p.Value, t, what)
		if !ok {
			return nil, false
		}
		if _, twice := out[key]; twice {
			s.report(duplicateName, p.Key.Span(), "key "+quote(key)+" stands twice in "+what, "Remove one of the two.")
		}
		out[key] = text
	}
	text, err := json.Marshal(out)
	return text, err == nil
}

func (s *scenarioResolver) recordValue(src *ast.RecordLit, t *ir.Type, what string) (json.RawMessage, bool) {
	if t.Kind != ir.RecordKind {
		return s.wrong(src, t, what, "a record")
	}
	if textOf(src.Type) != t.Record.Name {
		return s.wrong(src, t, what, diag.Article(quote(textOf(src.Type))))
	}
	s.referTo(src.Type, t.Record)
	return s.object(src.Type.Span(), "record "+quote(t.Record.Name), "field", t.Record.Fields, src.Fields, true, func(name *ast.Name, f *ir.Field) { s.referTo(name, f) }), true
}

// scalar is a constant that is no list, object or record.
func (s *scenarioResolver) scalar(src ast.Expr, t *ir.Type, what string) (json.RawMessage, bool) {
	if !constant(src) {
		s.mismatch(src.Span(), "a value in a scenario is a constant, and this is none", "Write the value itself"+like(t, src)+".")
		return nil, s.lost()
	}
	var e ir.Expr
	if sel, ok := src.(*ast.Selector); ok && sel.Sel != nil && t.Kind == ir.EnumKind && textOf(sel.X) == t.Enum.Name {
		e = s.valueOf(t.Enum, sel) // which the file of the machine need not know
	} else {
		e = s.expr(src, scope{literal: true})
	}
	if isBad(e) {
		return nil, s.lost()
	}
	c := folded(e)
	switch {
	case c == nil:
		s.literal(src.Span(), what+" cannot be computed", "Write the value itself.")
		return nil, false
	case t.Kind == ir.Float && c.Kind == ir.Int:
		c = &ir.Const{Kind: ir.Float, Float: float64(c.Int)}
	case t.Kind == ir.Time && c.Kind == ir.String:
		return s.time(src, c.Str, what)
	case t.Kind == ir.JSON && (c.Kind == ir.Bool || c.Kind == ir.Int || c.Kind == ir.Float || c.Kind == ir.String || c.Kind == ir.JSON):
	case c.Kind != t.Kind || t.Kind == ir.EnumKind && c.Enum != t.Enum:
		is := diag.Article(named(e.Type()))
		if t.Kind == ir.Time {
			s.mismatch(src.Span(), what+" is a time, and this is "+is, `Write it as RFC 3339 has it: "2026-01-31T12:00:00Z".`)
			return nil, false
		}
		return s.wrong(src, t, what, is)
	}
	if t.Range != nil && !t.Range.Contains(c.Int) {
		s.literal(src.Span(), what+" is outside its range, "+t.String(), "Write a value inside the range.")
		return nil, false
	}
	text, err := json.Marshal(c.JSONValue())
	return text, err == nil
}

func (s *scenarioResolver) time(src ast.Expr, text, what string) (json.RawMessage, bool) {
	if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
		s.literal(src.Span(), what+" is a time, and "+quote(text)+" is none", `Write it as RFC 3339 has it: "2026-01-31T12:00:00Z".`)
		return nil, false
	}
	out, err := json.Marshal(text)
	return out, err == nil
}

// constant reports whether src is made of literals, values of enums and operators alone.
func constant(src ast.Expr) bool {
	switch src := src.(type) {
	case *ast.Literal, *ast.Selector:
		return true
	case *ast.Ident:
		return src.Name == nullWord
	case *ast.Paren:
		return constant(src.X)
	case *ast.Unary:
		return src.Op == "-" && constant(src.X)
	case *ast.Binary:
		return strings.Contains("+-*", src.Op) && constant(src.X) && constant(src.Y)
	}
	return false
}

// folded is the value of a constant expression; nil where it has none.
func folded(e ir.Expr) *ir.Const {
	b, ok := e.(*ir.Binary)
	if !ok {
		return ir.Value(e)
	}
	x, y := folded(b.X), folded(b.Y)
	switch {
	case x == nil || y == nil:
		return nil
	case b.T.Kind == ir.String:
		return &ir.Const{Kind: ir.String, Str: x.Str + y.Str}
	case b.T.Kind == ir.Float:
		return foldedFloat(b.Op, float(x), float(y))
	}
	return ir.Value(e)
}

func float(c *ir.Const) float64 {
	if c.Kind == ir.Int {
		return float64(c.Int)
	}
	return c.Float
}

func foldedFloat(op ir.Op, x, y float64) *ir.Const {
	switch op {
	case ir.OpAdd:
		x += y
	case ir.OpSub:
		x -= y
	default:
		x *= y
	}
	if math.IsInf(x, 0) {
		return nil
	}
	return &ir.Const{Kind: ir.Float, Float: x}
}
