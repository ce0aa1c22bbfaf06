package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newPrune(s *streams) *cobra.Command {
	var (
		t     = target{streams: s}
		older time.Duration
		query runtime.PruneQuery
		who   runtime.Operator
	)
	c := &cobra.Command{
		Use:   "prune --older-than AGE",
		Short: "Delete runs that ended long ago, with their history",
		Long: `Prune deletes the finished runs whose last step is older than AGE, with their
history and all else that is kept of them, for good. Take a backup first. Runs with
a message in the outbox that has not been delivered stay, and are counted.

It deletes at once; --dry-run only counts. It works in short writes with rests in
between, so that live runs are not held up, and may be interrupted. Who pruned,
when, why and how many runs is kept in the table "prunings". The file does not
shrink: its free pages are used again.`,
		Example: `  fsmc prune --db runs.db --older-than 90d --dry-run
  fsmc prune --db runs.db --older-than 30d --outcome success --reason "retention"`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("older-than") {
				return errors.New("--older-than AGE is missing: it says which finished runs are deleted")
			}
			query.Before = time.Now().Add(-older)
			query.Actor, query.Reason = who.Actor, who.Reason
			return t.prune(cmd.Context(), query)
		},
	}
	t.flags(c)
	f := c.Flags()
	ageFlag(c, &older, "older-than", "runs whose last step is at least an `AGE` ago: 12h, 30d")
	chooseFlag(c, &query.Outcome, "outcome", "", "only those that ended so",
		option[runtime.Outcome]{"success", runtime.Success},
		option[runtime.Outcome]{"failure", runtime.Failed},
		option[runtime.Outcome]{"cancelled", runtime.Cancelled})
	f.StringVar(&query.Machine, "machine", "", "only runs of the machine called `NAME`")
	f.BoolVar(&query.DryRun, "dry-run", false, "delete nothing, and say how many runs it would be")
	f.StringVar(&who.Actor, "actor", user(), "who does this, a `NAME` that is kept")
	f.StringVar(&who.Reason, "reason", "", "why, a `TEXT` that is kept")
	return c
}

// pruneReport is what prune --format json prints.
type pruneReport struct {
	Pruned int64 `json:"pruned"` // runs; of a dry run those that would be
	Kept   int64 `json:"kept"`   // runs of that age with messages to deliver
	DryRun bool  `json:"dry_run"`
}

func (t *target) prune(ctx context.Context, q runtime.PruneQuery) error {
	opening := readWrite
	if q.DryRun {
		opening = readOnly
	}
	return t.with(ctx, opening, "", func(store runtime.Store) error {
		if err := checkMachine(ctx, store, q.Machine); err != nil {
			return err
		}
		done, err := runtime.NewEngine(store).Prune(ctx, q)
		if err != nil {
			return fmt.Errorf("%s pruned; then: %w", countOf(done.Runs, "run"), err)
		}
		if t.asJSON {
			return printJSON(t.out, &pruneReport{done.Runs, done.Kept, q.DryRun})
		}
		did, kept := "pruned", "kept"
		if q.DryRun {
			did, kept = "to prune", "to keep"
		}
		rest := ""
		if done.Kept > 0 {
			rest = fmt.Sprintf(", %d %s with messages to deliver", done.Kept, kept)
		}
		_, err = fmt.Fprintf(t.out, "%s %s%s\n", countOf(done.Runs, "run"), did, rest)
		return err
	})
}
