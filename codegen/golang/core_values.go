package golang

import (
	"strings"
)

// checked reports whether values of s may not fit.
func (c *corePrinter) checked(s *structPlan) bool { return c.misfits(s) != "" }

func (c *corePrinter) misfits(s *structPlan) string {
	var b strings.Builder
	noun := "field "
	if s == c.m.Params {
		noun = "parameter "
	}
	for _, f := range s.Fields {
		b.WriteString(c.checks(f.typ, "v."+f.Name, func(why string) string {
			return "return " + quote(noun+quote(f.JSON)+": "+why)
		}))
	}
	return b.String()
}

// values writes the checks of what comes from outside.
func (c *corePrinter) values() {
	structs := []*structPlan{c.m.Params}
	for _, e := range c.m.Events {
		if e.External || c.plan.tasks > 0 && c.raised(e) {
			structs = append(structs, e.Payload)
		}
	}
	for _, s := range structs {
		if body := c.misfits(s); body != "" {
			c.p.f("// misfit says what does not fit its type, or nothing.")
			c.p.f("func (v *%s) misfit() string {\n%sreturn \"\"\n}\n", s.Type, body)
		}
	}
	if !c.unbounded {
		return
	}
	var parts []string
	for _, f := range c.m.Data.Fields {
		v := "s.Data." + f.Name
		if f.Optional {
			v += ".Value"
		}
		parts = append(parts, c.sizeOf(f.typ, v))
	}
	c.t(`// checkSize keeps the data of a run, and with it every snapshot, small.
func (t *@MStepper) checkSize(s *@MCore) {
	if size := ` + strings.Join(parts, " +\n") + `; size > 4<<20 {
		t.fail("the fields of the run would take more than 4 MiB")
	}
}
`)
}

// raised reports whether some activity that is run raises e.
func (c *corePrinter) raised(e *eventPlan) bool {
	for _, d := range c.m.src.Dos {
		for _, r := range d.Activity.Results {
			if r == e.src {
				return true
			}
		}
	}
	return false
}
