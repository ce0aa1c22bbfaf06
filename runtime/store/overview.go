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
	// VersionCounts lists the versions that have runs, with figures of those; in no order. It
	// costs by the versions and by the runs that have not ended.
	VersionCounts(ctx context.Context) ([]VersionCount, error)
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

	// Feed lists the records of all runs in the order in which they were written, behind a
	// position. Each record has one, greater than 0, and a later record of a run a greater one. Who
	// goes on behind the last record that it was given is given each one once, and misses none,
	// whoever writes: a record that is written beside others may be held back until they are
	// written, too. What has been pruned is left out. It keeps no writer waiting, and costs by what
	// it gives. Positions are of one database: a copy in a store of another kind has others, and none
	// for what was written before the copy.
	Feed(ctx context.Context, after int64, limit int) ([]FeedRow, error)
	// FeedEnd is a position behind which stands all that is written from now on. It never
	// falls: a position greater than it is of another database, or of this one before a backup
	// took its place.
	FeedEnd(ctx context.Context) (int64, error)
	// Changed is a number that is another one when Feed has more than before. It may
	// be another one for no such reason.
	Changed(ctx context.Context) (int64, error)
}

// VersionCount is what is known of the runs of one version of a machine.
type VersionCount struct {
	Hash  string    // of the definition
	Runs  int64     // that have not ended
	First time.Time // when the oldest started that is stored
}

// PruneQuery says which finished runs are deleted.
type PruneQuery struct {
	Before  time.Time       // ended before that time
	Machine string          // empty for all
	Outcome machine.Outcome // empty for all
	Run     string          // that run, which is no child; empty for all
	Limit   int             // runs that are no children; 0 or less prunes nothing
	DryRun  bool            // only count, without a limit

	// Who prunes, why, and since when: kept for those who ask later. Writes of
	// one command have the same Now.
	Actor, Reason string
	Now           time.Time
}

// Outcomes are those of the runs that are meant.
func (q *PruneQuery) Outcomes() []string {
	if q.Outcome != "" {
		return []string{string(q.Outcome)}
	}
	return []string{string(machine.Success), string(machine.Failed), string(machine.Cancelled)}
}

// Pruned is what became of a PruneQuery. Children count as runs.
type Pruned struct {
	Runs int64
	Kept int64 // runs that stay although they are old enough; a Store counts them in a dry run alone
}
