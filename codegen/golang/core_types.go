package golang

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// names writes the states, events and enums, as small integers.
func (c *corePrinter) names() {
	p, m := c.p, c.m
	typ := m.Name + "State"
	p.docOf(typ, m.Doc, "is a state of machine "+m.src.Name+"; the zero value is none.")
	var states, events []constPlan
	notes := map[string]string{}
	for _, s := range m.States {
		states = append(states, constPlan{s.Const, s.Path})
		notes[s.Const] = outcomeNote(s.Outcome)
	}
	c.ids(typ, states, notes)
	c.outcomes()
	for _, e := range m.Events {
		events = append(events, constPlan{e.Const, e.Name})
	}
	c.idsOf("Event", "names an event of machine "+m.src.Name+".", events)
	for _, e := range m.Enums {
		p.docOf(e.Type, e.Doc, "is one of the values below; the zero value is none.")
		c.ids(e.Type, e.Values, nil)
	}
}

// outcomes writes how each terminal ends a run.
func (c *corePrinter) outcomes() {
	p, typ := c.p, c.m.Name+"State"
	p.f("// Terminal reports whether the machine has ended.")
	p.f("func (v %s) Terminal() bool { return v.Outcome() != \"\" }\n", typ)
	p.f("// Outcome is \"success\", \"failure\" or \"cancelled\" for a terminal state, and empty for another.")
	p.f("func (v %s) Outcome() string {", typ)
	p.f("switch v {")
	for _, outcome := range []string{"success", "failure", "cancelled"} {
		var list []string
		for _, s := range c.m.States {
			if s.Outcome == outcome {
				list = append(list, s.Const)
			}
		}
		if len(list) > 0 {
			p.f("case %s:\nreturn %s", strings.Join(list, ", "), quote(outcome))
		}
	}
	p.f("}\nreturn \"\"\n}\n")
}

// types writes the core and what it is made of.
func (c *corePrinter) types() {
	c.idsOf("DoName", "names an activity of a state.", c.plan.Dos)
	c.idsOf("TimerName", "names an `after` of a state.", c.plan.Timers)
	c.armNames()
	if len(c.m.src.Dos) > 0 {
		var categories []constPlan
		for _, k := range c.m.src.Categories {
			categories = append(categories, constPlan{c.category(k), k.Name})
		}
		c.idsOf("FailureCategory", "is a category of failure.", categories)
	}
	c.counters()
	c.coreType()
}

// idsOf writes a type of names that are none of the source's own.
func (c *corePrinter) idsOf(what, doc string, list []constPlan) {
	if len(list) == 0 {
		return
	}
	c.p.f("// %s%s %s", c.m.Name, what, doc)
	c.ids(c.m.Name+what, list, nil)
}

// ids writes a small integer type for things with names; 0 is none of them.
func (c *corePrinter) ids(typ string, list []constPlan, notes map[string]string) {
	p, table := c.p, unexported(typ)+"Names"
	p.f("type %s uint16\n\nconst (", typ)
	for i, v := range list {
		start := ""
		if i == 0 {
			start = " " + typ + " = iota + 1"
		}
		p.f("%s%s%s", v.Name, start, notes[v.Name])
	}
	p.f(")\n")
	p.f("var %s = [...]string{\n\"\",", table)
	for _, v := range list {
		p.f("%s,", quote(v.Value))
	}
	p.f("}\n")
	p.f("// String is the name in the source.")
	p.f("func (v %s) String() string {\nif int(v) < len(%[2]s) {\nreturn %[2]s[v]\n}\nreturn \"\"\n}\n", typ, table)
}

// armNames writes the names of what an input may do.
func (c *corePrinter) armNames() {
	list := c.plan.Arms
	if c.plan.ignored {
		list = append(list[:len(list):len(list)], constPlan{c.m.Name + "ArmIgnored", "ignore"})
	}
	if c.plan.deferred {
		list = append(list[:len(list):len(list)], constPlan{c.m.Name + "ArmDeferred", "defer"})
	}
	if len(list) == 0 {
		c.p.f("// %[1]sArm names an arm; no input takes any.\ntype %[1]sArm uint16\n", c.m.Name)
		return
	}
	c.idsOf("Arm", "names what an input does: an arm of the source.", list)
}

func (c *corePrinter) counters() {
	if len(c.plan.counted) == 0 {
		return
	}
	c.p.f("// %sCounters are how often each bound has been used in its scope.", c.m.Name)
	c.p.f("type %sCounters struct {", c.m.Name)
	for _, a := range c.plan.counted {
		c.p.f("%s %s // %s", c.plan.Counters[a], counterType(a), oneLine(a.StepText()))
	}
	c.p.f("}\n")
}

// coreType writes what decides which input does what.
func (c *corePrinter) coreType() {
	id, started := c.m.src.OwnVar(ir.RunID) != nil, c.m.src.OwnVar(ir.RunStarted) != nil
	c.t(`// @MCore is a machine as it stands: the state, the data, and how much of each bound
// is used. Copies are independent of each other.
type @MCore struct {
	State  @MState
` + when(len(c.plan.counted) > 0, "Used @MCounters\n") + `	Data   @MData
	Params @MParams
` + when(id, "ID string // the run's own id, run.id\n") +
		when(started, "Started time.Time // when Start was called, run.started\n") + `}

// New@MCore is a machine that has not started, with the defaults of its data.
func New@MCore(params @MParams` + when(id, ", id string") + `) @MCore {
	return @MCore{Params: params` + when(id, ", ID: id") + c.defaults() + `}
}
`)
}

// defaults are the values that the fields of a run have from the start.
func (c *corePrinter) defaults() string {
	x := &exprs{c: c}
	var fields []string
	all := c.m.src.Fields
	for _, f := range ir.Declared(all) {
		switch d := f.Default; {
		case d == nil:
		case f.Whole != nil:
			var leaves []given
			from := f.Index - f.Whole.Type.FirstSure()
			for _, l := range all[from : from+f.Whole.Type.Count()] {
				leaf := given{set: never}
				if l.Default != nil {
					leaf = given{code: x.literal(l.Default, l.Type, 0)}
				}
				leaves = append(leaves, leaf)
			}
			fields = append(fields, exported(f.Whole.Name)+": "+c.m.compose(f.Whole.Type, false, leaves)+",\n")
		case d.Kind != ir.List:
			fields = append(fields, exported(f.Name)+": "+x.literal(d, f.Type, 0)+",\n")
		}
	}
	return when(len(fields) > 0, ", Data: @MData{\n"+strings.Join(fields, "")+"}")
}
