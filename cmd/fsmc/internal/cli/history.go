package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

func newHistory(s *streams) *cobra.Command {
	t := target{streams: s}
	write := writeTable
	tree := false
	c := &cobra.Command{
		Use:   "history ID",
		Short: "Print what happened to a run, step by step",
		Long: `History prints every step of a run:
  - the time, the state before and after, and the input with its data
  - the count of the bound of the arm that was taken
  - the arms that were not taken, and why
  - the parameters and data that a migration has changed
  - who sent the input, and why

With --tree, it prints the steps of the run and of the runs below it in one list,
sorted by time, with the id of each run.

With --format json, it prints an array with one object for each step. With
--format mermaid, it prints a sequence diagram of the outside world, the run, its
activities and its timers.`,
		Example: `  fsmc history --db runs.db pr-17
  fsmc history --db runs.db --format json pr-17
  fsmc history --db runs.db --tree pr-17
  fsmc history --db runs.db --format mermaid pr-17 > pr-17.mmd`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd.Context(), readOnly, args[0], func(store runtime.Store) error {
				if tree {
					return printTreeHistory(cmd, s.out, store, args[0])
				}
				row, steps, err := wholeHistory(cmd.Context(), store, args[0])
				if err != nil && len(steps) == 0 {
					return err
				}
				return cmp.Or(write(s.out, &row, steps), err)
			})
		},
	}
	dbFlag(c, &t.db)
	c.Flags().BoolVar(&tree, "tree", false, "also the steps of the runs below it: children, and theirs")
	chooseFlag(c, &write, "format", "text", "how to print",
		option[historyWriter]{"text", writeTable}, option[historyWriter]{"json", writeSteps}, option[historyWriter]{"mermaid", writeSequence})
	return c
}

// historyWriter writes a run's history in one form.
type historyWriter = func(io.Writer, *runtime.RunRow, []runtime.StepView) error

func writeTable(w io.Writer, _ *runtime.RunRow, steps []runtime.StepView) error {
	return writeHistory(w, steps, nil)
}

func writeSteps(w io.Writer, _ *runtime.RunRow, steps []runtime.StepView) error {
	return printJSON(w, steps)
}

// historyPage is how many lines of history are read at a time.
const historyPage = 1000

// wholeHistory reads a run's row, and its history up to where it then stands. The
// snapshot is not looked at: history is wanted most when that is damaged. With an
// error come the steps that could be read.
func wholeHistory(ctx context.Context, store runtime.Store, run string) (runtime.RunRow, []runtime.StepView, error) {
	row, err := store.Load(ctx, run)
	if err != nil {
		return row, nil, err
	}
	engine := runtime.NewEngine(store)
	steps := []runtime.StepView{}
	var gaps error
	for after := int64(0); after < row.Seq; {
		page, err := engine.History(ctx, run, after, int(min(historyPage, row.Seq-after)))
		if err != nil {
			return row, steps, err
		}
		if len(page) == 0 {
			return row, steps, fmt.Errorf("the history of %q ends after step %d of %d", run, after, row.Seq)
		}
		for i := range page {
			if gaps == nil && page[i].Seq != after+1 {
				gaps = fmt.Errorf("the history of %q has no step %d", run, after+1)
			}
			after = page[i].Seq
		}
		steps = append(steps, page...)
	}
	return row, steps, gaps
}

type treeStep struct {
	Run string `json:"run"`
	runtime.StepView
}

// printTreeHistory prints the steps of a run and of those below it, by their times, of equals those
// of the upper run first. Of a run that can be read only in part it prints that, too.
func printTreeHistory(c *cobra.Command, w io.Writer, store runtime.Store, run string) error {
	format := c.Flag("format").Value.String()
	if format == "mermaid" {
		return errors.New("--tree has no sequence diagram: write --format text or json")
	}
	rows, err := runtime.NewEngine(store).Tree(c.Context(), run)
	if err != nil {
		return err
	}
	steps := []treeStep{}
	var faults error
	for _, row := range rows {
		_, its, err := wholeHistory(c.Context(), store, row.Run)
		faults = errors.Join(faults, err)
		for _, s := range its {
			steps = append(steps, treeStep{row.Run, s})
		}
	}
	if faults != nil && len(steps) == 0 {
		return faults
	}
	slices.SortStableFunc(steps, func(a, b treeStep) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(strings.Count(a.Run, "/"), strings.Count(b.Run, "/")))
	})
	if format == "json" {
		return cmp.Or(printJSON(w, steps), faults)
	}
	return cmp.Or(writeTreeSteps(w, steps), faults)
}

// writeTreeSteps writes a table of the steps, with the run and the day above those of one.
func writeTreeSteps(w io.Writer, steps []treeStep) error {
	views, runs := make([]runtime.StepView, len(steps)), make([]string, len(steps))
	for i := range steps {
		views[i], runs[i] = steps[i].StepView, describe.Plain(steps[i].Run, 1000)
	}
	return writeHistory(w, views, runs)
}
