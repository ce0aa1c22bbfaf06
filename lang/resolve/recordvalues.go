package resolve

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// record is a record by all its fields.
func (r *resolver) record(src *ast.RecordLit, sc scope) ir.Expr {
	values := make([]ir.Expr, len(src.Fields))
	for i, f := range src.Fields {
		values[i] = r.expr(f.Value, sc)
	}
	if !present(src.Type) {
		return bad(src.Span(), values...)
	}
	rec, ok := r.recordNamed(src.Type.Text, src.Span())
	if !ok {
		if r.isMisnamed(src.Type.Text) {
			return bad(src.Span(), values...)
		}
		r.unknown("record", src.Type, nearTo(r, src.Type.Text, r.records))
		return bad(src.Span(), values...)
	}
	r.referTo(src.Type, rec)
	t := &ir.Type{Kind: ir.RecordKind, Record: rec}
	given := map[string]ir.Expr{}
	first := map[string]token.Span{}
	faulty := false
	for i, f := range src.Fields {
		name := textOf(f.Name)
		at := slices.IndexFunc(rec.Fields, func(g *ir.Field) bool { return g.Name == name })
		switch {
		case given[name] != nil:
			r.second(f.Name.Span(), "field "+quote(name)+" stands twice in one record", "Remove one of the two.", first[name])
			faulty = true
		case at < 0:
			r.walk(t, rec.Name, []*ast.Name{f.Name})
			faulty = true
		default:
			r.referTo(f.Name, rec.Fields[at])
			first[name] = f.Name.Span()
			given[name] = r.whole(values[i], rec.Fields[at].Type, "field "+quote(name)+" of record "+quote(rec.Name), sc)
			if rec.Fields[at].Optional {
				orUnset(given[name], true)
			}
		}
	}
	var leaves []ir.Expr
	var missing []string
	for _, f := range rec.Fields {
		switch v := given[f.Name]; {
		case v == nil && f.Optional:
			for _, l := range f.Type.Leaves() {
				leaves = append(leaves, &ir.Absent{E: ir.E{T: l.Type, At: src.Span()}})
			}
		case v == nil && f.Name == "": // of a record without a field that is always there
			faulty = true
		case v == nil:
			missing = append(missing, quote(f.Name))
		case isBad(v):
			faulty = true
			leaves = append(leaves, v)
		default:
			leaves = append(leaves, ir.Leaves(v)...)
		}
	}
	if len(missing) > 0 && !faulty {
		r.mismatch(src.Span(), "record "+quote(rec.Name)+" without "+strings.Join(missing, ", "), "Give it a value: a record has all its fields but those with `?`.")
	}
	if faulty || len(missing) > 0 || r.within(src.Span(), t) == nil {
		return bad(src.Span(), leaves...)
	}
	return &ir.RecordLit{E: ir.E{T: t, At: src.Span()}, Leaves: leaves}
}

// leavesFor are the leaves of e, where a value of type want is wanted: as many as that has.
func leavesFor(e ir.Expr, want *ir.Type) []ir.Expr {
	if n := want.Count(); len(ir.Leaves(e)) != n {
		return slices.Repeat([]ir.Expr{bad(e.Span(), ir.Leaves(e)...)}, n)
	}
	return ir.Leaves(e)
}

// whole is e where a value of type want is wanted.
func (r *resolver) whole(e ir.Expr, want *ir.Type, what string, sc scope) ir.Expr {
	e = r.place(e, want, what, sc)
	fit, ok := e.(*ir.Fit)
	if !ok || want.Kind != ir.RecordKind {
		return e
	}
	return r.leaves(e.Span(), want, ir.ExprText(e), func(_ int, l ir.RecordLeaf) ir.Expr {
		x := fit.X
		for key := range strings.SplitSeq(l.Path, ".") {
			x = &ir.Key{E: ir.E{T: jsonType, At: e.Span()}, X: x, Name: key}
		}
		return &ir.Fit{E: ir.E{T: l.Type, At: e.Span()}, X: x, Whole: fit, Leaf: l.Path, Within: l.Within}
	})
}
