package golang

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A record is a struct; what reads or sets it does so leaf by leaf.

// addRecords plans the records of the machine.
func (m *machinePlan) addRecords(p *planner) {
	for _, r := range m.src.Records {
		plan := &recordPlan{src: r, structPlan: structPlan{Type: p.declare(m.Name+exported(r.Name), r.Span), Doc: r.Doc}}
		m.Records = append(m.Records, plan)
		m.rec[r] = plan
	}
	for _, plan := range m.Records { // which may be fields of one another
		for _, f := range plan.src.Fields {
			plan.Fields = append(plan.Fields, fieldPlan{
				Name: p.field(&plan.structPlan, f.Name, f.Span), JSON: f.Name, Type: m.goType(f.Type), Doc: f.Doc, typ: f.Type})
		}
	}
}

// records writes the records as structs.
func (p *printer) records(m *machinePlan, tags bool) {
	for _, r := range m.Records {
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
