package resolve

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

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
	p, keys, found := r.walkTo(t, names)
	if len(keys) > 0 {
		r.report(unknownName, keys[0].Span(), quote(ir.Joined(what, p.path))+" is "+diag.Article(named(p.t))+", and has no fields", "Only a record has fields.")
		return p, false
	}
	return p, found
}

// walkTo follows names into a value of type t; not found is
// reported. The names behind a value that is no record are keys, which only a json has.
func (r *resolver) walkTo(t *ir.Type, names []*ast.Name) (p spot, keys []*ast.Name, found bool) {
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
		at := slices.IndexFunc(record.Fields, func(f *ir.Field) bool { return f.Name == name.Text })
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
		p.t, p.path = record.Fields[at].Type, ir.Joined(p.path, name.Text)
		if p.optional {
			p.within = append(p.within, p.path)
		}
	}
	return p, nil, true
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
	p, keys, found := r.walkTo(v.Type, names[1:])
	if !found {
		return bad(at)
	}
	return r.keys(r.read(at, v, p.t, v.Index+p.offset, ir.Joined(v.Name, p.path)), keys, at, sc)
}

// keys is what e, a json, has under keys one below the other.
func (r *resolver) keys(e ir.Expr, keys []*ast.Name, at token.Span, sc scope) ir.Expr {
	for _, key := range keys {
		e = r.key(e, key, at, sc)
	}
	return e
}
