package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newCancel(s *streams) *cobra.Command {
	var (
		t     = target{streams: s}
		force bool
		who   runtime.Operator
		ask   guards
	)
	many := bulk{does: runtime.CancelInput, statuses: []runtime.Status{runtime.Running, runtime.Halted},
		act: func(ctx context.Context, store runtime.Store, run string) (runtime.View, error) {
			return ask.step(ctx, store, run, func(engine *runtime.Engine) (runtime.View, error) {
				return engine.Cancel(ctx, run, runtime.CancelOptions{Force: force, Actor: who.Actor, Reason: who.Reason})
			})
		}}
	c := &cobra.Command{
		Use:   "cancel [ID]",
		Short: "Cancel a run, and wait until its activities have stopped",
		Long: `Cancel gives the run the input "cancel": the state that handles it decides what
happens; where none does, or with --force, the run ends where it stands. The
command returns when the activities that this stops have said that they have
cleaned up, or their leases have run out.

Cancelling a run a second time does nothing, unless with --force. One that has
ended otherwise is refused: exit status 1.

With --where instead of an ID it is for all unfinished runs that the terms fit.
It then only shows which those are, and which of them would be refused, unless
--apply is given.`,
		Example: `  fsmc cancel --db runs.db pr-17 --actor ada --reason "superseded"
  fsmc cancel --db runs.db --where "machine=CodeReview older than 7d" --apply`,
		Args: many.check,
		RunE: func(cmd *cobra.Command, args []string) error { return many.run(cmd.Context(), &t, args) },
	}
	t.flags(c)
	operatorFlags(c, &who)
	ask.flag(c)
	many.flags(c)
	c.Flags().BoolVar(&force, "force", false, "end the run where it stands, even where a state handles cancel")
	return c
}
