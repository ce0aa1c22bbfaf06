package golang

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// stepper writes the step itself: what it does with each kind of input, apart
// from Take.
func (c *corePrinter) stepper(arrive string) {
	c.stepperType()
	c.step()
	c.undo()
	c.settle()
	c.take()
	c.carryOut()
	c.t(arrive)
	c.admit()
	c.refusals()
	c.next()
}

func (c *corePrinter) stepperType() {
	p := c.p
	c.t(`// @MStepper takes steps. It holds what the last call asks for, and memory that the
// next one uses again. It is for one goroutine at a time.
type @MStepper struct {`)
	if len(c.m.Guards) > 0 {
		p.f("Guards %sGuards", c.m.Name)
	}
	p.f("Commands []%sStepCommand // of the last call", c.m.Name)
	if c.publishes() {
		p.f("Messages []%sOutMessage // that the last call publishes", c.m.Name)
	}
	c.t(`
	now   @MStepTime
	seq   int64
	why   string // the first thing that could not be computed
	was   @MCore // before what may not be computed
	saved @MSnapshot
	dirty bool // saved is what to go back to
	refused @MStepRefused
	before int // how many commands are of steps before this one
`)
	if c.publishes() {
		p.f("published int // how many messages are of those")
	}
	if c.plan.tasks > 0 {
		p.f("task int // place of the task that the input ends, or -1\nmessage string // of the failure\nmisfit %sStepInput // the failure that stands for a result that does not fit\nunfit bool // misfit stands for the input", c.m.Name)
	}
	if c.plan.idle {
		p.f("quiet bool // `idle` timers do not start anew")
	}
	if c.plan.deferred {
		p.f("silent bool // the step leaves no trace")
	}
	if c.hasFallibleGuards() {
		p.f("holds bool")
	}
	if c.plan.nested {
		p.f("kept int // depth of the innermost state that was not left")
	}
	if c.anyArm(func(a *ir.Arm) bool { return a.Backoff != nil && a.Backoff.By != nil }) {
		p.f("wait time.Duration // of a retry by an expression")
	}
	if c.redirects {
		p.f("turns int // leaves that a require has turned away from")
	}
	for _, g := range c.m.src.Guards {
		if c.asks(g) {
			p.f("asked%s []%s%sVerdict", exported(g.Name), c.m.low, exported(g.Name))
		}
	}
	p.f("}\n")
}

func (c *corePrinter) anyArm(f func(*ir.Arm) bool) bool {
	for _, a := range c.m.src.Arms {
		if f(a) {
			return true
		}
	}
	return false
}

// hasFallibleGuards reports whether the text of some leaf looks at a guard
// before it relies on it.
func (c *corePrinter) hasFallibleGuards() bool {
	return c.anyArm(func(a *ir.Arm) bool {
		x := &exprs{c: c, source: anySource(a)}
		if a.When == nil || x.source == nil {
			return false
		}
		x.expr(a.When, 0)
		return x.fails
	})
}

// anySource is an input with which a can be met.
func anySource(a *ir.Arm) *ir.Case {
	if a.Handler == nil {
		return &ir.Case{Kind: ir.CaseTimer}
	}
	for _, t := range a.Handler.Triggers {
		switch t.Kind {
		case ir.OnEvent:
			return &ir.Case{Kind: ir.CaseEvent, Event: t.Event}
		case ir.OnFailed:
			return &ir.Case{Kind: ir.CaseFailure, Category: &ir.Category{}, Do: &ir.Do{Activity: &ir.Activity{}}}
		}
	}
	return &ir.Case{Kind: ir.CaseDone}
}

func (c *corePrinter) asks(g *ir.Guard) bool {
	found := false
	for _, e := range exprsOf(c.m.src) {
		ir.Walk(e, func(e ir.Expr) bool {
			call, ok := e.(*ir.Call)
			found = found || ok && call.Guard == g
			return !found
		})
	}
	return found
}

// exprsOf lists the expressions of m that a step reads.
func exprsOf(m *ir.Machine) []ir.Expr {
	var out []ir.Expr
	for _, b := range blocksOf(m) {
		if b == nil {
			continue
		}
		for _, a := range b.Assigns {
			out = append(out, a.Value)
		}
		for _, p := range b.Publishes {
			out = append(out, p.Values...)
		}
	}
	for _, a := range m.Arms {
		out = append(out, a.When)
		if a.Backoff != nil {
			out = append(out, a.Backoff.By)
		}
	}
	for _, s := range m.States {
		if s.Require != nil {
			out = append(out, s.Require.Cond)
		}
	}
	return out
}

