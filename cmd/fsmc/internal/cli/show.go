package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newShow(s *streams) *cobra.Command {
	t := target{streams: s}
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show one run: what it waits for, its data, its allowed events",
		Long: `Show begins with one sentence: what the run waits for, since when and until when,
the attempt, and the last error. Then it prints the allowed events with their
fields, the data, the timers, and how far the bounds are used.`,
		Example: "  fsmc show --db runs.db pr-17",
		Args:    arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd.Context(), readOnly, args[0], func(store runtime.Store) error {
				v, err := runtime.NewEngine(store).Get(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return t.print(v, false, func() error { return writeView(s.out, &v, time.Now()) })
			})
		},
	}
	t.flags(c)
	return c
}
