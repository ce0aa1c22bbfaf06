//go:build !hook

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/formats"
)

func newExport(s *streams) *cobra.Command {
	e := &exporter{streams: s}
	c := &cobra.Command{
		Use:   "export --to FORMAT PATH...",
		Short: "Write a machine in another format",
		Long: `Export writes a machine, and the machines that it calls, in another format. A report
says what is guessed or missing, because that format cannot express it. A comment in the
file says the same at each place.

Formats:
` + formatList(formats.Targets, func(f foreign.Target) (name, summary string) { return f.Name, f.Summary }) + `
The file is printed, and the report is on standard error; with -o it is in a file, and
the report is printed. With --format json and without -o, the report has it as its
field "text".

Exit status 1: the machine has errors of names or types.`,
		Example: `  fsmc export --to xstate -o review.js review.fsm
  fsmc export --to scxml review.fsm`,
		RunE: func(_ *cobra.Command, paths []string) error { return e.run(paths) },
	}
	chooseFlag(c, &e.target, "to", "", "the format of the file", optionsOf(formats.Targets, func(f foreign.Target) string { return f.Name })...)
	c.MarkFlagRequired("to")
	c.Flags().StringVarP(&e.output, "output", "o", "", "write to `FILE`; - is standard output")
	machineFlag(c, &e.machine)
	formatFlag(c, &e.json)
	return c
}

// formatList is a table of formats and what they are, for help.
func formatList[T any](formats []T, of func(T) (name, summary string)) string {
	var b strings.Builder
	for _, f := range formats {
		name, summary := of(f)
		fmt.Fprintf(&b, "  %-8s %s\n", name, summary)
	}
	return b.String()
}

type exporter struct {
	*streams
	target          foreign.Target
	output, machine string
	json            bool
}

func (e *exporter) run(paths []string) error {
	_, m, err := e.loadOne(paths, e.machine, e.refuseUnit)
	if err != nil {
		return err
	}
	if err := foreign.Writable(m); err != nil {
		return err
	}
	return e.deliver(e.target.Write(m), e.output, e.json, e.writeMade)
}
