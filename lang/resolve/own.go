package resolve

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// isOwn reports whether src is written like a value of the run itself, and means one:
// an enum, a parameter or a field of that name means what it means elsewhere.
func (r *resolver) isOwn(src *ast.Selector) bool {
	if src.X == nil || src.Sel == nil || src.X.Text != ir.RunWord {
		return false
	}
	_, enum := r.enums.lookup(ir.RunWord)
	_, held := r.vars.names[ir.RunWord]
	return !enum && !held
}

// selected is a field of a record, what a json has under a key, a value of an enum, or one
// of the run itself, sought in this order.
func (r *resolver) selected(src *ast.Selector, sc scope) ir.Expr {
	if src.X != nil && src.Sel != nil && r.isField(src.X.Text) {
		return r.member(src, sc)
	}
	if src.X != nil && src.Sel != nil {
		if e := r.ofElement(src.Span(), []*ast.Name{src.X, src.Sel}, sc); e != nil {
			return e
		}
	}
	if !r.isOwn(src) {
		return r.enumValue(src)
	}
	r.referWord(src.X)
	r.referWord(src.Sel)
	t, known := ir.OwnValues[src.Sel.Text]
	switch {
	case !known:
		r.misspelt(unknownName, src.Sel.Span(), "a run has no value "+quote(src.Sel.Text)+" of its own",
			"It has `run.id`, `run.started` and `run.machine`.", near(r, src.Sel.Text, ir.OwnValues))
		return bad(src.Span())
	case src.Sel.Text == ir.RunMachine:
		name := lit(src.Span(), t, &ir.Const{Kind: ir.String, Str: r.m.Name})
		name.Written = ir.OwnName(ir.RunMachine)
		return name
	}
	v := r.m.OwnVar(src.Sel.Text)
	if v == nil {
		v = &ir.Var{Slot: ir.Slot{Name: ir.OwnName(src.Sel.Text), Type: t, Span: src.Span()}, Param: true, Own: true}
		r.m.Own = append(r.m.Own, v)
	}
	return &ir.VarRef{E: ir.E{T: t, At: src.Span()}, Var: v}
}

// orderOwn brings what is read of the run's own values into an order that does not
// depend on where it is read.
func (r *resolver) orderOwn() {
	slices.SortFunc(r.m.Own, func(a, b *ir.Var) int { return strings.Compare(a.Name, b.Name) })
	for i, v := range r.m.Own {
		v.Index = len(r.m.Params) + i
	}
}

// unknownEnum reports that what stands before the point of src is no enum.
func (r *resolver) unknownEnum(src *ast.Selector) {
	v := r.vars.names[src.X.Text]
	_, own := ir.OwnValues[src.Sel.Text]
	switch {
	case v != nil && v.Name == ir.RunWord && own:
		what := kindOfVar(v)
		r.report(unknownName, src.Span(), quote(ir.OwnName(src.Sel.Text))+" cannot be read: this machine has a "+what+" \"run\"",
			"Rename that "+what+" to read the values of the run itself.")
	case own:
		nearest := near(r, src.X.Text, map[string]bool{ir.RunWord: true})
		if nearest == "" {
			nearest = nearTo(r, src.X.Text, r.enums)
		}
		r.unknown("enum", src.X, nearest)
	case nearTo(r, src.X.Text, r.enums) == "" && near(r, src.X.Text, r.vars.names) != "":
		r.unknown("field", src.X, near(r, src.X.Text, r.vars.names))
	default:
		if nearTo(r, src.X.Text, r.enums) == "" {
			if nearest := r.nearHolder(src.X.Text); nearest != "" {
				r.unknown("field", src.X, nearest)
				return
			}
		}
		find(r, r.enums, src.X)
	}
}
