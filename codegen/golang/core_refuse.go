package golang

// admit writes what refuses an input that the run cannot be given at all.
func (c *corePrinter) admit() {
	p := c.p
	c.p.use("errors")
	c.t(`// Why a step is not taken, apart from a refusal.
var (
	Err@MFenced = errors.New("the attempt is not open")
	Err@MHalted = errors.New("the run is halted")
	Err@MNotDue = errors.New("the run does not wait for this input")
)

// admit refuses what the run cannot be given at all.
func (t *@MStepper) admit(s *@MSnapshot, in *@MStepInput) error {
	switch {
	case t.now < 1 || t.now > @mLast:
		return Err@MNotDue
	case in.Kind == @MInputStart && s.Status != @MRunStatusNotStarted:
		return t.refuseAll(s, in, "the run has started")
	case in.Kind == @MInputStart:
		return nil
	case s.Status == @MRunStatusNotStarted:
		return Err@MNotDue`)
	if len(c.m.Events) > 0 {
		c.t("case in.Kind == @MInputEvent && int(in.Event) >= len(@mEventNames):\nreturn Err@MNotDue")
	}
	p.f("}\nswitch in.Kind {")
	if c.plan.tasks > 0 {
		c.t(`case @MInputResult, @MInputEnded, @MInputFailure:
	for i := range s.Tasks {
		if task := &s.Tasks[i]; task.Open && task.Do == in.Task.Do && task.Execution == in.Task.Execution && task.Attempt == in.Task.Attempt {
			t.task = i
		}
	}
	if t.task < 0 {
		return Err@MFenced
	}`)
	}
	if c.plan.deferred {
		c.t(`case @MInputKept:
	if s.Status != @MRunStatusHalted && s.KeptNext >= len(s.Kept) {
		return Err@MNotDue
	}`)
	}
	if c.plan.alarms > 0 {
		c.t(`case @MInputTimer:
	if i := s.place(in.Timer); s.Status == @MRunStatusRunning && (i < 0 || s.Due[i] > t.now) {
		return Err@MNotDue
	}`)
	}
	c.t(`case @MInputDone:
	if s.Status == @MRunStatusRunning && !s.DoneDue {
		return Err@MNotDue
	}
}
outside := in.Kind == @MInputEvent || in.Kind == @MInputCancel
switch {
case s.Status == @MRunStatusHalted && in.Kind == @MInputCancel:
	return nil
case s.Status == @MRunStatusHalted && outside:
	return t.refuseAll(s, in, "the run is halted")
case s.Status == @MRunStatusHalted:
	return Err@MHalted
case s.Status == @MRunStatusFinished && outside:
	return t.refuseAll(s, in, "the run has ended")
case s.Status == @MRunStatusFinished && in.Kind != @MInputKept:
	return Err@MNotDue
}
`)
	known := "@MInputCancel, @MInputDone"
	if len(c.m.Events) > 0 {
		known += ", @MInputEvent"
	}
	if c.plan.tasks > 0 {
		known += ", @MInputResult, @MInputEnded, @MInputFailure"
	}
	if c.plan.alarms > 0 {
		known += ", @MInputTimer"
	}
	if c.plan.deferred {
		known += ", @MInputKept"
	}
	c.t("switch in.Kind {\ncase " + known + ":\nreturn nil\n}\nreturn Err@MNotDue\n}\n")
}

func (c *corePrinter) refusals() {
	allowed, list := "", ""
	event := ""
	if len(c.m.Events) > 0 {
		event = "\n\tEvent @MEvent // of an event"
		allowed = `
// Allowed lists the events that the run may take, as it now stands.
func (r *@MStepRefused) Allowed() []@MEvent {
	if r.quiet || r.fresh {
		return nil
	}
	return r.core.Allowed()
}
`
		list = `
	for i, e := range r.Allowed() {
		if i == 0 {
			text += "; allowed there: "
		} else {
			text += ", "
		}
		text += e.String()
	}`
	}
	what := `	text := "done"
	switch r.Kind {
	case @MInputStart:
		text = "the start"
	case @MInputCancel:
		text = "cancel"
	case @MInputTimer:
		text = "a timer"
	case @MInputFailure:
		text = "a failure"
	case @MInputEnded:
		text = "the end of an activity"`
	if len(c.m.Events) > 0 {
		what += `
	case @MInputEvent, @MInputKept:
		text = "event " + strconv.Quote(r.Event.String())
	case @MInputResult:
		text = "result " + strconv.Quote(r.Event.String())`
	}
	what += "\n\t}\n"
	set := ""
	event2 := ""
	if len(c.m.Events) > 0 {
		event2 = "\n\tr.Event = in.Event"
		set = ", Event: in.Event"
	}
	c.p.use("strconv")
	c.t(`// @MStepRefused is the error of an input that is refused: everything is as it was.
type @MStepRefused struct {
	Kind @MInputKind // of the input` + event + `
	Why  string
	core *@MCore
	quiet bool // the run takes no event
	fresh bool // it has no state
}

// Error names the input, the state, the reason and what is allowed there.
func (r *@MStepRefused) Error() string {
` + what + `	text += " is refused"
	if !r.fresh {
		text += " in state " + strconv.Quote(r.core.State.String())
	}
	text += ": " + r.Why` + list + `
	return text
}
` + allowed + `
// refuse is the error that refuses the input where the machine stands.
func (t *@MStepper) refuse(s *@MCore, in *@MStepInput, why string) error {
	r := &t.refused
	r.Kind, r.Why, r.core = in.Kind, why, s
	r.quiet, r.fresh = false, in.Kind == @MInputStart` + event2 + `
	return r
}

// refuseAll is the error of an input that the run refuses whatever it is.
func (t *@MStepper) refuseAll(s *@MSnapshot, in *@MStepInput, why string) error {
	t.refused = @MStepRefused{Kind: in.Kind` + set + `, Why: why, core: &s.@MCore, quiet: true, fresh: s.Status == @MRunStatusNotStarted}
	return &t.refused
}
`)
}
