package store

import "time"

// Renewed is what became of the claims of a RenewAll, where that is not that they go on. A claim
// is in one of the two at most; lists are in no order.
type Renewed struct {
	Cancelled []Claim // renewed, and the task has been cancelled
	Fenced    []Claim // not renewed, for the reasons that make Renew give ErrFenced
}

// LookQuery says for whom a Look is.
type LookQuery struct {
	Worker string // who asks, as tasks name who holds them
	Now    time.Time
}

// Work is what a worker has to do. Lists are in no order.
type Work struct {
	Stopping []Claim // that the worker holds, of tasks that have been cancelled
}
