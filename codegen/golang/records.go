package golang

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// A record is a struct; what reads or sets it does so leaf by leaf.

// shares reports whether r has one type for all that stands in the package of from: neither
// it nor a type in it is of another one.
func (p *planner) shares(from token.Span, r *ir.Record) bool {
	return r.OfFile && (p.elsewhere == nil || !slices.ContainsFunc(r.Places(), func(at token.Span) bool { return p.elsewhere(from, at) }))
}

// sharedRecord is the plan of a record that all machines of a package share.
func (p *planner) sharedRecord(r *ir.Record) *recordPlan {
	if p.records[r] != nil {
		return p.records[r]
	}
	plan := &recordPlan{src: r, structPlan: structPlan{Type: p.declare(exported(r.Name), r.Span), Doc: r.Doc}}
	p.records[r] = plan
	for _, f := range r.Fields {
		switch inner := f.Type.Innermost(); {
		case inner.Record != nil:
			p.sharedRecord(inner.Record)
		case inner.Enum != nil:
			p.sharedEnum(inner.Enum)
		}
	}
	plan.addFields(p, &machinePlan{enum: p.shared, rec: p.records, Optional: runtimeOptional})
	return plan
}

// addRecords plans the records of the machine.
func (m *machinePlan) addRecords(p *planner, core bool) {
	for _, r := range m.src.Records {
		if !core && p.shares(m.src.Span, r) {
			m.rec[r] = p.sharedRecord(r)
			continue
		}
		plan := &recordPlan{src: r, structPlan: structPlan{Type: p.declare(m.Name+exported(r.Name), r.Span), Doc: r.Doc}}
		m.Records = append(m.Records, plan)
		m.rec[r] = plan
	}
	for _, plan := range m.Records { // which may be fields of one another
		plan.addFields(p, m)
	}
}

// addFields plans the fields of a record, with the Go types that m has.
func (r *recordPlan) addFields(p *planner, m *machinePlan) {
	for _, f := range r.src.Fields {
		r.Fields = append(r.Fields, m.field(p.field(&r.structPlan, f.Name, f.Span), f, f.Optional))
	}
}

// records writes records as structs.
func (p *printer) records(records []*recordPlan, tags bool) {
	for _, r := range records {
		p.docOf(r.Type, r.Doc, "is a record of the source.")
		p.fields(&r.structPlan, tags)
	}
}

// goPath selects the leaf of a record that is called name: "Order.Total".
func goPath(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, ".") {
		parts = append(parts, exported(part))
	}
	return strings.Join(parts, ".")
}

// localName is a part of the name of a Go variable for the leaf called name: no other
// leaf or field has it.
func localName(name string) string { return strings.ReplaceAll(goPath(name), ".", "_") }

// given is a value that a leaf of a record is given.
type given struct {
	code string
	set  string // whether there is one, as Go; empty for always
}

// compose is a value of type t made of its leaves, in order; an Optional of it where it may be
// absent.
func (m *machinePlan) compose(t *ir.Type, optional bool, leaves []given) string {
	text, head := leaves[0].code, leaves[t.FirstSure()].set
	if t.Kind == ir.RecordKind {
		var fields []string
		for _, f := range t.Record.Fields {
			n := f.Type.Count()
			fields = append(fields, exported(f.Name)+": "+m.compose(f.Type, f.Optional, leaves[:n]))
			leaves = leaves[n:]
		}
		text = m.goType(t) + "{" + strings.Join(fields, ", ") + "}"
	}
	switch {
	case !optional:
		return text
	case head == never:
		return m.goTypeOf(t, true) + "{}"
	case t.Kind == ir.JSON:
		head = notNull(head, text)
	}
	return m.goTypeOf(t, true) + "{Value: " + text + ", Set: " + cmp.Or(head, "true") + "}"
}

// never is the set of a value that is left out.
const never = "false"

// notNull is set for a json, of which null is no value where it may be absent.
func notNull(set, code string) string {
	if code = "string(" + code + ") != \"null\""; set != "" {
		return set + " && " + code
	}
	return code
}

// spot is where a value stands in Go. What may be absent is in an Optional. One that is not set
// has nothing in it that is set, so that the innermost around a value says whether there is one.
type spot struct {
	value    string
	optional string // the innermost around it; empty where there is none
	typ      string // of that
}

// spotIn is the spot of the leaf at a path of v, of type t, which may be absent or not.
func (m *machinePlan) spotIn(t *ir.Type, v string, optional bool, path string) spot {
	var s spot
	for {
		if optional {
			s.optional, s.typ = v, m.goTypeOf(t, true)
			v += ".Value"
		}
		if path == "" {
			s.value = v
			return s
		}
		name, rest, _ := strings.Cut(path, ".")
		f := t.Record.Fields[slices.IndexFunc(t.Record.Fields, func(f *ir.Field) bool { return f.Name == name })]
		v += "." + exported(name)
		t, optional, path = f.Type, f.Optional, rest
	}
}

// spot is the spot of the leaf called name, in root, which is an s.
func (m *machinePlan) spot(s *structPlan, root, name string) spot {
	first, path, _ := strings.Cut(name, ".")
	f := s.Fields[slices.IndexFunc(s.Fields, func(f fieldPlan) bool { return f.JSON == first })]
	return m.spotIn(f.typ, root+"."+f.Name, f.Optional, path)
}

// stored is where the value of v stands in a core.
func (m *machinePlan) stored(v *ir.Var) spot {
	if v.Param {
		return m.spot(m.Params, "s.Params", v.Name)
	}
	return m.spot(m.Data, "s.Data", v.Name)
}

// set is whether there is a value in s; empty for always.
func (s spot) set() string {
	if s.optional == "" {
		return ""
	}
	return s.optional + ".Set"
}

// ofLeaves joins what part makes of each leaf of t, which v, a Go expression, holds, and which
// may be absent or not. The leaf is called name in messages.
func (m *machinePlan) ofLeaves(t *ir.Type, v string, optional bool, name string, part func(l ir.RecordLeaf, s spot, name string) string) []string {
	var out []string
	for _, l := range t.Leaves() {
		out = append(out, part(l, m.spotIn(t, v, optional, l.Path), ir.Joined(name, l.Path)))
	}
	return out
}

// whereSet are the statements that part makes of each leaf that is there.
func (m *machinePlan) whereSet(t *ir.Type, v string, optional bool, name string, part func(l ir.RecordLeaf, v, name string) string) string {
	return strings.Join(m.ofLeaves(t, v, optional, name, func(l ir.RecordLeaf, s spot, name string) string {
		return ifSet(s.set(), part(l, s.value, name))
	}), "")
}

// ifSet is a body for what is there.
func ifSet(set, body string) string {
	if set == "" || body == "" {
		return body
	}
	return "if " + set + " {\n" + body + "}\n"
}
