// Package chart makes machines of statecharts: what XState and SCXML have in common.
// A reader fills in a Chart; Build makes a draft of it.
//
// What is shared: composite states, guards in order, events that an outer state takes where
// an inner one does not. What differs: a final state inside another is a state here that
// leads where its parent's done leads; regions that run side by side are machines of their
// own, to which events are sent by themselves; an action is a message that is published; an
// event that nothing takes is refused, and not dropped.
package chart

import "github.com/fsmc-dev/fsmc/codegen/foreign"

// Chart is a statechart.
type Chart struct {
	Format, Name, Doc string
	Root              *State
	Fields            []foreign.Field
	// Matches reports whether a descriptor such as "error.*" takes an event.
	Matches func(descriptor, event string) bool
	// First says that a descriptor that is the event's own name goes before all others,
	// and longer ones before shorter ones; else the order of the text holds.
	First bool
}

// State is a state of any kind.
type State struct {
	Key, Doc         string
	Line             int
	Parent           *State
	Children         []*State
	Initial          *State // nil for the first child
	Parallel, Final  bool
	History          bool
	On, Always, Done []*Transition
	After            []*Delay
	Invokes          []*Invoke
	Entry, Exit      []Action
	Lost             []string // what the reader found that has no form here
}

// Transition is one arm. A nil Target stays.
type Transition struct {
	Events   []string // descriptors, of On
	Guard    *Guard
	Target   *State
	Reenter  bool // to the state in which it stands: it is left and entered again
	Actions  []Action
	Lost     []string
	Wherever string // a target that is not there, or several
}

// Guard is a condition: Text of the guard language, the Name of a host guard, or Not, All
// or Any of others.
type Guard struct {
	Text, Name string
	Region     bool   // it asks where another region is
	Op         string // "!", "&&", "||", or empty
	Of         []*Guard
}

// Action publishes a message, or assigns a field.
type Action struct{ Publish, Assign string }

// Delay is a timer.
type Delay struct {
	Seconds  float64
	Name     string // of a delay that the program knows; then Seconds is 0
	Arms     []*Transition
	Outlives string // the event of the original that comes also when the state has been left, or empty
}

// Invoke is an activity while the state is active.
type Invoke struct {
	Name        string
	Done, Error []*Transition
}

// Inside reports whether s is t or lies in it.
func (s *State) Inside(t *State) bool {
	for ; s != nil; s = s.Parent {
		if s == t {
			return true
		}
	}
	return false
}
