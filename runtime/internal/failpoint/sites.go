// Package failpoint names the places at which a process may die in the middle
// of its work, so that tests can let it die at each of them. Built with the tag
// `failpoint`, Hit kills the process where the environment says so; otherwise it
// is an empty function, of which the compiler leaves nothing.
package failpoint

import "strings"

// Site is a place in the code. Its name says what has just happened there, or
// is about to happen.
type Site string

// The places in the engine.
const (
	BeforeCommit      Site = "before-commit"       // the step is computed
	AfterCommit       Site = "after-commit"        // the caller has not been told
	ElementEnded      Site = "element-ended"       // others of its list are open
	DefinitionKept    Site = "definition-kept"     // its first run has not started
	Claimed           Site = "claimed"             // the activity has not begun
	BudgetPassed      Site = "budget-passed"       // over_budget is taken, and nothing is written
	AttemptBegun      Site = "attempt-begun"       // the run knows it, the activity does not
	Returned          Site = "activity-returned"   // what it returned is nowhere
	Concluded         Site = "attempt-concluded"   // its worker has not been freed
	BeforeCheckpoint  Site = "before-checkpoint"   // the activity has made it
	AfterCheckpoint   Site = "after-checkpoint"    // the activity has not been told
	BeforeConfirm     Site = "before-confirm"      // a cancelled activity has stopped
	BeforeRelease     Site = "before-release"      // an activity has declined
	BeforeTakeOver    Site = "before-take-over"    // a worker was found to be lost
	TimerDue          Site = "timer-due"           // it has not fired
	TimerFired        Site = "timer-fired"         // the worker goes on
	MessageTaken      Site = "message-taken"       // it has not been delivered
	MessageDelivered  Site = "message-delivered"   // it has not been marked
	MessageMarked     Site = "message-marked"      // the next one has not been taken
	MessageNotHandled Site = "message-not-handled" // delivering it failed
	ChildStarts       Site = "child-starts"        // it is computed, and nothing is written
	ChildStarted      Site = "child-started"       // the worker goes on
	ChildEnds         Site = "child-ends"          // it is computed, and nothing is written
	ChildEnded        Site = "child-ended"         // its parent has not been told
	TellsParent       Site = "tells-parent"        // how its child has ended is known, and not written
	ParentTold        Site = "parent-told"         // the worker goes on
	CancelsChild      Site = "cancels-child"       // which its parent has left behind
	CostGoesUp        Site = "cost-goes-up"        // a child has used something, and nothing is written
	TellsCost         Site = "tells-cost"          // what a child has used is known, and its parent has not been told
	CostTold          Site = "cost-told"           // the worker goes on
	TreeStops         Site = "tree-stops"          // the children of a run have ended, and it has not
)

// The places in a write of the SQLite store.
const (
	Begun           Site = "sqlite-begun"            // the transaction is empty
	RunWritten      Site = "sqlite-run"              // its history is not
	HistoryWritten  Site = "sqlite-history"          // its tasks are not
	ClaimEnded      Site = "sqlite-claim-ended"      // the task that it was of is gone
	TasksEnded      Site = "sqlite-tasks-ended"      // new ones have not started
	TaskStarted     Site = "sqlite-task-started"     // more, and timers, are to come
	TimerWritten    Site = "sqlite-timer"            // more are to come
	MessageWritten  Site = "sqlite-message"          // more are to come
	AnswerWritten   Site = "sqlite-answer"           // the request is whole
	Woken           Site = "sqlite-woken"            // a paused run's tasks, not its timers
	RequestReleased Site = "sqlite-request-released" // others may follow in the batch
	BeforeEnd       Site = "sqlite-before-commit"    // all is written
	AfterEnd        Site = "sqlite-after-commit"     // no caller has been told
	Checkpointed    Site = "sqlite-checkpointed"     // the log has not begun again
	Replied         Site = "sqlite-replied"          // other callers have not been told
	EpochRaised     Site = "sqlite-epoch-raised"     // no task has it
	TaskClaimed     Site = "sqlite-task-claimed"     // more may follow
	LeaseRenewed    Site = "sqlite-lease-renewed"    // the checkpoint is not written
	ProgressNoted   Site = "sqlite-progress-noted"   // the checkpoint is not written
	MarkedDelivered Site = "sqlite-marked-delivered" // the next message is not marked
	MarkedTaken     Site = "sqlite-marked-taken"     // more may follow
	Released        Site = "sqlite-released"         // a task waits for a worker again
	StoppedDeleted  Site = "sqlite-stopped-deleted"  // a cancelled task is confirmed
	PartPruned      Site = "sqlite-part-pruned"      // of what belongs to a run
	HeldByChild     Site = "sqlite-held-by-child"    // which is not written
	FreedByChild    Site = "sqlite-freed-by-child"   // it has ended, and tasks of its own are to follow
	TotalRaised     Site = "sqlite-total-raised"     // of a child, whose parent is not to know it alone
	ReportTaken     Site = "sqlite-report-taken"     // the parent's step is not written
)

// The places at a connection to a PostgreSQL server.
const (
	Unsent   Site = "postgres-unsent"    // a message has not gone to the server
	HalfSent Site = "postgres-half-sent" // the rest of it follows
	Sent     Site = "postgres-sent"      // the server has not answered
	Answered Site = "postgres-answered"  // no caller has been told
)

// Of reports whether runs in a store of that name reach the place.
func (s Site) Of(store string) bool {
	of, _, _ := strings.Cut(string(s), "-")
	return of == store || of != "sqlite" && of != "postgres"
}

// Sites are all places, in no order that matters.
func Sites() []Site {
	return append(TreeSites(), []Site{
		Unsent, HalfSent, Sent, Answered,
		BeforeCommit, AfterCommit, ElementEnded, DefinitionKept, Claimed, BudgetPassed, AttemptBegun, Returned, Concluded, BeforeCheckpoint,
		AfterCheckpoint, BeforeConfirm, BeforeRelease, BeforeTakeOver, TimerDue, TimerFired,
		MessageTaken, MessageDelivered, MessageMarked, MessageNotHandled,
		Begun, RunWritten, HistoryWritten, ClaimEnded, TasksEnded, TaskStarted, TimerWritten,
		MessageWritten, AnswerWritten, Woken, RequestReleased, BeforeEnd, AfterEnd, Replied,
		EpochRaised, TaskClaimed, LeaseRenewed, ProgressNoted, MarkedDelivered, MarkedTaken,
		Checkpointed, Released, StoppedDeleted, PartPruned,
	}...)
}

// TreeSites are the places to which only runs with children come.
func TreeSites() []Site {
	return []Site{
		ChildStarts, ChildStarted, ChildEnds, ChildEnded, TellsParent, ParentTold, CancelsChild, TreeStops,
		HeldByChild, FreedByChild, CostGoesUp, TellsCost, CostTold, TotalRaised, ReportTaken,
	}
}

// Variable is the name of the environment variable that says where a process
// dies: the name of a site, a colon, and at which hit, from 1.
const Variable = "FSMC_FAILPOINT"
