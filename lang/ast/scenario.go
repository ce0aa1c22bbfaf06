package ast

// Scenario is a test of a machine: what happens to a run, and what is expected of it.
type Scenario struct {
	Node
	Title   *Literal // a string
	Machine *Name
	Args    []*RecordValue // its parameters
	Lines   []Line
}

// Line is a line of a scenario: *Send, *Ending, *Wait, *CancelLine, *Answer, *Expect or
// *Repeat, or a Bad.
type Line interface {
	Any
	line()
}

func (*Send) line()       {}
func (*Ending) line()     {}
func (*Wait) line()       {}
func (*CancelLine) line() {}
func (*Answer) line()     {}
func (*Expect) line()     {}
func (*Repeat) line()     {}
func (*Bad) line()        {}

// Payload is the fields of an event in a scenario: `{ diff = "x" }`.
type Payload struct {
	Node
	Fields []*RecordValue
}

// Send is `send Event { field = value } refused`.
type Send struct {
	Node
	Event   *Name
	Payload *Payload // nil without one
	Refused bool
}

// What an Ending says of an attempt.
const (
	Returns     = "->"
	Fails       = "fails"
	Checkpoints = "checkpoint"
	IsLost      = "lost"
)

// Ending is what becomes of an attempt: it returns, fails, makes a checkpoint, or its
// worker is lost.
type Ending struct {
	Node
	Do      *Name    // a label, an activity or a machine that is called
	Index   *Literal // of the element; nil for none
	Kind    string   // Returns, Fails, Checkpoints or IsLost
	Name    *Name    // the result, or the category
	Message *Literal // of a failure, a string; nil without one
	Payload *Payload // of a result; nil without one
	Costs   []*Cost  // what the attempt says that it has used
}

// Wait is `wait 30s`.
type Wait struct {
	Node
	For *Literal
}

// CancelLine is `cancel`.
type CancelLine struct{ Node }

// Answer is `guard is_large = true`: what a host guard answers from there on.
type Answer struct {
	Node
	Guard *Name
	Value *Literal
}

// What an Expect asks for, beside an expression.
const (
	ExpectRefused   = "refused"
	ExpectEnded     = "ended"
	ExpectHalted    = "halted"
	ExpectAttempt   = "attempt"
	ExpectPublished = "published"
	ExpectWaiting   = "waiting"
)

// Expect is what has to hold of the run where it stands.
type Expect struct {
	Node
	Kind    string   // one of the constants above; empty for X
	X       Expr     // a state, or a condition
	Count   *Literal // of the attempt
	Name    *Name    // of the activity, or the event
	Index   *Literal // of the element that the activity runs for; nil for none
	Payload *Payload // of what is published; nil without one
}

// Repeat is `repeat 5 { … }`.
type Repeat struct {
	Node
	Count *Literal
	Lines []Line
}
