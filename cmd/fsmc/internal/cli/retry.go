package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

func newRetry(s *streams) *cobra.Command {
	var over bool
	c := newSteer(s, &steering{
		use: "retry [ID]", does: machine.RetryInput, judge: inVain,
		act: func(engine *runtime.Engine, ctx context.Context, run string, who runtime.Operator) (runtime.View, error) {
			if over {
				return engine.RetryOverBudget(ctx, run, who)
			}
			return engine.Retry(ctx, run, who)
		},
		short: "Retry a halted or failed run, or an activity that waits",
		long: `Retry gives a halted run the same input again. If an activity of the run waits for
its backoff, retry starts it at once. A run that ended in failure continues in the
state in which it failed, as if it had entered that state from outside; the bounds
of that state start again from zero.

A run with nothing to retry refuses: exit status 1. Exit status 1 also says that
the run is halted again, or has ended in failure again.

A run is halted if a cost, or its time, passes the budget and nothing takes
"over_budget" in its state. With --allow-over-budget the run continues without that
input. From then on, the budget for this cost does not limit the run. The history says
who allowed it.

With --where instead of an ID, retry is for all halted runs that match, or with
the term outcome=failure for all runs that ended in failure and match. It then
only shows these runs, and those that would refuse. --apply retries them.`,
		example: `  fsmc retry --db runs.db pr-17 --reason "the token is renewed"
  fsmc retry --db runs.db --where "machine=CodeReview outcome=failure" --apply
  fsmc retry --db runs.db task-3 --allow-over-budget --reason "the client pays"`,
	})
	c.Flags().BoolVar(&over, "allow-over-budget", false, "let a run continue that is halted because it passed its budget")
	return c
}

// inVain makes a run that still does not go on an exit status.
func inVain(v *runtime.View) error {
	if v.Status == runtime.Halted || v.Status == runtime.Finished && v.Outcome == runtime.Failed {
		return errFinding
	}
	return nil
}
