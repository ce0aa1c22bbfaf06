package resolve

import (
	"slices"
	"strconv"
	"strings"

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
			rec.Fields[0].Optional = false
		}
		if len(rec.Fields) == 0 {
			rec.Fields = []*ir.RecordField{{Type: invalid, Span: rec.Span}} // the parser has reported it
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

// spot is a part of a field: its type, and its path and its first leaf in the field.
type spot struct {
	t        *ir.Type
	path     string
	optional bool      // it may be absent from the record around it
	within   ir.Within // by paths
	offset   int
}

// walk is walkTo for a place that is no part of a json.
func (r *resolver) walk(t *ir.Type, what string, names []*ast.Name) (p spot, found bool) {
	p, keys, found := r.walkTo(t, what, names)
	if len(keys) > 0 {
		r.report(unknownName, keys[0].Span(), quote(joined(what, p.path))+" is "+article(named(p.t))+", and has no fields", "Only a record has fields.")
		return p, false
	}
	return p, found
}

// walkTo follows names into a value of type t, which is called what; not found is
// reported. The names behind what is no record are keys, which only a json has.
func (r *resolver) walkTo(t *ir.Type, what string, names []*ast.Name) (p spot, keys []*ast.Name, found bool) {
	p.t = t
	for i, name := range names {
		switch {
		case !present(name):
			r.m.Incomplete = true
			return p, nil, false
		case p.t.Kind == ir.Invalid:
			return p, nil, false
		case p.t.Kind != ir.RecordKind:
			return p, names[i:], true
		}
		record := p.t.Record
		at := slices.IndexFunc(record.Fields, func(f *ir.RecordField) bool { return f.Name == name.Text })
		if at < 0 {
			fields := map[string]bool{}
			for _, f := range record.Fields {
				fields[f.Name] = true
			}
			r.misspelt(unknownName, name.Span(), "record "+quote(record.Name)+" has no field "+quote(name.Text),
				"Add it to the record, or name one of its fields.", near(r, name.Text, fields))
			return p, nil, false
		}
		r.referTo(name, record.Fields[at])
		for _, before := range record.Fields[:at] {
			p.offset += before.Type.Count()
		}
		p.optional = record.Fields[at].Optional
		p.t, p.path = record.Fields[at].Type, joined(p.path, name.Text)
		if p.optional {
			p.within = append(p.within, p.path)
		}
	}
	return p, nil, true
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

// isField reports whether name, before a point, is sought as a field or parameter: one
// that is no record gives way to an enum of its name, and to the run itself.
func (r *resolver) isField(name string) bool {
	v := r.vars.names[name]
	if v == nil || v.Type.Kind == ir.RecordKind {
		return v != nil
	}
	_, enum := r.enums.lookup(name)
	return !enum && (name != ir.RunWord || v.Type.Kind == ir.JSON)
}

// member is a place in a record: of a field, a parameter or the event.
func (r *resolver) member(src ast.Expr, sc scope) ir.Expr {
	at := src.Span()
	var names []*ast.Name // the last first
	ofEvent := false
	var base *ast.Selector
	for x := src; x != nil; {
		switch e := x.(type) {
		case *ast.Member:
			names, x = append(names, e.Sel), e.X
		case *ast.Selector:
			names, x, base = append(names, e.Sel, e.X), nil, e
		case *ast.EventField:
			names, x, ofEvent = append(names, e.Name), nil, true
		default:
			r.m.Incomplete = true
			return bad(at)
		}
	}
	slices.Reverse(names)
	if slices.ContainsFunc(names, func(n *ast.Name) bool { return !present(n) }) {
		r.m.Incomplete = true
		return bad(at)
	}
	if ofEvent {
		return r.eventField(at, names, sc)
	}
	if !r.isField(names[0].Text) {
		if e := r.ofElement(at, names, sc); e != nil {
			return e
		}
		return r.keys(r.selected(base, sc), names[2:], at, sc)
	}
	v := r.vars.names[names[0].Text]
	r.referTo(names[0], v)
	p, keys, found := r.walkTo(v.Type, v.Name, names[1:])
	if !found {
		return bad(at)
	}
	return r.keys(r.read(at, v, p.t, v.Index+p.offset, joined(v.Name, p.path)), keys, at, sc)
}

// keys is what e, a json, has under keys one below the other.
func (r *resolver) keys(e ir.Expr, keys []*ast.Name, at token.Span, sc scope) ir.Expr {
	for _, key := range keys {
		e = r.key(e, key, at, sc)
	}
	return e
}

// unknownPlace reports that name, before a point, is no field with fields.
func (r *resolver) unknownPlace(name *ast.Name) {
	r.unknown("field", name, near(r, name.Text, r.vars.names))
}

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
		at := slices.IndexFunc(rec.Fields, func(g *ir.RecordField) bool { return g.Name == name })
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

// fitLeaves is fit for the leaves of e: as many as want has.
func (r *resolver) fitLeaves(e ir.Expr, want *ir.Type, what string, sc scope) []ir.Expr {
	return leavesFor(r.whole(e, want, what, sc), want)
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
