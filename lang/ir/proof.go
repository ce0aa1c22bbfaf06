package ir

import "math/big"

// What is proved of a machine reaches the generators as values of these types:
// the checker makes them, the command line hands them over.

// Bounds is the worst case of a machine: the most that any run can take.
type Bounds struct {
	Steps    Bound   // moves and retries
	Time     Bound   // nanoseconds
	Costs    []Bound // in the order in which they are declared
	Attempts []Bound // of each activity, in the order of their declarations
}

// Bound is one figure of it.
type Bound struct {
	Name  string   // "steps", "time", or that of a cost or an activity
	Most  *big.Rat // nil where there is no bound
	Exact bool     // some run reaches it; else it is an upper bound
	Why   string   // why there is none, as a clause; empty where there is one
}

// Cover is a set of runs that together take every arm that some run takes.
type Cover struct {
	Runs   []CoverRun
	Missed []*Arm // for which no run is known for sure; those that reject take nothing, and are not looked for
}

// CoverRun is the shortest run to an arm that no run behind it takes.
type CoverRun struct {
	Params      map[string]any // those that matter, in their JSON forms
	Steps       []CoverStep
	Checkpoints bool // idle timers are put off by checkpoints of activities
}

// CoverStep is one step of a run.
type CoverStep struct {
	Input    Case            // a result without an Event where the Do ends with nothing to say
	Element  int             // of the list of the do, from 0; -1 where it has none
	Deferred bool            // the input is an event that had been deferred
	Data     map[string]any  // what of its payload matters, in JSON forms
	Guards   map[string]bool // what host guards say, by calls: "open()"
	After    string          // how much time has passed since the start, as a Go duration
	Arm      *Arm            // nil for an `ignore` or a `defer`
	To       *State          // in which the run stands then
}

// Ends reports whether an activity ends in the step, with nothing to say.
func (s *CoverStep) Ends() bool { return s.Input.Kind == CaseResult && s.Input.Event == nil }
