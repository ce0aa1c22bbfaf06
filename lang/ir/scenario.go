package ir

import "github.com/fsmc-dev/fsmc/lang/token"

// Scenario is a test of a machine, in which every name is known. One in which something is
// wrong is Broken, and not to be played.
type Scenario struct {
	Title   string
	Machine *Machine
	Params  []byte // the object of the parameters, as JSON
	Lines   []*ScenarioLine
	Span    token.Span // of the title
	Body    token.Span // of the whole scenario
	Broken  bool
}

// LineKind says what a ScenarioLine is.
type LineKind int

const (
	SendLine            LineKind = iota // Name, Data, Refused
	ResultLine                          // Do, Element, Name (empty where there is nothing to say), Data, Costs
	FailureLine                         // Do, Element, Name, Message, Costs
	CheckpointLine                      // Do, Element, Costs
	LostLine                            // Do, Element
	WaitLine                            // Wait
	CancelRunLine                       // nothing more
	AnswerLine                          // Name, Yes
	ExpectStateLine                     // State
	ExpectLine                          // Cond
	ExpectRefusedLine                   // nothing more
	ExpectEndedLine                     // nothing more
	ExpectHaltedLine                    // nothing more
	ExpectAttemptLine                   // Do, Element, Count
	ExpectPublishedLine                 // Name, Data
	ExpectWaitingLine                   // Do, Element
	RepeatLine                          // Count, Lines
)

// ScenarioLine is a line of a scenario.
type ScenarioLine struct {
	Kind    LineKind
	Span    token.Span
	Name    string // of the event, the category or the guard
	Do      string // a label or an activity
	Element int    // of a list; -1 for none
	Data    []byte // the object of the fields, as JSON
	Message string
	Costs   []Cost // what the attempt has used
	Refused bool
	Wait    int64 // nanoseconds
	Yes     bool
	Count   int64
	State   *State
	Cond    Expr
	Lines   []*ScenarioLine
}
