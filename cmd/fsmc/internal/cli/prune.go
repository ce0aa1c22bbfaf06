package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

func newPrune(s *streams) *cobra.Command {
	var (
		t     = target{streams: s}
		older time.Duration
		query runtime.PruneQuery
		apply bool
		who   runtime.Operator
	)
	c := &cobra.Command{
		Use:   "prune --older-than AGE",
		Short: "Delete runs that ended long ago, with their history",
		Long: `Prune shows how many finished runs have their last step at least AGE ago. With
--apply, it deletes these runs, with their history and everything else that is kept
of them, for good. Make a backup first. A run stays, and is counted, while one of its
messages is not delivered, and while one of its attempts has not stopped (at the longest
until its lease runs out). A tree of runs is deleted or stays as a whole.

With --run, it is about one run that has ended, however long ago, with the runs below it:
for a person whose data has to go. SQLite then overwrites what it deletes. Backups, and
what activities and the outbox have sent elsewhere, are yours to look after.

It writes in short pieces and rests between them, so that live runs do not wait. You
can interrupt it. The table "prunings" keeps who pruned, when, why, and how many
runs. The file does not shrink: SQLite uses its free pages again.

Exit status 1: the run of --run stays, or is not there, has not ended or is a child.`,
		Example: `  fsmc prune --db runs.db --older-than 90d
  fsmc prune --db runs.db --older-than 30d --outcome success --apply --reason "retention"
  fsmc prune --db runs.db --run pr-17 --apply --reason "request 9 for erasure"`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch f := cmd.Flags(); {
			case f.Changed("run") && query.Run == "":
				return errors.New("--run is empty: it is the ID of a run")
			case !f.Changed("run") && !f.Changed("older-than"):
				return errors.New("--older-than AGE or --run ID is missing: it says which finished runs to delete")
			}
			query.Before, query.DryRun = time.Now().Add(-older), !apply
			query.Actor, query.Reason = who.Actor, who.Reason
			return t.prune(cmd.Context(), query)
		},
	}
	t.flags(c)
	f := c.Flags()
	ageFlag(c, &older, runtime.ParseAge, "older-than", "runs whose last step is at least an `AGE` ago: 12h, 30d")
	outcomeFlag(c, &query.Outcome)
	f.StringVar(&query.Run, "run", "", "only the run called `ID`, and the runs below it, however long ago it ended")
	f.StringVar(&query.Machine, "machine", "", "only runs of the machine called `NAME`")
	f.BoolVar(&apply, "apply", false, "delete the runs; without this flag, only count them")
	noteFlag(c, &who.Actor, "actor", user(), "who does this: a `NAME`, which is kept")
	noteFlag(c, &who.Reason, "reason", "", "why: a `TEXT`, which is kept")
	for _, other := range []string{"older-than", "outcome", "machine"} {
		c.MarkFlagsMutuallyExclusive("run", other)
	}
	return c
}

type pruneReport struct {
	Pruned  int64 `json:"pruned"` // runs; those that it would delete where it is not applied
	Kept    int64 `json:"kept"`   // runs of that age that stay
	Applied bool  `json:"applied"`
}

func (t *target) prune(ctx context.Context, q runtime.PruneQuery) error {
	return t.with(ctx, writing(!q.DryRun), q.Run, func(store runtime.Store) error {
		if q.Run != "" {
			if err := refusePrune(ctx, store, q.Run); err != nil {
				return err
			}
		}
		if err := runtime.NewEngine(store).CheckMachine(ctx, q.Machine); err != nil {
			return err
		}
		done, err := runtime.NewEngine(store).Prune(ctx, q)
		if err != nil {
			return fmt.Errorf("%s pruned; then: %w", describe.Count(done.Runs, "run"), err)
		}
		stays := error(nil)
		if q.Run != "" && done.Runs == 0 {
			stays = errFinding
		}
		if t.asJSON {
			return cmp.Or(printJSON(t.out, &pruneReport{done.Runs, done.Kept, !q.DryRun}), stays)
		}
		did, kept := "pruned", "kept"
		if q.DryRun {
			did, kept = "to prune", "to keep"
		}
		rest := ""
		if done.Kept > 0 {
			rest = fmt.Sprintf(", %d %s with messages to deliver or attempts under way", done.Kept, kept)
		}
		if q.DryRun && done.Runs > 0 {
			rest += "; nothing has been done, --apply does it"
		}
		fmt.Fprintf(t.out, "%s %s%s\n", describe.Count(done.Runs, "run"), did, rest)
		return stays
	})
}

// refusePrune says why one run cannot be pruned that is not there, has not ended, or is a child.
func refusePrune(ctx context.Context, store runtime.Store, run string) error {
	row, err := store.Load(ctx, run)
	switch {
	case err != nil:
		return err
	case row.Parent != "":
		return findingf("run %q goes with its root, %q", run, row.Root)
	case row.Status != runtime.Finished:
		return findingf("run %q has not ended: it is in %s; fsmc cancel ends it", run, row.State)
	}
	return nil
}
