package golang

import (
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
		r.Fields = append(r.Fields, fieldPlan{
			Name: p.field(&r.structPlan, f.Name, f.Span), JSON: f.Name, Type: m.goTypeOf(f.Type, f.Optional), Doc: f.Doc, Optional: f.Optional, typ: f.Type})
	}
}

// records writes records as structs.
func (p *printer) records(records []*recordPlan, tags bool) {
	for _, r := range records {
		named := r.structPlan
		named.Doc = ""
		p.docOf(r.Type, r.Doc, "is a record of the source.")
		p.structType(&named, tags)
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

// compose is a value of type t made of its leaves, in order.
func (m *machinePlan) compose(t *ir.Type, leaves []string) string {
	text, _ := m.composed(t, leaves)
	return text
}

func (m *machinePlan) composed(t *ir.Type, leaves []string) (text string, rest []string) {
	if t.Kind != ir.RecordKind {
		return leaves[0], leaves[1:]
	}
	var fields []string
	for _, f := range t.Record.Fields {
		text, leaves = m.composed(f.Type, leaves)
		fields = append(fields, exported(f.Name)+": "+text)
	}
	return m.goType(t) + "{" + strings.Join(fields, ", ") + "}", leaves
}

// ofLeaves joins what part makes of each leaf of t, which v, a Go expression, holds. The
// leaf is called name in messages.
func ofLeaves(t *ir.Type, v, name string, part func(l ir.RecordLeaf, v, name string) string) []string {
	var out []string
	for _, l := range t.Leaves() {
		if l.Path == "" {
			out = append(out, part(l, v, name))
		} else {
			out = append(out, part(l, v+"."+goPath(l.Path), strings.TrimPrefix(name+"."+l.Path, ".")))
		}
	}
	return out
}

// stored is where the value of v stands in the data of a core.
func stored(v *ir.Var) string {
	if v.Whole == nil || v.Default != nil {
		return "s.Data." + goPath(v.Name)
	}
	return "s.Data." + exported(v.Whole.Name) + ".Value" + strings.TrimPrefix(goPath(v.Name), exported(v.Whole.Name))
}
