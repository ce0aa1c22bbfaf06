package resolve

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// builtin are the types that have a name from the start.
var builtin = map[string]ir.Kind{
	"bool": ir.Bool, "int": ir.Int, "float": ir.Float, "string": ir.String,
	"duration": ir.Duration, "time": ir.Time, "json": ir.JSON,
}

// Types that expressions have; compared with Same, never with ==.
var (
	invalid      = &ir.Type{Kind: ir.Invalid}
	boolType     = &ir.Type{Kind: ir.Bool}
	intType      = &ir.Type{Kind: ir.Int}
	floatType    = &ir.Type{Kind: ir.Float}
	stringType   = &ir.Type{Kind: ir.String}
	durationType = &ir.Type{Kind: ir.Duration}
	timeType     = &ir.Type{Kind: ir.Time}
)

// typeOf resolves a type as written; what is wrong with it is reported, and
// the type is Invalid. Lists nest as deep as the parser allows.
func (r *resolver) typeOf(t *ast.Type) *ir.Type {
	switch {
	case t == nil:
		return invalid
	case t.Elem != nil:
		return &ir.Type{Kind: ir.List, Elem: r.typeOf(t.Elem), Len: r.lengthOf(t.Len)}
	case t.Name == "" || r.isMisnamed(t.Name): // the parser could not read it, or a declaration took it
		return invalid
	}
	kind, known := builtin[t.Name]
	if !known {
		return r.namedType(t)
	}
	r.note(&t.Node, t.Name, ir.BuiltInName, nil)
	out := &ir.Type{Kind: kind}
	if t.Range != nil {
		out.Range = r.rangeOf(t.Range, "the range of "+diag.Article(t.Name), kind)
	}
	return out
}

// builtinCalled are the built-in types by what other languages call them.
var builtinCalled = map[string]string{
	"integer": "int", "int64": "int", "int32": "int", "number": "int", "long": "int",
	"boolean": "bool", "str": "string", "text": "string", "double": "float", "float64": "float", "decimal": "float",
	"timestamp": "time", "date": "time", "datetime": "time", "object": "json", "any": "json", "map": "json",
}

// namedType resolves a type that is no built-in one.
func (r *resolver) namedType(t *ast.Type) *ir.Type {
	if record, ok := r.recordNamed(t.Name, t.Span()); ok {
		r.noteAs(&t.Node, t.Name, record)
		r.refuseRange(t)
		return &ir.Type{Kind: ir.RecordKind, Record: record}
	}
	enum, ok := r.enumNamed(t.Name)
	if !ok {
		names := map[string]bool{}
		for s := r.records; s != nil; s = s.outer {
			for name := range s.names {
				names[name] = true
			}
		}
		for name := range builtin {
			names[name] = true
		}
		for s := r.enums; s != nil; s = s.outer {
			for name := range s.names {
				names[name] = true
			}
		}
		nearest := builtinCalled[strings.ToLower(t.Name)]
		if nearest == "" {
			nearest = near(r, t.Name, names)
		}
		r.unknown("type", &ast.Name{Node: t.Node, Text: t.Name}, nearest)
		return &ir.Type{Kind: ir.Invalid, Unknown: t.Name}
	}
	r.noteAs(&t.Node, t.Name, enum)
	r.refuseRange(t)
	return &ir.Type{Kind: ir.EnumKind, Enum: enum}
}

// refuseRange reports a range on a type that is declared.
func (r *resolver) refuseRange(t *ast.Type) {
	if t.Range != nil {
		r.mismatch(t.Range.Span(), "a range on the type "+quote(t.Name), `Only "int" and "duration" have ranges.`)
	}
}

// lengthOf resolves the range of how many items a list may have; nil where
// there is none, or where something is wrong with it.
func (r *resolver) lengthOf(src *ast.Range) *ir.Range {
	if src == nil {
		return nil
	}
	length := r.rangeOf(src, "the range of the length of a list", ir.Int)
	if length != nil && length.Lo < 0 {
		r.literal(src.Lo.Span(), "the length of a list is never negative", "Begin the range with 0, or with a larger number.")
		return nil
	}
	return length
}

// rangeOf resolves a range of ints or durations, which what names in messages;
// nil where something is wrong with it.
func (r *resolver) rangeOf(src *ast.Range, what string, kind ir.Kind) *ir.Range {
	lo, ok := r.rangeEnd(src.Lo, what, kind)
	if !ok {
		return nil
	}
	hi, ok := r.rangeEnd(src.Hi, what, kind)
	if !ok {
		return nil
	}
	if lo > hi {
		r.literal(src.Span(), "range begins above its end", "Write the smaller value first.")
		return nil
	}
	return &ir.Range{Lo: lo, Hi: hi}
}

func (r *resolver) rangeEnd(lit *ast.Literal, what string, kind ir.Kind) (int64, bool) {
	switch {
	case lit == nil:
		return 0, false
	case kind == ir.Int && lit.Kind != ast.Int:
		r.mismatch(lit.Span(), what+" ends in whole numbers, not in "+literalText(lit), "Write digits alone.")
		return 0, false
	case kind != ir.Int && lit.Kind != ast.Duration:
		r.mismatch(lit.Span(), what+" ends in durations, not in "+literalText(lit), "Write a number with a unit, such as 0s or 15m.")
		return 0, false
	}
	end, ok := r.constant(lit, lit.Neg).(*ir.Lit)
	if !ok {
		return 0, false
	}
	return end.Value.Int, true
}
