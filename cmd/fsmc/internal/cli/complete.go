package cli

import (
	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newComplete(s *streams) *cobra.Command {
	var (
		t    = target{streams: s}
		data string
		who  runtime.Operator
		ask  guards
	)
	c := &cobra.Command{
		Use:   "complete ID ACTIVITY [EVENT]",
		Short: "End an activity by hand, because its work was done outside",
		Long: `Complete ends an open activity of a run as if it had raised EVENT, or had ended
where it declares none. A worker that is at it is told to stop, and what it
returns is refused. The run's history says who did this, and why.

Where a state has the activity several times, ACTIVITY is the label that it has
there, or the name of its do as fsmc show --format json has it.

An event that does not fit is refused, and nothing has changed: exit status 1.`,
		Example: `  fsmc complete --db runs.db pr-17 post_comments CommentsPosted --reason "posted by hand"
  fsmc complete --db runs.db order-4 charge Charged --data '{"id": "ch_17"}'`,
		Args: arguments("ID", "ACTIVITY", "[EVENT]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			payload, err := s.payload(cmd, data)
			if err != nil {
				return err
			}
			done := runtime.Completion{Activity: args[1], Data: payload, Operator: who}
			if len(args) > 2 {
				done.Event = args[2]
			}
			return ask.answer(cmd.Context(), &t, args[0], func(engine *runtime.Engine) (runtime.View, error) {
				return engine.Complete(cmd.Context(), args[0], done)
			})
		},
	}
	t.flags(c)
	operatorFlags(c, &who)
	ask.flag(c)
	c.Flags().StringVar(&data, "data", "", "the event's fields as a `JSON` object; - reads it from standard input")
	return c
}
