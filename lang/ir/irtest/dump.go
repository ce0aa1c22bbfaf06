// Package irtest writes the resolved form of machines for tests.
package irtest

import (
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Dump writes p in a stable textual form that leaves out places but nothing of
// the meaning: texts that differ in their layout alone have one form.
func Dump(p *ir.Program) string {
	var b strings.Builder
	for _, m := range p.Machines {
		d := dumper{w: &b}
		d.machine(m)
	}
	return b.String()
}

// dumper writes lines, indented by depth.
type dumper struct {
	w     io.StringWriter
	depth int
}

func (d *dumper) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	d.w.WriteString(strings.Repeat("  ", d.depth) + strings.TrimRight(text, " ") + "\n")
}

// inside calls f one level deeper.
func (d *dumper) inside(f func()) {
	d.depth++
	f()
	d.depth--
}

func (d *dumper) doc(text string) {
	if text != "" {
		d.line("doc %q", text)
	}
}

func (d *dumper) machine(m *ir.Machine) {
	d.line("machine %s%s%s", m.Name, mark(m.Incomplete, "incomplete"), mark(m.Broken, "broken"))
	d.inside(func() {
		d.doc(m.Doc)
		for _, v := range m.Inputs() {
			d.variable("param", v)
		}
		for _, v := range m.Fields {
			d.variable("field", v)
		}
		for _, e := range m.Enums {
			d.line("enum %s %s", e.Name, strings.Join(e.Values, " "))
			d.inside(func() { d.doc(e.Doc) })
		}
		for _, r := range m.Records {
			d.line("record %s %s", r.Name, ir.Listed(r.Fields, func(f *ir.Field) string { return f.Name + " " + f.Type.String() }))
			d.inside(func() { d.doc(r.Doc) })
		}
		for _, e := range m.Events {
			d.event(e)
		}
		d.line("categories %s", ir.Listed(m.Categories, func(c *ir.Category) string { return c.Name + mark(c.BuiltIn, "built-in") }))
		for _, a := range m.Activities {
			d.activity(a)
		}
		for _, g := range m.Guards {
			d.line("guard %s(%s)", g.Name, params(g.Params))
			d.inside(func() { d.doc(g.Doc) })
		}
		d.budget(m.Budget)
		for _, a := range m.Asserts {
			d.assert(a)
		}
		for _, a := range m.Allows {
			d.allow(m, a)
		}
		for _, s := range m.States {
			d.state(s)
		}
	})
}

func (d *dumper) variable(kind string, v *ir.Var) {
	text := ""
	if v.Default != nil {
		text = " = " + v.Default.Text()
	}
	d.line("%s %d %s %s%s%s", kind, v.Index, v.Name, v.Type, mark(v.Optional, "optional"), text)
	d.inside(func() { d.doc(v.Doc) })
}

func (d *dumper) event(e *ir.Event) {
	d.line("event %d %s%s", e.Index, e.Name, mark(e.External(), "external"))
	d.inside(func() {
		d.doc(e.Doc)
		for _, f := range e.Fields {
			d.line("%d %s %s%s", f.Index, f.Name, f.Type, mark(f.Optional, "optional"))
			d.inside(func() { d.doc(f.Doc) })
		}
	})
}

func (d *dumper) activity(a *ir.Activity) {
	d.line("activity %d %s(%s)%s", a.Index, a.Name, params(a.Params), mark(a.Machine != nil, "machine"))
	d.inside(func() {
		d.doc(a.Doc)
		d.line("raises %s", ir.Listed(a.Results, func(e *ir.Event) string { return e.Name }))
		d.line("fails %s", ir.Listed(a.Fails, func(c *ir.Category) string { return c.Name }))
		d.line("cost %s", ir.Listed(a.Costs, costText))
		if a.Limit != (ir.Limit{}) {
			d.line("limit %+v", a.Limit)
		}
	})
}

func (d *dumper) budget(b *ir.Budget) {
	if b == nil {
		return
	}
	d.line("budget steps %s time %s %s", numberText(b.Steps), numberText(b.Time), ir.Listed(b.Costs, costText))
}

func (d *dumper) assert(a *ir.Assert) {
	if a.Verb == ir.AtMost {
		d.line("assert %s %s %d", a.About(), a.Verb, a.N)
		return
	}
	d.line("assert %s %s %s", a.About(), a.Verb, ir.Listed(a.Objects, name))
}

// allow names what the suppression covers, which is what its place means.
func (d *dumper) allow(m *ir.Machine, a *ir.Allow) {
	covers := ""
	if a.Covers.Contains(m.Body.Start) {
		covers += " machine"
	}
	for _, s := range m.States[1:] {
		if a.Covers.Contains(s.Body.Start) {
			covers += " " + s.Path
		}
	}
	for _, arm := range m.Arms {
		if a.Covers.Contains(arm.Span.Start) {
			covers += " arm " + strconv.Itoa(arm.ID)
		}
	}
	d.line("allow %s because %q:%s", a.Rule, a.Reason, covers)
}

// mark is word with a blank before it where on is set.
func mark(on bool, word string) string {
	if on {
		return " " + word
	}
	return ""
}

func params(list []*ir.Param) string {
	return ir.Listed(list, func(p *ir.Param) string { return p.Name + " " + p.Type.String() + mark(p.Optional, "optional") })
}

func costText(c ir.Cost) string { return c.Name + " " + c.Amount.RatString() }

// numberText is the number, or "-" for none.
func numberText(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}

// ratText is the exact number, or "-" for none.
func ratText(r *big.Rat) string {
	if r == nil {
		return "-"
	}
	return r.RatString()
}

// name is how a dump calls s: by its path, and "-" for none.
func name(s *ir.State) string {
	switch {
	case s == nil:
		return "-"
	case s.Parent == nil:
		return "(machine)"
	}
	return s.Path
}
