package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

// treeStep is a step of a run in a tree.
type treeStep struct {
	Run string `json:"run"`
	runtime.StepView
}

// printTreeHistory prints the steps of a run and of those below it, by their times, of equals those
// of the upper run first.
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
	for _, row := range rows {
		_, its, err := wholeHistory(c.Context(), store, row.Run)
		if err != nil {
			return err
		}
		for _, s := range its {
			steps = append(steps, treeStep{row.Run, s})
		}
	}
	slices.SortStableFunc(steps, func(a, b treeStep) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(strings.Count(a.Run, "/"), strings.Count(b.Run, "/")))
	})
	if format == "json" {
		return printJSON(w, steps)
	}
	return writeTreeSteps(w, steps)
}

// writeTreeSteps writes a line for each step, and under it what that does not say.
func writeTreeSteps(w io.Writer, steps []treeStep) error {
	views := make([]runtime.StepView, len(steps))
	for i := range steps {
		views[i] = steps[i].StepView
	}
	lines, err := stepLines(views)
	if err != nil {
		return err
	}
	var out strings.Builder
	fmt.Fprintln(&out, lines[0])
	last := ""
	for i := range steps {
		if run := steps[i].Run; run != last {
			last = run
			fmt.Fprintf(&out, "%s, %s\n", plain(run, 1000), day(steps[i].At.Local()))
		}
		fmt.Fprintln(&out, lines[i+1])
		for _, note := range notes(&views[i]) {
			fmt.Fprintf(&out, "%s%s\n", noteIndent, note)
		}
	}
	_, err = io.WriteString(w, out.String())
	return err
}
