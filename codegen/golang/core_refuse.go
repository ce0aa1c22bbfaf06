package golang

// refusals writes the error of an input that is refused.
func (c *corePrinter) refusals() {
	allowed, list, field, set, what, over := "", "", "", "", "", ""
	if len(c.m.src.Enforced()) > 0 {
		over = `
	case @MInputOverBudget:
		text = "over_budget"`
	}
	if len(c.m.Events) > 0 {
		field, set = "\n\tEvent @MEvent // of an event and a result", "\n\tr.Event = in.Event"
		what = `
	case @MInputEvent:
		text = "event " + strconv.Quote(r.Event.String())
	case @MInputResult:
		text = "result " + strconv.Quote(r.Event.String())`
		list = `
	for i, e := range r.Allowed() {
		if i == 0 {
			text += "; allowed there: "
		} else {
			text += ", "
		}
		text += e.String()
	}`
		allowed = `
// Allowed lists the events that the machine may take, as it now stands.
func (r *@MStepRefused) Allowed() []@MEvent {
	if r.Kind == @MInputStart {
		return nil
	}
	return r.core.Allowed()
}
`
	}
	c.t(`// @MStepRefused is the error of an input that is refused: everything is as it was.
type @MStepRefused struct {
	Kind @MInputKind // of the input` + field + `
	Why  string
	core *@MCore
}

// Error names the input, the state, the reason and what is allowed there.
func (r *@MStepRefused) Error() string {
	text := "done"
	switch r.Kind {
	case @MInputStart:
		return "the start is refused: " + r.Why
	case @MInputCancel:
		text = "cancel"` + over + `
	case @MInputTimer:
		text = "a timer"
	case @MInputFailure:
		text = "a failure"` + what + `
	}
	text += " is refused in state " + strconv.Quote(r.core.State.String()) + ": " + r.Why` + list + `
	return text
}
` + allowed + `
// refuse is the error that refuses the input where the machine stands.
func (t *@MStepper) refuse(s *@MCore, in *@MStepInput, why string) error {
	r := &t.refused
	r.Kind, r.Why, r.core = in.Kind, why, s` + set + `
	return r
}
`)
}