func (c *corePrinter) step() {
	c.p.use("time")
	c.t(`// Step takes one input: it changes s, and Commands are what makes the step real.
// The time of the step is now, or that of the step before, if that is later.
//
// Where the step cannot be taken s is as it was. The error is a *@MStepRefused for
// an event, a start or a cancel that is refused, valid until the next step;
// Err@MFenced for the result of an attempt that is not open; Err@MHalted for
// what a halted run does not take; Err@MNotDue for what the run does not wait
// for. An input from inside that nothing takes, or that cannot be computed,
// halts the run.
func (t *@MStepper) Step(s *@MSnapshot, in *@MStepInput, now time.Time) error {
	t.clear()
	return t.step(s, in, now)
}

// clear forgets what the last call asks for.
func (t *@MStepper) clear() {
	t.Commands = t.Commands[:0]`)
	p := c.p
	if c.publishes() {
		p.f("t.Messages = t.Messages[:0]")
	}
	c.t(`}

// begin makes ready for one more step of the same call.
func (t *@MStepper) begin(s *@MSnapshot, now time.Time) {
	t.now, t.seq = max(@MStepTimeOf(now), s.Now), s.Seq+1
	t.why, t.dirty, t.before = "", false, len(t.Commands)`)
	if c.publishes() {
		p.f("t.published = len(t.Messages)")
	}
	if c.plan.tasks > 0 {
		p.f("t.task, t.unfit = -1, false")
	}
	if c.plan.idle {
		p.f("t.quiet = false")
	}
	if c.plan.deferred {
		p.f("t.silent = false")
	}
	c.t(`}

// step is Step, behind the steps that the same call has taken.
func (t *@MStepper) step(s *@MSnapshot, in *@MStepInput, now time.Time) error {
	if in.Kind == @MInputCancel && s.Cancelled && (!in.Force || s.Status == @MRunStatusFinished) {
		return nil
	}
	t.begin(s, now)
	if err := t.admit(s, in); err != nil {
		return err
	}`)
	if c.plan.alarms > 0 {
		p.f("state, due := s.State, s.Due")
	}
	switch {
	case c.late:
		p.f("t.saveRun(s)")
	case c.plan.alarms+c.plan.tasks > 0:
		// Waits can fail only there: none of those known beforehand is longer.
		p.f("if t.now > %sLast-%d {\nt.saveRun(s)\n}", c.m.low, 2*(c.plan.longest/1000)+2)
	}
	finish := ""
	if c.plan.idle {
		finish += "if !t.quiet {\nt.restartIdle(s)\n}\n"
	}
	if c.plan.alarms > 0 {
		finish += "t.timerCommands(s, state, &due)\n"
	}
	silent := ""
	if c.plan.deferred {
		silent = "if t.silent {\nreturn nil\n}\n"
	}
	c.t(`	if refused := t.take(s, in); refused != nil {
		return refused
	}
	if t.why != "" {
		return t.undoRun(s, in)
	}
	` + silent + `s.Seq, s.Now = t.seq, t.now
	` + finish + `return nil
}

// saveRun keeps s as it is, to go back to where the step cannot be taken.
func (t *@MStepper) saveRun(s *@MSnapshot) {
	if !t.dirty {
		t.saved, t.dirty = *s, true
	}
}

// fail notes why the step cannot be taken.
func (t *@MStepper) fail(why string) {
	if t.why == "" {
		t.why = why
	}
}
`)
}

// undo writes how a step that cannot be computed leaves no trace.
func (c *corePrinter) undo() {
	messages := ""
	if c.publishes() {
		messages = "t.Messages = t.Messages[:t.published]\n"
	}
	published := ""
	if c.publishes() {
		published = "\nt.published = len(t.Messages)"
	}
	if c.saved {
		c.t(`// save keeps s as it is before what may not be computed.
func (t *@MStepper) save(s *@MCore) {
	t.was = *s` + published + `
}
`)
	}
	if c.undone {
		c.t(`// undo goes back to there.
func (t *@MStepper) undo(s *@MCore, in *@MStepInput) error {
	*s = t.was
	` + messages + `return t.refuse(s, in, t.why)
}
`)
	}
	swap := "input := *in\n"
	if c.plan.tasks > 0 {
		swap += "if t.unfit {\ninput = t.misfit\n}\n"
	}
	if c.plan.deferred {
		swap += "if in.Kind == @MInputKept {\ninput = s.Kept[s.KeptNext]\n}\n"
	}
	c.t(`// undoRun goes back to before the step: an input from outside is refused, another
// one halts the run.
func (t *@MStepper) undoRun(s *@MSnapshot, in *@MStepInput) error {
	if t.dirty {
		*s = t.saved
	}
	t.Commands = t.Commands[:t.before]
	` + messages + `if in.Kind == @MInputEvent || in.Kind == @MInputStart {
		return t.refuse(&s.@MCore, in, t.why)
	}
	s.Status, s.Seq, s.Now = @MRunStatusHalted, t.seq, t.now
	if s.Halt == nil {
		` + swap + `s.Halt = &@MStepHalt{Reason: t.why, Input: input}
	}
	return nil
}
`)
}
