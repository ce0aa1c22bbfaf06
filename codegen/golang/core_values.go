package golang

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// misfits writes the checks of a struct, or nothing where every value fits.
func (c *corePrinter) misfits(s *structPlan) string {
	var b strings.Builder
	for _, f := range s.Fields {
		b.WriteString(c.m.whereSet(f.typ, "v."+f.Name, f.Optional, f.JSON, func(l ir.RecordLeaf, v, name string) string {
			return c.checks(l.Type, v, func(why string) string { return "return " + quote("parameter "+quote(name)+": "+why) })
		}))
	}
	return b.String()
}

// values writes the checks of the parameters, and of what the data takes.
func (c *corePrinter) values() {
	if body := c.misfits(c.m.Params); body != "" {
		c.p.f("// misfit says what does not fit its type, or nothing.")
		c.p.f("func (v *%s) misfit() string {\n%sreturn \"\"\n}\n", c.m.Params.Type, body)
	}
	if !c.sized {
		return
	}
	var parts []string
	for _, f := range c.m.Data.Fields {
		parts = append(parts, c.sizeOfLeaves(f.typ, "s.Data."+f.Name, f.Optional))
	}
	c.t(`// checkSize keeps the data small.
func (t *@MStepper) checkSize(s *@MCore) {
	if size := ` + strings.Join(parts, " +\n") + `; size > 4<<20 {
		t.fail("the fields of the run would take more than 4 MiB")
	}
}
`)
}
