package cli

import (
	"strings"

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
		Long: `Complete ends an open activity of a run. The run continues as if the activity had
raised EVENT; leave EVENT out if the activity declares no event. A worker that
works on the activity is told to stop, and its result is refused. The history of
the run says who completed the activity, and why.

If a state has the activity several times, ACTIVITY is the label of its "do", or
the name that fsmc show --format json prints in the field "do". If the activity runs
for each element of a list, ACTIVITY names one element: "r[0]" is the first. For a
"do machine", EVENT is the terminal in which its run would have ended; that run is
cancelled.

An event that does not fit is refused and changes nothing: exit status 1.`,
		Example: `  fsmc complete --db runs.db pr-17 post_comments CommentsPosted --reason "posted by hand"
  fsmc complete --db runs.db order-4 charge Charged --data '{"id": "ch_17"}'
  fsmc complete --db runs.db batch-7 'r[3]' Found --data '{"note": "looked up"}'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			payload, err := s.object(cmd, "data", data, "where the activity has nothing to say")
			if err != nil {
				return err
			}
			done := runtime.Completion{Activity: args[1], Event: strings.Join(args[2:], ""), Data: payload, Operator: who}
			return ask.answer(cmd.Context(), &t, args[0], func(engine *runtime.Engine) (runtime.View, error) {
				return engine.Complete(cmd.Context(), args[0], done)
			})
		},
	}
	t.flags(c)
	operatorFlags(c, &who)
	ask.flag(c)
	c.Flags().StringVar(&data, "data", "", "the fields of the event, as a `JSON` object; - reads standard input")
	return c
}
