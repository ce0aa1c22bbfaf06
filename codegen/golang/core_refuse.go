package golang

// refusals writes the error of an input that is refused.
func (c *corePrinter) refusals() {
	events := len(c.m.Events) > 0
	c.t(`// @MStepRefused is the error of an input that is refused: everything is as it was.
type @MStepRefused struct {
	Kind @MInputKind // of the input
` + when(events, "Event @MEvent // of an event and a result\n") + `	Why  string
	core *@MCore
}

// Error names the input, the state, the reason and what is allowed there.
func (r *@MStepRefused) Error() string {
	text := "done"
	switch r.Kind {
	case @MInputStart:
		return "the start is refused: " + r.Why
	case @MInputCancel:
		text = "cancel"
` + when(len(c.m.src.Enforced()) > 0, `	case @MInputOverBudget:
		text = "over_budget"
`) + `	case @MInputTimer:
		text = "a timer"
	case @MInputFailure:
		text = "a failure"
` + when(events, `	case @MInputEvent:
		text = "event " + strconv.Quote(r.Event.String())
	case @MInputResult:
		text = "result " + strconv.Quote(r.Event.String())
`) + `	}
	text += " is refused in state " + strconv.Quote(r.core.State.String()) + ": " + r.Why
` + when(events, `	for i, e := range r.Allowed() {
		if i == 0 {
			text += "; allowed there: "
		} else {
			text += ", "
		}
		text += e.String()
	}
`) + `	return text
}
` + when(events, `
// Allowed lists the events that the machine may take, as it now stands.
func (r *@MStepRefused) Allowed() []@MEvent {
	if r.Kind == @MInputStart {
		return nil
	}
	return r.core.Allowed()
}
`) + `
// refuse is the error that refuses the input where the machine stands.
func (t *@MStepper) refuse(s *@MCore, in *@MStepInput, why string) error {
	r := &t.refused
	r.Kind, r.Why, r.core = in.Kind, why, s
` + when(events, "r.Event = in.Event\n") + `	return r
}
`)
}
