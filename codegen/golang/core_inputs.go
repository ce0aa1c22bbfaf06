package golang

import (
	"fmt"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// inputs writes what a run can be given, and what a step asks for.
func (c *corePrinter) inputs() {
	m := c.m
	c.t(`// @MInputKind says what an input is.
type @MInputKind uint8

// The kinds of input. A kept input is a deferred event that is looked at again;
// an ended one is an activity that ended with nothing to say.
const (
	@MInputStart @MInputKind = iota + 1
	@MInputEvent
	@MInputResult
	@MInputEnded
	@MInputFailure
	@MInputTimer
	@MInputDone
	@MInputKept
	@MInputCancel
)

// @MStepInput is what a run is given. Use the functions below to make one.
type @MStepInput struct {
	Kind @MInputKind
	Force bool // of cancel: end the run even where a state handles cancel`)
	p := c.p
	if len(m.Events) > 0 {
		p.f("Event %sEvent // of event, result and kept", m.Name)
	}
	if c.plan.tasks > 0 {
		p.f("Task %sDoTask // of result, ended and failure", m.Name)
		p.f("Category %sFailureCategory // of failure\nMessage string // of failure", m.Name)
	}
	if c.plan.alarms > 0 {
		p.f("Timer %sTimerName // of timer", m.Name)
	}
	p.f("Params %sParams // of start", m.Name)
	payloads := c.payloads()
	if len(payloads) > 0 {
		p.f("Data %sStepPayload // of event, result and kept", m.Name)
	}
	p.f("}\n")
	if len(payloads) > 0 {
		p.f("// %sStepPayload holds what an event carries: the field of its name.", m.Name)
		p.f("type %sStepPayload struct {", m.Name)
		for _, e := range payloads {
			p.f("%s %s", exported(e.Name), e.Payload.Type)
		}
		p.f("}\n")
	}
	c.constructors()
	c.commands()
}

// payloads are the events that carry something.
func (c *corePrinter) payloads() []*eventPlan {
	var out []*eventPlan
	for _, e := range c.m.Events {
		if len(e.Payload.Fields) > 0 {
			out = append(out, e)
		}
	}
	return out
}

func (c *corePrinter) constructors() {
	p, m := c.p, c.m
	c.t(`// @MStartInput starts a run.
func @MStartInput(params @MParams) @MStepInput {
	return @MStepInput{Kind: @MInputStart, Params: params}
}

// @MCancelInput cancels a run; with force also where a state handles cancel.
func @MCancelInput(force bool) @MStepInput { return @MStepInput{Kind: @MInputCancel, Force: force} }
`)
	for _, e := range m.Events {
		data, param := "", "_ "+e.Payload.Type
		if len(e.Payload.Fields) > 0 {
			data = fmt.Sprintf(", Data: %sStepPayload{%s: e}", m.Name, exported(e.Name))
			param = "e " + e.Payload.Type
		}
		if m.sent[e] {
			p.f("// %s is event %s from outside.", e.Input, e.Name)
			p.f("func %s(%s) %sStepInput {\nreturn %sStepInput{Kind: %sInputEvent, Event: %s%s}\n}\n", e.Input, param, m.Name, m.Name, m.Name, e.Const, data)
		}
		if !e.External && c.plan.tasks > 0 {
			p.f("// %s is event %s, raised by an attempt that was started.", e.Input, e.Name)
			p.f("func %s(task %sDoTask, %s) %sStepInput {\nreturn %sStepInput{Kind: %sInputResult, Event: %s, Task: task%s}\n}\n",
				e.Input, m.Name, param, m.Name, m.Name, m.Name, e.Const, data)
		}
	}
	if c.plan.tasks > 0 {
		c.t(`// @MEndedInput is the end of an attempt that has nothing to say.
func @MEndedInput(task @MDoTask) @MStepInput { return @MStepInput{Kind: @MInputEnded, Task: task} }

// @MFailureInput is the failure of an attempt.
func @MFailureInput(task @MDoTask, category @MFailureCategory, message string) @MStepInput {
	return @MStepInput{Kind: @MInputFailure, Task: task, Category: category, Message: message}
}
`)
	}
}

func (c *corePrinter) commands() {
	c.t(`// @MCommandKind says what a command asks for.
type @MCommandKind uint8

// The kinds of command.
const (
	@MCommandStartTask  @MCommandKind = iota + 1
	@MCommandCancelTask
	@MCommandEndTask // its result or failure was taken
	@MCommandSetTimer
	@MCommandDropTimer
	@MCommandPublish
	@MCommandFinish
)

// @MStepCommand is one thing that makes a step real.
type @MStepCommand struct {
	Kind @MCommandKind`)
	if c.plan.tasks > 0 {
		c.p.f("Task %sDoTask // of the kinds that name a task", c.m.Name)
	}
	if c.plan.alarms > 0 {
		c.p.f("Timer %[1]sTimerName // of the kinds that name a timer\nDue %[1]sStepTime // of SetTimer", c.m.Name)
	}
	if c.publishes() {
		c.p.f("Message int // of Publish: index in Messages")
	}
	c.p.f("}\n")
	if c.publishes() {
		c.t(`// @MOutMessage is an event that a step publishes.
type @MOutMessage struct {
	Seq   int64 // of the step
	N     int   // among those of the step, from 1
	Event @MEvent`)
		if len(c.payloads()) > 0 {
			c.p.f("Data %sStepPayload", c.m.Name)
		}
		c.t(`}

// ID is the stable id of the message in the run that Keys names.
func (m *@MOutMessage) ID(run string) string {
	return run + "/" + strconv.FormatInt(m.Seq, 10) + "/" + strconv.Itoa(m.N)
}
`)
		c.p.use("strconv")
	}
}

// publishes reports whether the machine publishes anything.
func (c *corePrinter) publishes() bool {
	for _, b := range blocksOf(c.m.src) {
		if b != nil && len(b.Publishes) > 0 {
			return true
		}
	}
	return false
}

// blocksOf lists the blocks of m.
func blocksOf(m *ir.Machine) []*ir.Block {
	var out []*ir.Block
	for _, s := range m.States {
		out = append(out, s.Entry, s.Exit)
	}
	for _, a := range m.Arms {
		out = append(out, a.Block)
	}
	return out
}
