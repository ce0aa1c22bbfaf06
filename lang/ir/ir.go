// Package ir is the resolved form of a program: every name is a pointer to
// what it names, every expression has a type, and the hierarchy of states is
// flattened, so that for a leaf state and an input there is one list of arms
// in the order in which they are tried (see Cases and Choices in cases.go).
//
// Checks, generators and the runtime definition are all made from this form;
// none of them looks at the syntax tree again. What could not be resolved is
// left out, and its machine is marked Incomplete.
package ir

import (
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// Program is the unit that one command line names: all machines of all files.
type Program struct {
	Machines  []*Machine
	Files     []*File
	Scenarios []*Scenario // of all files
	Refs      Refs        // every name of the files, and those of the files that they import
}

// File is what a file of the unit has outside its machines.
type File struct {
	Name      string
	Imports   []*Import // those that lead somewhere
	Enums     []*Enum
	Records   []*Record
	Allows    []*Allow // above those
	Permits   []*Allow // their `//fsmc:allow-breaking`
	Machines  int      // how many it has
	Scenarios int      // how many it has
	Imported  bool     // another file of the unit imports it

	// As in Machine, of the file and of all its machines: what is missing may be
	// what uses the rest.
	Incomplete bool
	Broken     bool
}

// Import makes known in a file what others declare.
type Import struct {
	Path  string
	Used  bool       // the file uses something of it that no import above it makes known
	Again bool       // imports above it lead to all its files
	Span  token.Span // of the path
	Decl  token.Span // of the whole declaration
}

// Machine is one machine.
type Machine struct {
	Name string
	Doc  string
	Span token.Span // of the name
	Body token.Span // of the whole declaration

	// Incomplete is set where a syntax error was found in the machine: a bad
	// item may hold anything, so rules that report what is missing, unused or
	// unreachable are silent. Broken is set where any name or type is wrong:
	// an arm, a target or an expression may be missing.
	Incomplete bool
	Broken     bool

	Params     []*Var
	Own        []*Var // of the values of the run itself, those that it reads; see OwnValues
	Fields     []*Var
	Enums      []*Enum   // its own; then, by name, those of files that it uses
	Records    []*Record // likewise
	Events     []*Event
	Categories []*Category // the declared ones, in order, then the built-in ones
	Activities []*Activity
	Guards     []*Guard
	Budget     *Budget // nil without one
	Asserts    []*Assert
	Allows     []*Allow
	Permits    []*Allow // its `//fsmc:allow-breaking`

	// States holds every state in source order, parents before children; the
	// first is Root, the machine itself as the outermost composite.
	States []*State
	Root   *State

	Arms   []*Arm   // every arm; Arm.ID is its index
	Dos    []*Do    // every do; Do.ID is its index
	Timers []*Timer // every after; Timer.ID is its index
}

// Enum is a type declared by its values.
type Enum struct {
	Name   string
	Values []string
	OfFile bool // it stands in a file, outside its machines
	Used   bool // of a file: a machine of the unit uses it
	Doc    string
	Span   token.Span
	Decl   token.Span // of the whole declaration, with its comment
}

// Var is a parameter or a context field of a run, or a value of the run itself. Of what
// has a record type there is a Var for each leaf, in order: `order.id`, `order.total`.
type Var struct {
	Slot
	Param   bool   // it is set when a run starts, and never changes
	Own     bool   // a Param that nobody hands over: "run.id"
	Default *Const // nil where it starts unset
	Index   int    // among the inputs, or among the fields
	heads   []*Var // see Heads

	// Assigned says that some block gives it a value other than its default, or
	// may: of a machine with a syntax error nobody knows.
	Assigned bool
}

// MayBeUnset reports whether some run may have v unset: parameters are always set unless
// they may be absent, and so are fields with a default.
func (v *Var) MayBeUnset() bool { return v.Optional || !v.Param && v.Default == nil }

// Event is a message that a run can take, or publish.
type Event struct {
	Name    string
	Fields  []*EventField
	Raisers []*Activity // the activities that declare it; none for an external event

	// Terminal is what a child enters that raises the event, of the machine that is
	// called; nil for an event that the machine declares itself.
	Terminal *State

	Doc   string
	Span  token.Span
	Decl  token.Span // of the whole declaration, with its comment; none of a terminal of a child
	Index int
}

// External reports whether the event comes from outside: no activity raises it.
func (e *Event) External() bool { return len(e.Raisers) == 0 }

// Exit is the event's name behind a label: of the terminal of a child its own.
func (e *Event) Exit() string {
	if e.Terminal != nil {
		return e.Terminal.Name
	}
	return e.Name
}

// Field is the field called name, or nil.
func (e *Event) Field(name string) *EventField { return fieldNamed(e.Fields, name) }

func fieldNamed(list []*EventField, name string) *EventField {
	for _, f := range list {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Has reports whether e has a field of that name, or a record that may be absent.
func (e *Event) Has(name string) bool {
	return slices.ContainsFunc(e.Fields, func(f *EventField) bool { return f.Name == name || slices.Contains(f.Within, name) })
}

// EventField is one field of an event's payload, or one of the fields that a
// failure carries (category, message, activity, attempt); of a record its leaves.
type EventField struct {
	Slot
	Index int
}

// Category is a category of failure.
type Category struct {
	Name    string
	BuiltIn bool
	Span    token.Span
	Index   int // among Machine.Categories
}

// The built-in categories of failure.
const (
	Unknown = "unknown" // an error no one classified, a panic, an undeclared category, a result that does not fit
	Timeout = "timeout" // the attempt ran longer than its do allows
	Silent  = "silent"  // no heartbeat came for so long
	Stalled = "stalled" // no checkpoint came for so long
	// Cancelled is what children fail with that ended in none of their terminals. A
	// machine that calls others has it as if it had declared it.
	Cancelled = "cancelled"
)

// Activity is a side effect, or a machine that this one calls: a child, whose parameters
// and terminals those of the activity are.
type Activity struct {
	Machine *Machine // which is called, and never leads back to this one; nil for a side effect
	Name    string
	Params  []*Param
	Results []*Event
	Fails   []*Category // the declared categories with which it may fail; none for `fails none`
	Costs   []Cost
	Below   []string // the costs that a machine which is called, and what that calls, may spend, by name
	Limit   Limit
	Doc     string
	Span    token.Span
	Index   int

	Decl token.Span // of the whole declaration, with its comment; none of a machine that is called

	Circular bool // it is a machine that leads back to this one, which is said, so that Machine is nil
}

// Silent reports whether a ends with nothing to say. A machine ends in a terminal, and one that has
// none does not end.
func (a *Activity) Silent() bool { return len(a.Results) == 0 && a.Machine == nil && !a.Circular }

// Limit is what holds for the attempts of an activity in all runs together. Zero is none.
type Limit struct {
	AtOnce int64 // so many may run at once
	Rate   int64 // so many may begin in any Window
	Window int64 // nanoseconds; set with Rate
}

// Param is a parameter of an activity or a guard; of a record its leaves.
type Param struct{ Slot }

// Cost is what one attempt costs in one currency, exactly.
type Cost struct {
	Name   string
	Amount *big.Rat
	Span   token.Span
}

// Guard is a predicate that the host answers.
type Guard struct {
	Name   string
	Params []*Param
	Doc    string
	Span   token.Span
	Decl   token.Span // of the whole declaration, with its comment
	Index  int
}

// Budget is the most that a run may take.
type Budget struct {
	Steps    *int64 // nil where none is given
	Time     *int64 // nanoseconds
	Costs    []Cost
	Span     token.Span
	StepSpan token.Span
	TimeSpan token.Span
}

// Assert is a promise about all runs.
type Assert struct {
	Subject *State // nil where Done is what it speaks of
	Done    []*Do  // of `done NAME`: any of them succeeds
	Name    string // of `done NAME`
	Verb    AssertVerb
	Objects []*State
	N       int64
	Span    token.Span
}

// About is what a speaks of, as written but for the path of a state, which is whole.
func (a *Assert) About() string {
	if a.Subject == nil {
		return "done " + a.Name
	}
	return a.Subject.Path
}

// AssertVerb says what an Assert promises.
type AssertVerb int

const (
	Precedes AssertVerb = iota
	LeadsTo
	Excludes
	AtMost
)

// String is the verb as written.
func (v AssertVerb) String() string {
	return [...]string{"precedes", "leads to", "excludes", "at most"}[v]
}

// Allow is a suppression: a comment `//fsmc:allow RULE because REASON`, of what check finds,
// or `//fsmc:allow-breaking RULE because REASON`, of what breaking finds.
type Allow struct {
	Rule   string
	Reason string     // empty where none is given
	Span   token.Span // of the comment
	Covers token.Span // what it silences
}
