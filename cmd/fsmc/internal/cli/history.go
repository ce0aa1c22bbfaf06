package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newHistory(s *streams) *cobra.Command {
	t := target{streams: s}
	write := writeTable
	c := &cobra.Command{
		Use:   "history ID",
		Short: "Print what happened to a run, step by step",
		Long: `History prints every step of a run: when, from where to where, by which input
with what in it, how far the bound of the arm that was taken is used, the arms
that were passed over and why, and who sent it. With --format json it prints an
array with one object for each step, with --format mermaid a sequence diagram of
the outside, the run, its activities and its timers.`,
		Example: `  fsmc history --db runs.db pr-17
  fsmc history --db runs.db --format json pr-17
  fsmc history --db runs.db --format mermaid pr-17 > pr-17.mmd`,
		Args: arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd.Context(), readOnly, args[0], func(store runtime.Store) error {
				v, steps, err := wholeHistory(cmd.Context(), store, args[0])
				if err != nil {
					return err
				}
				return write(s.out, &v, steps)
			})
		},
	}
	dbFlag(c, &t.db)
	chooseFlag(c, &write, "format", "text", "how to print",
		option[historyWriter]{"text", writeTable}, option[historyWriter]{"json", writeSteps}, option[historyWriter]{"mermaid", writeSequence})
	return c
}

// historyWriter writes a run's history in one form.
type historyWriter = func(io.Writer, *runtime.View, []runtime.StepView) error

func writeTable(w io.Writer, _ *runtime.View, steps []runtime.StepView) error {
	return writeHistory(w, steps)
}

func writeSteps(w io.Writer, _ *runtime.View, steps []runtime.StepView) error {
	return printJSON(w, steps)
}

// historyPage is how many lines of history are read at a time.
const historyPage = 1000

// wholeHistory reads a run, and its history up to where it then stands.
func wholeHistory(ctx context.Context, store runtime.Store, run string) (runtime.View, []runtime.StepView, error) {
	engine := runtime.NewEngine(store)
	v, err := engine.Get(ctx, run)
	if err != nil {
		return v, nil, err
	}
	steps := []runtime.StepView{}
	for after := int64(0); after < v.Seq; after = int64(len(steps)) {
		page, err := engine.History(ctx, run, after, int(min(historyPage, v.Seq-after)))
		if err != nil {
			return v, nil, err
		}
		if len(page) == 0 {
			return v, nil, fmt.Errorf("the history of %q ends after step %d of %d", run, after, v.Seq)
		}
		steps = append(steps, page...)
	}
	return v, steps, nil
}
