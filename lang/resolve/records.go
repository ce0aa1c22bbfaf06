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
	for src := range ast.Of[*ast.Record](r.src.Items) {
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
		fields := newSpace[*ir.Field]("field")
		sure := len(sources[i].Fields) == 0
		for _, p := range sources[i].Fields {
			f := &ir.Field{Name: textOf(p.Name), Type: r.typeOf(p.Type), Optional: p.Optional, Doc: p.Doc()}
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
			rec.Fields = append(rec.Fields, &ir.Field{Type: invalid, Span: rec.Span})
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

// leavesMade are the leaves of declared, whose slot is s: made of theirs by leaf, or declared
// itself, unless it is a record.
func leavesMade[T any](r *resolver, declared T, s *ir.Slot, leaf func(int, ir.Slot) T) []T {
	leaves := r.within(s.Span, s.Type)
	if leaves == nil {
		s.Type = invalid
	}
	if s.Type.Kind != ir.RecordKind {
		if s.Optional {
			s.Within = ir.Within{s.Name}
		}
		return []T{declared}
	}
	whole := s.Declaration()
	out := make([]T, len(leaves))
	for i, l := range leaves {
		out[i] = leaf(i, ir.Slot{
			Name: ir.Joined(s.Name, l.Path), Whole: whole, Type: l.Type, Optional: s.Optional || l.Optional, Within: whole.Of(l), Doc: l.Doc, Span: s.Span,
		})
	}
	return out
}

// leafVars are the Vars of v as it is declared, with their defaults.
func (r *resolver) leafVars(v *ir.Var, defaults []*ir.Const) []*ir.Var {
	return leavesMade(r, v, &v.Slot, func(i int, s ir.Slot) *ir.Var {
		leaf := &ir.Var{Slot: s, Param: v.Param, Index: v.Index + i}
		if defaults != nil {
			leaf.Default = defaults[i]
		}
		return leaf
	})
}

// leavesOf are the Vars among which those of v, a declared field or parameter, begin at
// its index.
func (r *resolver) leavesOf(v *ir.Var) []*ir.Var {
	if v.Param {
		return r.m.Params
	}
	return r.m.Fields
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
