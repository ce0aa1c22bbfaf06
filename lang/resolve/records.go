package resolve

import (
	"strconv"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Limits of records, which bound what a short text can stand for: a record is its leaves,
// and each of its fields may be a record again.
const (
	maxLeaves     = 1_000_000 // of all fields and expressions of a unit
	maxRecord     = 256       // leaves of a record, those in its lists too
	maxRecordDeep = 16        // records inside each other
)

// declareRecords declares the records of the machine or file, without their fields.
func (r *resolver) declareRecords() {
	for src := range items[*ast.Record](r) {
		rec := &ir.Record{Name: textOf(src.Name), Doc: src.Doc(), OfFile: r.file == nil}
		if _, taken := builtin[rec.Name]; taken {
			r.forbidden(src.Name, "record", "it is a built-in type")
			continue
		}
		if _, enum := r.enums.lookup(rec.Name); enum {
			r.duplicate("type", src.Name, r.enums.first(ir.Exported(rec.Name)))
			continue
		}
		r.m.Incomplete = r.m.Incomplete || len(src.Bad) > 0
		if claim(r, r.records, src.Name, rec) {
			rec.Span, rec.Decl = src.Name.Span(), src.Whole()
			r.m.Records, r.recordSources = append(r.m.Records, rec), append(r.recordSources, src)
		}
	}
}

// resolveRecordFields resolves the fields of records, which stand at sources.
func (r *resolver) resolveRecordFields(records []*ir.Record, sources []*ast.Record) {
	for i, rec := range records {
		fields := newSpace[*ir.RecordField]("field")
		sure := len(sources[i].Fields) == 0
		for _, p := range sources[i].Fields {
			f := &ir.RecordField{Name: textOf(p.Name), Doc: p.Doc()}
			f.Type, f.Optional = r.paramType(p)
			sure = sure || !f.Optional
			if claim(r, fields, p.Name, f) {
				f.Span = p.Name.Span()
				rec.Fields = append(rec.Fields, f)
			}
		}
		if !sure {
			r.mismatch(rec.Span, "record "+quote(rec.Name)+" has no field that is always there, and nothing would tell that it is set",
				"Take the `?` from one of its fields, or add one without.")
		}
		if !sure || len(rec.Fields) == 0 { // which the parser has reported
			rec.Fields = append(rec.Fields, &ir.RecordField{Type: invalid, Span: rec.Span})
		}
	}
}

// within is the leaves of t, whose number counts against what the unit may have; nil
// where there is no more room, which is reported once.
func (r *resolver) within(at token.Span, t *ir.Type) []ir.RecordLeaf {
	leaves := t.Leaves()
	if t.Kind != ir.RecordKind {
		return leaves
	}
	spent := r.room < 0
	if r.room -= len(leaves); r.room >= 0 {
		return leaves
	}
	r.m.Broken = true
	if !spent {
		r.report("syntax", at, "more than "+strconv.Itoa(maxLeaves)+" values in the records of one unit",
			"Every field and expression of a record type counts as many values as it has. Use smaller records, or a json.")
	}
	return nil
}

// alone is the Within of what is called name, and is no leaf of a record.
func alone(name string, optional bool) ir.Within {
	if optional {
		return ir.Within{name}
	}
	return nil
}

// leafVars are the Vars of v as it is declared, with their defaults: v itself, unless it
// is a record.
func (r *resolver) leafVars(v *ir.Var, defaults []*ir.Const) []*ir.Var {
	leaves := r.within(v.Span, v.Type)
	if leaves == nil {
		v.Type = invalid
	}
	if v.Type.Kind != ir.RecordKind {
		v.Within = alone(v.Name, v.Optional)
		return []*ir.Var{v}
	}
	whole := &ir.Whole{Name: v.Name, Type: v.Type, Optional: v.Optional, Doc: v.Doc, Span: v.Span}
	out := make([]*ir.Var, len(leaves))
	for i, l := range leaves {
		out[i] = &ir.Var{
			Name: joined(v.Name, l.Path), Whole: whole, Type: l.Type, Param: v.Param,
			Index: v.Index + i, Optional: v.Optional || l.Optional, Within: whole.Of(l), Doc: l.Doc, Span: v.Span,
		}
		if defaults != nil {
			out[i].Default = defaults[i]
		}
	}
	return out
}

// leafFields are the fields of an event of which f is declared.
func (r *resolver) leafFields(f *ir.EventField) []*ir.EventField {
	leaves := r.within(f.Span, f.Type)
	if leaves == nil {
		f.Type = invalid
	}
	if f.Type.Kind != ir.RecordKind {
		f.Within = alone(f.Name, f.Optional)
		return []*ir.EventField{f}
	}
	whole := &ir.Whole{Name: f.Name, Type: f.Type, Optional: f.Optional, Doc: f.Doc, Span: f.Span}
	out := make([]*ir.EventField, len(leaves))
	for i, l := range leaves {
		out[i] = &ir.EventField{
			Name: joined(f.Name, l.Path), Whole: whole, Type: l.Type, Optional: f.Optional || l.Optional, Within: whole.Of(l),
			Doc: l.Doc, Span: f.Span, Index: f.Index + i,
		}
	}
	return out
}

// leafParams are the parameters of an activity or a guard of which p is declared.
func (r *resolver) leafParams(p *ir.Param) []*ir.Param {
	leaves := r.within(p.Span, p.Type)
	if leaves == nil {
		p.Type = invalid
	}
	if p.Type.Kind != ir.RecordKind {
		p.Within = alone(p.Name, p.Optional)
		return []*ir.Param{p}
	}
	whole := &ir.Whole{Name: p.Name, Type: p.Type, Optional: p.Optional, Span: p.Span}
	out := make([]*ir.Param, len(leaves))
	for i, l := range leaves {
		out[i] = &ir.Param{Name: joined(p.Name, l.Path), Whole: whole, Type: l.Type, Optional: p.Optional || l.Optional, Within: whole.Of(l), Span: p.Span}
	}
	return out
}

// leavesOf are the Vars among which those of v, a declared field or parameter, begin at
// its index.
func (r *resolver) leavesOf(v *ir.Var) []*ir.Var {
	if v.Param {
		return r.m.Params
	}
	return r.m.Fields
}

// joined is the name of what has that path in the field called name; either may be empty.
func joined(name, path string) string {
	if name == "" || path == "" {
		return name + path
	}
	return name + "." + path
}

// leaves is a value of type t, which is written so, by its leaves.
func (r *resolver) leaves(at token.Span, t *ir.Type, written string, leaf func(int, ir.RecordLeaf) ir.Expr) ir.Expr {
	list := r.within(at, t)
	if list == nil {
		return bad(at)
	}
	exprs := make([]ir.Expr, len(list))
	for i, l := range list {
		exprs[i] = leaf(i, l)
		if l.Optional { // where the whole goes, it may be absent, too
			orUnset(exprs[i], true)
		}
	}
	if t.Kind != ir.RecordKind {
		return exprs[0]
	}
	return &ir.RecordLit{E: ir.E{T: t, At: at}, Leaves: exprs, Written: written}
}

// read reads what begins with the leaf at index of v's, has type t and is written so.
func (r *resolver) read(at token.Span, v *ir.Var, t *ir.Type, index int, written string) ir.Expr {
	return r.leaves(at, t, written, func(i int, _ ir.RecordLeaf) ir.Expr {
		leaf := r.leavesOf(v)[index+i]
		return &ir.VarRef{E: ir.E{T: leaf.Type, At: at}, Var: leaf}
	})
}
