package golang

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// take writes what each kind of input does.
func (c *corePrinter) take(start string) {
	p := c.p
	p.f("// take does what the input asks for.")
	p.f("func (t *%[1]sStepper) take(s *%[1]sSnapshot, in *%[1]sStepInput) error {\nswitch in.Kind {", c.m.Name)
	c.t("case @MInputStart:")
	if c.checked(c.m.Params) {
		c.t("if why := in.Params.misfit(); why != \"\" {\nreturn t.refuse(s, in, why)\n}")
	}
	c.t("t.save(s)\ns.Params, s.Started = in.Params, t.now")
	for _, f := range c.m.Params.Fields {
		if f.typ.Kind == ir.Time {
			p.use("time")
			p.f("s.Params.%[1]s = s.Params.%[1]s.UTC().Truncate(time.Microsecond)", f.Name)
		}
	}
	p.f("%s", start)
	if len(c.m.Events) > 0 {
		c.t("case @MInputEvent:\nreturn t.takeEvent(s, in)")
	}
	if c.plan.deferred {
		c.t("case @MInputKept:\nt.takeKept(s)")
	}
	if c.plan.tasks > 0 {
		c.t("case @MInputResult, @MInputEnded:\nt.takeResult(s, in)\ncase @MInputFailure:\nt.takeFailure(s, in)")
	}
	if c.plan.alarms > 0 {
		c.t(`case @MInputTimer:
	t.save(s)
	s.Due[s.place(in.Timer)] = 0 // whatever its arm does, it is spent
	t.handle(s, in)`)
	}
	c.t(`case @MInputDone:
	t.save(s)
	s.DoneDue = false
	t.handle(s, in)
case @MInputCancel:
	t.save(s)
	s.Cancelled = true
	if in.Force || t.dispatch(s, in) == @mNothing {`)
	if c.plan.tasks > 0 {
		p.f("t.leaveTasks(s)")
	}
	c.t(`		s.Stopped = true
		t.end(s)
	}
}
return nil
}

// handle takes an input from inside: where no arm takes it, that is a fault.
func (t *@MStepper) handle(s *@MSnapshot, in *@MStepInput) {
	if t.dispatch(s, in) == @mNothing {
		t.fail("nothing takes the input in this state")
	}
}
`)
	if len(c.m.Events) > 0 {
		c.takeEvent()
	}
	if c.plan.deferred {
		c.takeKept()
	}
	if c.plan.tasks > 0 {
		c.takeResults()
	}
	c.arrivals()
}

func (c *corePrinter) takeEvent() {
	p := c.p
	p.f("// takeEvent judges an event from outside.")
	p.f("func (t *%[1]sStepper) takeEvent(s *%[1]sSnapshot, in *%[1]sStepInput) error {\nswitch in.Event {", c.m.Name)
	var internal []string
	for _, e := range c.m.Events {
		switch {
		case !e.External:
			internal = append(internal, e.Const)
		case c.checked(e.Payload):
			p.f("case %s:\nif why := in.Data.%s.misfit(); why != \"\" {\nreturn t.refuse(s, in, why)\n}", e.Const, exported(e.Name))
		}
	}
	if len(internal) > 0 {
		p.f("case %s:\nreturn t.refuse(s, in, \"activities alone raise it\")", strings.Join(internal, ", "))
	}
	p.f("}\nswitch t.dispatch(s, in) {\ncase %sNothing:\nreturn t.refuse(s, in, \"no arm takes it there\")", c.m.low)
	if c.anyArm(func(a *ir.Arm) bool { return a.Kind == ir.Reject }) {
		c.t("case @mRejected:\nreturn t.refuse(s, in, \"the machine refuses it there\")")
	}
	if c.plan.deferred {
		c.t("case @mDeferred:\nt.keep(s, in)")
	}
	p.f("}\nreturn nil\n}\n")
}

func (c *corePrinter) takeKept() {
	quiet := ""
	if c.plan.idle {
		quiet = "t.quiet = true\n"
	}
	dropped := "case @mNothing:"
	if c.anyArm(func(a *ir.Arm) bool { return a.Kind == ir.Reject }) {
		dropped = "case @mNothing, @mRejected:"
	}
	silent := "true"
	for _, g := range c.m.src.Guards {
		if c.asks(g) {
			silent += " && len(t.asked" + exported(g.Name) + ") == 0"
		}
	}
	c.t(`// keep defers an event. It has been looked at in this state: it comes again when
// another is entered.
func (t *@MStepper) keep(s *@MSnapshot, in *@MStepInput) {
	size := in.size()
	for i := range s.Kept {
		size += s.Kept[i].size()
	}
	if len(s.Kept) >= 1000 || size > 4<<20 {
		t.fail("the run keeps no more deferred events")
		return
	}
	if s.KeptNext == len(s.Kept) {
		s.KeptNext++
	}
	again := *in
	again.Kind = @MInputKept
	s.Kept = append(s.Kept[:len(s.Kept):len(s.Kept)], again)
	` + quiet + `}

// takeKept looks at the next deferred event again: the state defers it once
// more, takes it, or it is dropped.
func (t *@MStepper) takeKept(s *@MSnapshot) {
	t.save(s)
	i := s.KeptNext
	in := &s.Kept[i]
	s.Kept = append(s.Kept[:i:i], s.Kept[i+1:]...)
	if len(s.Kept) == 0 {
		s.Kept = nil
	}
	if s.Status == @MRunStatusFinished {
		` + quiet + `return
	}
	switch t.dispatch(s, in) {
	` + dropped + `
		` + quiet + `case @mDeferred:
		*s = t.saved
		s.KeptNext++
		t.silent = ` + strings.TrimPrefix(silent, "true && ") + `
		` + quiet + `}
}
`)
	p := c.p
	p.f("// size is about how many bytes a deferred event takes.")
	p.f("func (in *%sStepInput) size() int {\nswitch in.Event {", c.m.Name)
	for _, e := range c.payloads() {
		if e.External {
			var parts []string
			for _, f := range e.Payload.Fields {
				parts = append(parts, c.sizeOf(f.typ, "in.Data."+exported(e.Name)+"."+f.Name))
			}
			p.f("case %s:\nreturn 16 + %s", e.Const, strings.Join(parts, " + "))
		}
	}
	p.f("}\nreturn 16\n}\n")
}

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
	if len(c.plan.executions) > 0 {
		p.f("if place := in.Task.Do.execution(); place >= 0 {\nt.save(s)\ns.Executions[place] = %sDoExecution{} // it has ended with a result\n}", m.Name)
	}
	c.t(`	if in.Kind == @MInputEnded {
		t.endTask(s)
		return
	}
	t.handle(s, in)
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
	if !in.Task.Do.canFail(in.Category) {
		t.misfit, t.unfit = *in, true
		t.misfit.Category = ` + c.category(c.unknown()) + `
		in = &t.misfit
	}
	t.message = in.Message
	if len(t.message) > 64<<10 {
		t.message = t.message[:64<<10]
	}
	t.message = strings.ToValidUTF8(t.message, "\uFFFD")
	t.handle(s, in)
}
`)
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
