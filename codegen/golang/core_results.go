package golang

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// takeResults writes what is done with what an activity raised, and with its
// failure.
func (c *corePrinter) takeResults() {
	p, m := c.p, c.m
	c.t(`// takeResult takes what an activity raised, or its end. A result that does not
// fit is a failure of category unknown.
func (t *@MStepper) takeResult(s *@MSnapshot, in *@MStepInput) {
	if why := in.misfit(); why != "" {
		t.unfit = true
		t.misfit = @MStepInput{Kind: @MInputFailure, Task: in.Task, Category: ` + c.category(c.unknown()) + `, Message: "the result does not fit: " + why}
		t.takeFailure(s, &t.misfit)
		return
	}`)
	ended := ""
	if len(c.plan.executions) > 0 {
		ended = "if place := in.Task.Do.execution(); place >= 0 {\ns.Executions[place] = @MDoExecution{} // it has ended with a result\n}\n"
	}
	c.t(`	if in.Kind == @MInputEnded {
		` + ended + `t.endTask(s)
		return
	}
	if arm, ok := t.inside(s, in); ok {
		` + ended + `t.carryOut(s, in, arm)
	}
}
`)
	if len(c.plan.executions) > 0 {
		p.f("// execution is the place of executions that outlive a visit, or -1.")
		p.f("func (d %sDoName) execution() int {\nswitch d {", m.Name)
		for _, d := range m.src.Dos {
			if e, ok := c.plan.executions[d]; ok {
				p.f("case %s:\nreturn %d", c.plan.Dos[d.ID].Name, e)
			}
		}
		p.f("}\nreturn -1\n}\n")
	}
	p.f("// misfit says why the task cannot have ended with this result, or nothing.")
	p.f("func (in *%sStepInput) misfit() string {\nswitch in.Task.Do {", m.Name)
	for _, b := range c.byActivity() {
		p.f("case %s:", strings.Join(b.labels, ", "))
		p.f("%s", b.body)
	}
	p.f("}\nreturn \"there is no such activity\"\n}\n")
	c.t(`// takeFailure takes a failed attempt. A category with which its do cannot fail is
// unknown.
func (t *@MStepper) takeFailure(s *@MSnapshot, in *@MStepInput) {
	known := in.Task.Do.canFail(in.Category)
	if !known || len(in.Message) > 64<<10 || !utf8.ValidString(in.Message) {
		t.misfit = *in
		in = &t.misfit
		if !known {
			in.Category, t.unfit = ` + c.category(c.unknown()) + `, true
		}
		in.Message = in.Message[:min(len(in.Message), 64<<10)]
		in.Message = strings.ToValidUTF8(in.Message, "\uFFFD")
	}
	if arm, ok := t.inside(s, in); ok {
		t.carryOut(s, in, arm)
	}
}
`)
	p.use("unicode/utf8")
	p.use("strings")
	p.f("// canFail reports whether d may fail with category k.")
	p.f("func (d %[1]sDoName) canFail(k %[1]sFailureCategory) bool {\nswitch d {", m.Name)
	var branches []branch
	for _, d := range m.src.Dos {
		var conds []string
		for _, k := range m.src.FailuresOf(d) {
			conds = append(conds, "k == "+c.category(k))
		}
		branches = append(branches, branch{[]string{c.plan.Dos[d.ID].Name}, "return " + strings.Join(conds, " || ")})
	}
	for _, b := range grouped(branches) {
		p.f("case %s:\n%s", strings.Join(b.labels, ", "), b.body)
	}
	p.f("}\nreturn false\n}\n")
	c.tasks()
}

func (c *corePrinter) unknown() *ir.Category {
	for _, k := range c.m.src.Categories {
		if k.BuiltIn && k.Name == ir.Unknown {
			return k
		}
	}
	panic("golang: a machine without category unknown")
}

// byActivity is the check of a result for each activity that is run.
func (c *corePrinter) byActivity() []branch {
	var branches []branch
	for _, d := range c.m.src.Dos {
		body := fmt.Sprintf("if in.Kind == %sInputEnded {\nreturn \"\"\n}\nreturn %s\n", c.m.Name, quote("activity "+quote(d.Activity.Name)+" has nothing to say"))
		if len(d.Activity.Results) > 0 {
			body = fmt.Sprintf("if in.Kind == %sInputEnded {\nreturn \"it names no event\"\n}\nswitch in.Event {\n", c.m.Name)
			for _, e := range d.Activity.Results {
				plan := c.m.ev[e]
				fits := "return \"\""
				if c.checked(plan.Payload) {
					fits = "return in.Data." + exported(e.Name) + ".misfit()"
				}
				body += "case " + plan.Const + ":\n" + fits + "\n"
			}
			body += "}\nreturn " + quote("activity "+quote(d.Activity.Name)+" does not raise that event") + "\n"
		}
		branches = append(branches, branch{[]string{c.plan.Dos[d.ID].Name}, body})
	}
	return grouped(branches)
}
