package golang

import (
	"strings"
)

// take writes what each kind of input does to a run, around Take.
func (c *corePrinter) take() {
	p := c.p
	p.f("// take does what the input asks for.")
	p.f("func (t *%[1]sStepper) take(s *%[1]sSnapshot, in *%[1]sStepInput) error {\nswitch in.Kind {", c.m.Name)
	arrive := "t.arrive(s)"
	if len(c.m.src.Root.Timers) > 0 {
		arrive = "t.arriveFirst(s)"
	}
	c.t(`case @MInputStart:
	t.saveRun(s)
	s.Params, s.Started = in.Params, t.now
	if err := t.Start(&s.@MCore, t.now); err != nil {
		*s = t.saved
		return err
	}
	` + c.sendOut() + arrive)
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
	place := s.place(in.Timer)
	if arm, ok := t.inside(s, in); ok {
		s.Due[place] = 0 // whatever its arm does, it is spent
		t.carryOut(s, in, arm)
	}`)
	}
	stop := ""
	if c.plan.tasks > 0 {
		stop = "t.leaveTasks(s)\n"
	}
	c.t(`case @MInputDone:
	if arm, ok := t.inside(s, in); ok {
		s.DoneDue = false
		t.carryOut(s, in, arm)
	}
case @MInputCancel:
	arm, err := @MArm(0), error(nil)
	if !in.Force {
		arm, err = t.Take(&s.@MCore, in, t.now)
	}
	switch {
	case t.why != "":
		return nil
	case in.Force || err != nil:
		` + stop + `s.Stopped = true
		t.end(s)
	default:
		t.carryOut(s, in, arm)
	}
	s.Cancelled = true
}
return nil
}

// inside gives the machine an input that must be taken: that no arm takes it
// is a fault.
func (t *@MStepper) inside(s *@MSnapshot, in *@MStepInput) (arm @MArm, ok bool) {
	arm, err := t.Take(&s.@MCore, in, t.now)
	if err != nil {
		t.fail("nothing takes the input in this state")
	}
	return arm, err == nil
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
	c.ending()
}

// sendOut is the call that numbers what a step publishes; empty where nothing is.
func (c *corePrinter) sendOut() string {
	if c.publishes() {
		return "t.sendOut()\n"
	}
	return ""
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
			p.f("case %s:\nif why := in.Data.%s.misfit(); why != \"\" {\nreturn t.refuse(&s.%sCore, in, why)\n}", e.Const, exported(e.Name), c.m.Name)
		}
	}
	if len(internal) > 0 {
		p.f("case %s:\nreturn t.refuse(&s.%sCore, in, \"activities alone raise it\")", strings.Join(internal, ", "), c.m.Name)
	}
	deferred := ""
	if c.plan.deferred {
		deferred = `if arm == @MArmDeferred {
		t.keep(s, in)
		return nil
	}
	`
	}
	c.t(`}
	arm, err := t.Take(&s.@MCore, in, t.now)
	if err != nil {
		return err
	}
	` + deferred + `t.carryOut(s, in, arm)
	return nil
}
`)
}

func (c *corePrinter) takeKept() {
	quiet := ""
	if c.plan.idle {
		quiet = "t.quiet = true\n"
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
	in, arm, err := &s.Kept[s.KeptNext], @MArm(0), error(nil)
	if s.Status != @MRunStatusFinished {
		arm, err = t.Take(&s.@MCore, in, t.now)
	}
	switch {
	case err != nil && t.why != "":
		return
	case arm == @MArmDeferred:
		s.KeptNext++
		t.silent = ` + strings.TrimPrefix(silent, "true && ") + `
		` + quiet + `return
	}
	i := s.KeptNext
	s.Kept = append(s.Kept[:i:i], s.Kept[i+1:]...)
	if len(s.Kept) == 0 {
		s.Kept = nil
	}
	if arm == 0 {
		` + quiet + `return
	}
	t.carryOut(s, in, arm)
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
