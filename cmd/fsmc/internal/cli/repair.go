package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newRepair(s *streams) *cobra.Command {
	var (
		t       = target{streams: s}
		options runtime.RepairOptions
		ask     guards
	)
	c := &cobra.Command{
		Use:   "repair ID",
		Short: "Mend a run that is not what its history says, or whose require is false",
		Long: `Repair holds a run against its history: its snapshot, the columns beside it, the
tasks that stand for its activities, and its timers. The history is the truth. It
also reads the require of the state in which the run stands: where that is false
the run goes where it would have been turned away to.

It only says what is wrong, and what would become of the run, unless --apply is
given; then it is written, with a line of history. Exit status 1: something is
wrong and has not been mended. A run whose history itself does not replay cannot
be repaired; fsmc cancel --force ends it.`,
		Example: `  fsmc repair --db runs.db pr-17
  fsmc repair --db runs.db pr-17 --apply --reason "the disk lied"`,
		Args: arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opening := readOnly
			if options.Apply {
				opening = readWrite
			}
			return t.with(cmd.Context(), opening, args[0], func(store runtime.Store) error {
				engine, err := ask.engine(store)
				if err != nil {
					return err
				}
				report, err := engine.Repair(cmd.Context(), args[0], options)
				var differs *runtime.Difference
				switch {
				case errors.As(err, &differs):
					return findingf("its history does not replay, and cannot be repaired: %w", err)
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
	c.Flags().BoolVar(&options.Apply, "apply", false, "mend it, and do not only say what is wrong")
	return c
}

func (t *target) repaired(r *runtime.Repair) error {
	var found error
	if len(r.Faults) > 0 && !r.Applied {
		found = errFinding
	}
	if t.asJSON {
		return errors.Join(printJSON(t.out, r), found)
	}
	for _, fault := range r.Faults {
		fmt.Fprintln(t.out, plain(fault, 1000))
	}
	switch {
	case len(r.Faults) == 0:
		fmt.Fprintf(t.out, "%s is sound\n", r.Run)
	case r.Applied:
		fmt.Fprintf(t.out, "%s is repaired, and in %s\n", r.Run, r.To)
	default:
		fmt.Fprintf(t.out, "%s would be in %s; nothing has been done, --apply does it\n", r.Run, r.To)
	}
	return found
}
