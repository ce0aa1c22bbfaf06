// Package plan makes a statechart of a machine, in the form that writers of XState and SCXML
// print: every node, name and note is decided here, and nothing is printed.
//
// What is made of what:
//
//   - A leaf that runs activities is a state with states inside: running, waiting (for a retry) and
//     ended; of several activities it is a parallel state with a region for each. Only where every
//     end of its one activity leads out is it a state without any.
//   - A choice state has transitions without an event. Where one of them stays, it has a state inside
//     in which it stays.
//   - A bound is a counter in the data, with a condition and an action at each of its arms.
//   - A leaf with `require` has a state before it, which decides whether it is entered.
//   - An arm of a state around the leaf is copied into the leaves where the target lies deeper than
//     just inside that state: the target formats would leave more than this language does.
//
// In the order in which to read: plan.go is what there is, states.go makes nodes, activities.go what
// stands in leaves, arms.go transitions and their conditions, script.go expressions as ECMAScript.
package plan

import (
	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Chart is a machine as a statechart.
type Chart struct {
	Machine  *ir.Machine
	Root     *Node
	Vars     []*Var        // what the chart keeps beside the data of the machine
	From     string        // the Var that holds the leaf that was left last; empty where nothing asks
	Children []*ir.Machine // those that it calls, each once
	Report   *foreign.Report
}

// Var is a datum of the chart itself.
type Var struct {
	Name    string
	Initial string // ECMAScript
	About   string // what it counts or holds
}

// Kind says what a Node is.
type Kind int

const (
	Atomic Kind = iota
	Compound
	Parallel
	Final
)

// Node is a state of the chart.
type Node struct {
	Name     string // unique among its siblings
	Path     string // unique in the chart: the names from the top, parted by dots
	Doc      string
	Notes    []string // what is guessed or lost here
	Kind     Kind
	Of       *ir.State // whose node it is; nil of one that stands inside a leaf or before it
	Parent   *Node     // nil for the root
	Children []*Node
	Initial  *Node

	Entry, Exit []Action
	On          []*Handler
	After       []*Delay
	Always      []*Arm
	Done        []*Arm // when its states inside have ended
	Call        *Call
}

// Handler is the arms of an event from outside, or of one that a Delay of a state around raises.
type Handler struct {
	Event string
	Arms  []*Arm
}

// Delay is a timer that starts when its node is entered. With Raises it raises that event, which
// handlers of leaves take, else it has Arms.
type Delay struct {
	ID     int     // unique in the chart
	Wait   int64   // nanoseconds; not meant with Var or Holder
	Var    *ir.Var // a duration, or a deadline
	Holder string  // the Var of the chart that holds how long
	Jitter float64 // share by which it is longer
	Raises string  //
	Failed string  // of a limit: the activity whose attempt fails
	Arms   []*Arm
}

// Call is an activity, or a machine, that runs while its node is active.
type Call struct {
	ID       string // unique among those that run at the same time
	Name     string // of the activity or the machine
	Machine  *ir.Machine
	Do       *ir.Do
	Fan      bool // it runs for the elements of a list, and tells each end with an event
	Results  []*Result
	Nothing  []*Arm // for one that raises no events: when it has ended
	Failures []*Ending
}

// Result is the arms of one event that a Call may end with.
type Result struct {
	Event *ir.Event
	Arms  []*Arm
}

// Ending is the arms of failures of the same meaning.
type Ending struct {
	Categories []string // of these
	Others     []string // with "unknown" among Categories: all that is not one of these
	Arms       []*Arm
	choices    []ir.Choice
}

// Arm is a transition. A nil Target stays.
type Arm struct {
	When    []Cond // all of them have to hold
	Target  *Node
	Reenter bool // the node in which it stands is left and entered again
	Actions []Action
}

// Cond is a condition: of the machine, or of the chart itself. Exactly one is set.
type Cond struct {
	Expr   ir.Expr
	Below  string // this Var is less than Limit
	Limit  int64
	Unless string // this Var is false
}

// ActionKind says what an Action does.
type ActionKind int

const (
	Effects ActionKind = iota // those of Block, at once
	Count                     // Var is one more
	Set                       // Var becomes Text
	Reset                     // Vars become zero
	Wait                      // Var becomes how long Backoff waits, by the counter Counter
)

// Action is a step of a transition, or of entering or leaving a node.
type Action struct {
	Kind    ActionKind
	Block   *ir.Block
	Var     string
	Text    string
	Vars    []string
	Outside *ir.State // of Reset: only where From is not this state and not in it; nil for always
	Backoff *ir.Backoff
	Counter string
}
