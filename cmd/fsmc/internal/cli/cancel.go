package cli

import (
	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newCancel(s *streams) *cobra.Command {
	var (
		t     = target{streams: s}
		force bool
		who   operator
		ask   guards
	)
	c := &cobra.Command{
		Use:   "cancel ID",
		Short: "Cancel a run, and wait until its activities have stopped",
		Long: `Cancel gives the run the input "cancel": the state that handles it decides what
happens; where none does, or with --force, the run ends where it stands. The
command returns when the activities that this stops have said that they have
cleaned up, or their leases have run out.

Cancelling a run a second time does nothing, unless with --force. One that has
ended is refused: exit status 1.`,
		Example: `  fsmc cancel --db runs.db pr-17 --actor ada --reason "superseded"`,
		Args:    arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd.Context(), readWrite, args[0], func(store runtime.Store) error {
				engine, err := ask.engine(cmd.Context(), store, args[0])
				if err != nil {
					return err
				}
				v, err := engine.Cancel(cmd.Context(), args[0],
					runtime.CancelOptions{Force: force, Actor: who.actor, Reason: who.reason})
				if err != nil {
					return ask.unanswered(err)
				}
				return t.answer(&v)
			})
		},
	}
	t.flags(c)
	who.flags(c)
	ask.flag(c)
	c.Flags().BoolVar(&force, "force", false, "end the run where it stands, even where a state handles cancel")
	return c
}
