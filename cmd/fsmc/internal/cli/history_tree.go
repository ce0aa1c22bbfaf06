package cli

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

// treeStep is a step of a run in a tree.
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
