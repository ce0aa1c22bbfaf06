// Package scenario plays scenarios: tests that are written in the language. A scenario is a
// run of its own, which is taken along line by line on the step of the runtime, in simulated
// time: nothing sleeps, nothing is stored and no activity runs.
package scenario

import (
	"encoding/json"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Scenario is a test of a machine.
type Scenario struct {
	Title   string
	Machine string
	Place   string // of its title: "review_test.fsm:3:1"
	Params  json.RawMessage
	Lines   []*Line
}

// Kind says what a Line is.
type Kind int

const (
	Send       Kind = iota // Name, Data, Refused
	Result                 // Do, Name (empty where there is nothing to say), Data, Cost
	Failure                // Do, Name, Message, Cost
	Checkpoint             // Do, Cost
	Lost                   // Do
	Wait                   // Wait
	Cancel                 // nothing more
	Answer                 // Name, Yes
	Repeat                 // Count, Lines

	ExpectState     // Name: of the state, or of one around it
	Expect          // Cond, Sides
	ExpectRefused   // nothing more
	ExpectEnded     // nothing more
	ExpectHalted    // nothing more
	ExpectAttempt   // Do, Count
	ExpectPublished // Name, Data
	ExpectWaiting   // Do
)

// Line is a line of a scenario.
type Line struct {
	Kind    Kind
	Place   string // "review_test.fsm:5:5"
	Text    string // as it is written
	Name    string // of an event, a category, a guard or a state
	Do      string // which attempt, as simulate.Move has it
	Data    json.RawMessage
	Message string
	Cost    map[string]json.Number // what the attempt has used
	Refused bool
	Wait    time.Duration
	Yes     bool
	Count   int64
	Cond    *machine.Expr
	Sides   []Side // of a comparison, what its two sides are
	Lines   []*Line
}

// Side is a side of a comparison, as it is written.
type Side struct {
	Text string
	Expr *machine.Expr
}

// Outcome is what has come of a scenario.
type Outcome struct {
	Failure *Failed           // nil where it passes
	Records []*machine.Record // of the run, as far as it came
}

// Failed says what is wrong with a scenario.
type Failed struct {
	Place    string             `json:"place"`
	Line     string             `json:"line"`     // as it is written
	Expected string             `json:"expected"` // in words
	Is       string             `json:"is"`
	Path     []machine.StepView `json:"path"` // what the run did until then
}
