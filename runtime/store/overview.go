package store

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Overview is the part of a Store that serves those who look after many runs.
type Overview interface {
	// Counts gives the counts of one machine, or of all where machine is empty,
	// with the steps taken on the day of since or later; in no order. It is all
	// of one moment, and costs the same however many runs there are.
	Counts(ctx context.Context, machine string, since time.Time) (Counts, error)
	// Definitions lists the machine versions that have been put.
	Definitions(ctx context.Context) ([]DefinitionRow, error)
	// Waiting lists tasks that have been ready since before that time, of runs
	// that are neither paused nor halted, and that no one has claimed; in no
	// order.
	Waiting(ctx context.Context, before time.Time, limit int) ([]TaskRow, error)
	// Limits lists the limits of activities and how they stand at now, by machine and
	// activity.
	Limits(ctx context.Context, now time.Time) ([]LimitRow, error)
	// Prune deletes up to q.Limit finished runs with all that belongs to them,
	// in one durable write; in no order. Runs with a message that has not been
	// delivered, or with a cancelled task that is still held, stay. A run goes with all of
	// its tree, or stays with it: a child is never meant by q, and its parent is by its own
	// age and outcome.
	Prune(ctx context.Context, q PruneQuery) (Pruned, error)
}

// PruneQuery says which finished runs are deleted.
type PruneQuery struct {
	Before  time.Time       // ended before that time
	Machine string          // empty for all
	Outcome machine.Outcome // empty for all
	Limit   int             // runs that are no children; 0 or less prunes nothing
	DryRun  bool            // only count, without a limit

	// Who prunes, why, and since when: kept for those who ask later. Writes of
	// one command have the same Now.
	Actor, Reason string
	Now           time.Time
}

// Pruned is what became of a PruneQuery. Children count as runs.
type Pruned struct {
	Runs int64
	Kept int64 // runs that stay although they are old enough; a Store counts them in a dry run alone
}
