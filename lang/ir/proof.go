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
