package store

import "time"

// Renewed is what became of the claims of a RenewAll, where that is not that they go on. A claim
// is in one of the two at most; lists are in no order.
type Renewed struct {
	Cancelled []Claim // renewed, and the task has been cancelled
	Fenced    []Claim // not renewed, for the reasons that make Renew give ErrFenced
}

// LookQuery says what a worker asks for.
type LookQuery struct {
	Worker string // who asks, as tasks name who holds them
	Now    time.Time
	Run    string // only timers, expired claims and times of this run and those below it, as for a ClaimQuery
	// At most so many timers and so many expired claims are handed out; 0 or less hands out none.
	Limit int
	// Runs whose timers, and whose expired claims, the worker leaves to others.
	NoTimers, NoClaims []string

	Versions bool // whether it asks for Wanted and Leftovers
	Children bool // whether it asks for Leftovers, Reports and Ending
}

// HandedFor is how long what a Look has handed out to one worker is handed out to no other.
const HandedFor = 5 * time.Second

// Work is what there is to do.
type Work struct {
	Due      []TimerRow // as of Due, handed out to the worker
	Expired  []TaskRow  // as of Expired, handed out to the worker
	Stopping []Claim    // that the worker holds, of tasks that have been cancelled; in no order
	// Wake is the earliest time later than Now at which a timer falls due, a task's NotBefore
	// comes, a lease runs out, the rate of an activity lets a waiting task through, or a message
	// can be taken; zero where nothing waits. It may be early, where what waits turns out to be
	// held up, but never late.
	Wake time.Time

	// Wanted are the machine versions, by their hashes, that have tasks which no one holds, of
	// runs that are neither paused nor halted; in no order. They cost by the number of versions,
	// however many tasks there are.
	Wanted []string
	// Leftovers are cancelled tasks that a child holds, of all runs, in no order: the child has
	// yet to end.
	Leftovers []TaskRow
	Reports   []Report // as of Reports
	Ending    []string // runs whose status is that, in no order
}
