package cli

import (
	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newRetry(s *streams) *cobra.Command {
	return newSteer(s, &steering{
		use: "retry [ID]", does: runtime.RetryInput, statuses: []runtime.Status{runtime.Halted}, act: (*runtime.Engine).Retry, judge: inVain,
		short: "Try once more what does not go on by itself",
		long: `Retry gives a halted run once more the input that it could not take. In a run
whose activity waits for its backoff it is tried at once. A run that ended in
failure is taken up again in the state in which it failed, as if it came from
outside, and the bounds of what it can take there start anew.

A run in which there is nothing of the kind is refused: exit status 1. So it is
where the run is halted, or has ended in failure, once more.

With --where instead of an ID it is for all halted runs that the terms fit, or
for those that ended in failure with outcome=failure among the terms. It then
only shows which those are, and which of them would be refused, unless --apply
is given.`,
		example: `  fsmc retry --db runs.db pr-17 --reason "the token is renewed"
  fsmc retry --db runs.db --where "machine=CodeReview outcome=failure" --apply`,
	})
}

// inVain makes a run that still does not go on an exit status.
func inVain(v *runtime.View) error {
	if v.Status == runtime.Halted || v.Status == runtime.Finished && v.Outcome == runtime.Failed {
		return errFinding
	}
	return nil
}
