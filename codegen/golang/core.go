package golang

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// corePrinter writes the pure machine: what a run in each leaf does with each
// input, as switches and plain expressions, in the order of the source.
type corePrinter struct {
	p    *printer
	m    *machinePlan
	plan *corePlan

	methods    map[string]bool // names taken on the stepper
	entries    map[entry]*entryFunc
	entryTexts map[*ir.State][]string

	unbounded bool // the data of a run may grow past what is allowed
	sized     bool // something makes it grow
	redirects bool // some leaf has a require
	fallible  bool // something may not be computed
	holds     bool // a guard among that
	saved     bool // something goes back to before it
}

// core writes the pure machine of m.
func (p *printer) core(m *machinePlan) {
	c := &corePrinter{
		p: p, m: m, plan: m.core, methods: map[string]bool{},
		entries: map[entry]*entryFunc{}, entryTexts: map[*ir.State][]string{},
	}
	c.unbounded = mayGrow(m.src)
	take := c.flat()
	begin := p.buf.Len()
	c.names()
	p.bounds(m)
	p.records(m.Records, false)
	p.structs(m, false)
	p.guards(m)
	c.types()
	c.inputs()
	c.stepper()
	p.buf.WriteString(take)
	for _, s := range m.src.States {
		for _, text := range c.entryTexts[s] {
			p.buf.WriteString(text)
		}
	}
	c.refusals()
	c.allowed()
	c.results()
	c.values()
	c.guards()
	c.helpers(p.buf.Bytes()[begin:])
}

// mayGrow reports whether the fields of a run may grow to more than the
// 4 MiB that a run may hold: strings and json have at most 1 MiB each.
func mayGrow(m *ir.Machine) bool {
	n := 0
	for _, f := range m.Fields {
		switch f.Type.Kind {
		case ir.String, ir.JSON:
			n++
		case ir.List:
			return true
		}
	}
	return n > 3
}

// t writes Go in which @M stands for the machine's name, and @m for the same
// with a small letter.
func (c *corePrinter) t(text string) {
	c.p.buf.WriteString(c.named(text))
	c.p.buf.WriteByte('\n')
}

func (c *corePrinter) named(text string) string {
	return strings.NewReplacer("@M", c.m.Name, "@m", c.m.low, "@q", c.m.src.Name).Replace(text)
}

// need is the name of a helper function; helpers are printed where their names
// occur.
func (c *corePrinter) need(name string) string { return c.m.low + name }

func (c *corePrinter) stateConst(s *ir.State) string { return c.m.Name + "State" + pathName(s.Path) }

func (c *corePrinter) category(k *ir.Category) string {
	return c.m.Name + "Category" + exported(k.Name)
}

// allowed writes which external events each leaf may take.
func (c *corePrinter) allowed() {
	if len(c.m.Events) == 0 {
		return
	}
	p := c.p
	p.f("// Allowed lists the external events that may be taken in the state, in the order of")
	p.f("// the source: those with an arm whose bound is not used up. Guards are not asked:")
	p.f("// they may depend on the event.")
	p.f("func (s *%[1]sCore) Allowed() []%[1]sEvent {", c.m.Name)
	p.f("var list []%sEvent", c.m.Name)
	p.f("switch s.State {")
	for _, leaf := range c.m.src.States {
		if leaf.Kind != ir.Leaf {
			continue
		}
		text := ""
		for _, k := range c.m.src.Cases(leaf) {
			if k.Kind != ir.CaseEvent {
				continue
			}
			always, conds := c.mayTake(c.m.src.Choices(leaf, k))
			add := fmt.Sprintf("list = append(list, %s)\n", c.m.ev[k.Event].Const)
			switch {
			case always:
				text += add
			case len(conds) > 0:
				text += "if " + strings.Join(conds, " || ") + " {\n" + add + "}\n"
			}
		}
		if text != "" {
			p.f("case %s:\n%s", c.stateConst(leaf), text)
		}
	}
	p.f("}\nreturn list\n}\n")
}

// results writes what the core returns in each terminal that does.
func (c *corePrinter) results() {
	for _, s := range c.m.States {
		if s.Result == nil {
			continue
		}
		var fields []string
		for i, ref := range s.returns {
			if i > 0 && ref.Var.Together(s.returns[i-1].Var) {
				continue // a leaf of the same record
			}
			name := ref.Var.Declared()
			whole := ir.Var{Slot: ir.Slot{Name: name}, Param: ref.Var.Param}
			fields = append(fields, exported(name)+": "+c.m.stored(&whole).value)
		}
		method := pathName(s.Path) + "Result"
		c.p.f("// %s is what the machine returns, and whether it has ended in %s.", method, s.Path)
		c.p.f("func (s *%sCore) %s() (_ %s, ok bool) {", c.m.Name, method, s.Result.Type)
		c.p.f("if s.State != %s {\nreturn %s{}, false\n}", s.Const, s.Result.Type)
		c.p.f("return %s{\n%s,\n}, true\n}\n", s.Result.Type, strings.Join(fields, ",\n"))
	}
}

func (c *corePrinter) mayTake(choices []ir.Choice) (always bool, conds []string) {
	for _, choice := range choices {
		a := choice.Arm
		switch {
		case a != nil && a.Max != nil:
			conds = append(conds, fmt.Sprintf("s.Used.%s < %d", c.plan.Counters[a], *a.Max))
		case a == nil || a.Kind != ir.Reject:
			return true, nil
		case a.When == nil:
			return false, conds
		}
	}
	return false, conds
}

// ask is a call of a host guard.
func (c *corePrinter) ask(x *exprs, e *ir.Call) string {
	var args []string
	leaves := x.given(e.Args)
	for _, p := range ir.Declarations(e.Guard.Params) {
		n := p.Type.Count()
		args = append(args, x.c.m.compose(p.Type, p.Optional, leaves[:n]))
		leaves = leaves[n:]
	}
	return "t.ask" + exported(e.Guard.Name) + "(" + strings.Join(args, ", ") + ")"
}
