package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

func newRepair(s *streams) *cobra.Command {
	var (
		t       = target{streams: s}
		options runtime.RepairOptions
		ask     guards
	)
	c := &cobra.Command{
		Use:   "repair ID",
		Short: "Repair a run that differs from its history, or whose require is false",
		Long: `Repair compares a run with its history. It compares the snapshot, the columns
beside it, the tasks of its activities, and its timers. The history counts as right. It
also evaluates the "require" of the state in which the run is. If the condition is
false, the repaired run moves to the state after "else".

Without --apply, repair only says what is wrong, and which state the run would be
in. With --apply, it writes the change, with a line of history.

Exit status 1: something is wrong and was not repaired. If the history itself does
not replay, the run cannot be repaired; fsmc cancel --force ends it if its
snapshot can still be read.`,
		Example: `  fsmc repair --db runs.db pr-17
  fsmc repair --db runs.db pr-17 --apply --reason "the disk lied"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd.Context(), writing(options.Apply), args[0], func(store runtime.Store) error {
				engine, err := ask.engine(store)
				if err != nil {
					return err
				}
				report, err := engine.Repair(cmd.Context(), args[0], options)
				var differs *runtime.Difference
				switch {
				case errors.As(err, &differs):
					return findingf("its history does not replay, so it cannot be repaired: %w", err)
				case err != nil:
					return ask.unanswered(err)
				}
				return t.repaired(&report)
			})
		},
	}
	t.flags(c)
	ask.flag(c)
	operatorFlags(c, &options.Operator)
	c.Flags().BoolVar(&options.Apply, "apply", false, "repair the run; without this flag, only say what is wrong")
	return c
}

func (t *target) repaired(r *runtime.Repair) error {
	return t.print(r, len(r.Faults) > 0 && !r.Applied, func() {
		for _, fault := range r.Faults {
			fmt.Fprintln(t.out, describe.Plain(fault, 1000))
		}
		switch {
		case len(r.Faults) == 0:
			fmt.Fprintf(t.out, "%s is sound\n", r.Run)
		case r.Applied:
			fmt.Fprintf(t.out, "%s is repaired, and in %s\n", r.Run, r.To)
		default:
			fmt.Fprintf(t.out, "%s would be in %s; nothing has been done, --apply does it\n", r.Run, r.To)
		}
	})
}
