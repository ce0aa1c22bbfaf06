package golang

import (
	"fmt"
	"slices"
)

// inputs writes what the machine can be given, and what it publishes.
func (c *corePrinter) inputs() {
	m := c.m
	enforced := len(m.src.Enforced()) > 0
	payloads := ""
	for _, e := range c.payloads() {
		payloads += pathName(e.Name) + " " + e.Payload.Type + "\n"
	}
	c.t(`// @MInputKind says what an input is.
type @MInputKind uint8

// The kinds of input.
const (
	@MInputStart @MInputKind = iota + 1
	@MInputEvent
	@MInputResult
	@MInputFailure
	@MInputTimer
	@MInputDone
	@MInputCancel
` + when(enforced, "@MInputOverBudget\n") + `)

// @MStepInput is what the machine is given.
type @MStepInput struct {
	Kind @MInputKind
` + when(len(m.Events) > 0, "Event @MEvent // of event and result\n") +
		when(len(m.src.Dos) > 0, `Do @MDoName // of result and failure
	Category @MFailureCategory // of failure
	Message string // of failure
	Attempt int64 // of failure
`) +
		when(len(m.src.Timers) > 0, "Timer @MTimerName // of timer\n") +
		when(enforced, "Cost string // of over_budget: its name\n") +
		when(payloads != "", "Data @MStepPayload // of event and result\n") + `}
` + when(payloads != "", `
// @MStepPayload holds what an event carries: the field of its name.
type @MStepPayload struct {
`+payloads+`}
`))
	c.constructors()
	c.messages()
}

// payloads are the events that carry something.
func (c *corePrinter) payloads() []*eventPlan {
	return slices.DeleteFunc(slices.Clone(c.m.Events), func(e *eventPlan) bool { return len(e.Payload.Fields) == 0 })
}

func (c *corePrinter) constructors() {
	p, m := c.p, c.m
	for _, e := range m.Events {
		data, param := "", "_ "+e.Payload.Type
		if len(e.Payload.Fields) > 0 {
			data = fmt.Sprintf(", Data: %sStepPayload{%s: e}", m.Name, pathName(e.Name))
			param = "e " + e.Payload.Type
		}
		if e.Sent {
			p.f("// %s is event %s from outside.", e.Input, e.Name)
			p.f("func %s(%s) %sStepInput {\nreturn %sStepInput{Kind: %sInputEvent, Event: %s%s}\n}\n", e.Input, param, m.Name, m.Name, m.Name, e.Const, data)
		}
		if e.Raised && len(m.src.Dos) > 0 {
			by := "raised by an activity"
			if e.src.Terminal != nil {
				by = "in which a child ends"
			}
			p.f("// %s is event %s, %s.", e.Input, e.Name, by)
			p.f("func %s(do %sDoName, %s) %sStepInput {\nreturn %sStepInput{Kind: %sInputResult, Event: %s, Do: do%s}\n}\n",
				e.Input, m.Name, param, m.Name, m.Name, m.Name, e.Const, data)
		}
	}
	if len(m.src.Dos) > 0 {
		c.t(`// @MFailureInput is the failure of an activity.
func @MFailureInput(do @MDoName, category @MFailureCategory, message string) @MStepInput {
	return @MStepInput{Kind: @MInputFailure, Do: do, Category: category, Message: message}
}
`)
	}
}

func (c *corePrinter) messages() {
	if !c.publishes() {
		return
	}
	c.t(`// @MOutMessage is an event that is published.
type @MOutMessage struct {
	Event @MEvent
` + when(len(c.payloads()) > 0, "Data @MStepPayload\n") + `}
`)
}

// publishes reports whether the machine publishes anything.
func (c *corePrinter) publishes() bool {
	for b := range c.m.src.Blocks() {
		if len(b.Publishes) > 0 {
			return true
		}
	}
	return false
}
