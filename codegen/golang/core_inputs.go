package golang

import (
	"fmt"
	"slices"
)

// inputs writes what the machine can be given, and what it publishes.
func (c *corePrinter) inputs() {
	m, p := c.m, c.p
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
	@MInputCancel`)
	enforced := len(m.src.Enforced()) > 0
	if enforced {
		p.f("%sInputOverBudget", m.Name)
	}
	c.t(`)

// @MStepInput is what the machine is given.
type @MStepInput struct {
	Kind @MInputKind`)
	if len(m.Events) > 0 {
		p.f("Event %sEvent // of event and result", m.Name)
	}
	if len(m.src.Dos) > 0 {
		p.f("Do %sDoName // of result and failure", m.Name)
		p.f("Category %sFailureCategory // of failure\nMessage string // of failure\nAttempt int64 // of failure", m.Name)
	}
	if len(m.src.Timers) > 0 {
		p.f("Timer %sTimerName // of timer", m.Name)
	}
	if enforced {
		p.f("Cost string // of over_budget: its name")
	}
	payloads := c.payloads()
	if len(payloads) > 0 {
		p.f("Data %sStepPayload // of event and result", m.Name)
	}
	p.f("}\n")
	if len(payloads) > 0 {
		p.f("// %sStepPayload holds what an event carries: the field of its name.", m.Name)
		p.f("type %sStepPayload struct {", m.Name)
		for _, e := range payloads {
			p.f("%s %s", pathName(e.Name), e.Payload.Type)
		}
		p.f("}\n")
	}
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
	Event @MEvent`)
	if len(c.payloads()) > 0 {
		c.p.f("Data %sStepPayload", c.m.Name)
	}
	c.p.f("}\n")
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
