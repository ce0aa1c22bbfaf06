//go:build !hook

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/formats"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

func newImport(s *streams) *cobra.Command {
	i := &importer{streams: s}
	c := &cobra.Command{
		Use:   "import --from FORMAT PATH",
		Short: "Make a machine from a file in another format",
		Long: `Import reads a machine of another format and writes it in this language, formatted.
A comment says at each place what was lost or guessed, and so does a report. It counts
the machine and each state: those that came over whole; those that came over in part,
with a guess or without some of their data; and those that lead elsewhere. After that, fsmc check finds what is
wrong with the original.

Formats:
` + formatList(formats.Sources, func(f foreign.Source) (name, summary string) { return f.Name, f.Summary }) + `
The machine is printed, and the report is on standard error; with -o the machine is
in a file, and the report is printed. A file that is there with another text is left alone.
With --format json and without -o, the report has
the machine as its field "text". Files are read up to 16 MiB.

Exit status 1: the file is not of that format.`,
		Example: `  fsmc import --from asl order.asl.json
  fsmc import --from asl -o order.fsm order.asl.json && fsmc check order.fsm`,
		RunE: func(_ *cobra.Command, paths []string) error { return i.run(paths[0]) },
	}
	chooseFlag(c, &i.source, "from", "", "the format of the file", optionsOf(formats.Sources, func(f foreign.Source) string { return f.Name })...)
	c.MarkFlagRequired("from")
	c.Flags().StringVarP(&i.output, "output", "o", "", "write the machine to `FILE`; - is standard output")
	formatFlag(c, &i.json)
	return c
}

type importer struct {
	*streams
	source foreign.Source
	output string
	json   bool
}

func (i *importer) run(path string) error {
	text, err := i.readUpTo(foreign.MaxBytes+1, path) // more than that the readers refuse
	if err != nil {
		return fmt.Errorf("file %q cannot be read: %w", path, reason(err))
	}
	if i.output != "" && path != "-" && placeOf(path) == placeOf(i.output) {
		return fmt.Errorf("file %q is what is imported, and is left alone: write to another file", i.output)
	}
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	if path == "-" {
		base = "Imported"
	}
	result, err := i.source.Read(base, text)
	if bad := new(foreign.Error); errors.As(err, &bad) {
		fmt.Fprintf(i.err, "fsmc: %s: %s\n", path, bad)
		return errFinding
	} else if err != nil {
		return err
	}
	return i.deliver(result, i.output, i.json, i.writeNew)
}

// writeNew is write for a file that is not there: people go on with what was imported.
func (i *importer) writeNew(output string, text []byte) error {
	if info, err := os.Stat(output); err == nil && info.Mode().IsRegular() {
		there, err := os.ReadFile(output)
		if err == nil && len(bytes.TrimSpace(there)) > 0 && !bytes.Equal(there, text) {
			return fmt.Errorf("file %q is there already, with another text, and is left alone: remove it, or write to another file", output)
		}
	}
	return i.write(output, text)
}

// deliver puts what was made where -o says, by write, and prints the report.
func (s *streams) deliver(result *foreign.Result, output string, asJSON bool, write func(string, []byte) error) error {
	if output != "" && output != "-" {
		if err := write(output, result.Text); err != nil {
			return err
		}
		return tellForeign(s.out, result, asJSON, "")
	}
	if asJSON {
		return tellForeign(s.out, result, asJSON, string(result.Text))
	}
	if err := write("", result.Text); err != nil {
		return err
	}
	return tellForeign(s.err, result, asJSON, "")
}

// tellForeign prints the report; as JSON with text as a field.
func tellForeign(w io.Writer, result *foreign.Result, asJSON bool, text string) error {
	r := result.Report
	if asJSON {
		return printJSON(w, struct {
			*foreign.Report
			Grade foreign.Grade `json:"grade"`
			Text  string        `json:"text,omitempty"`
		}{r, r.Grade(), text})
	}
	for _, item := range r.Items {
		for _, why := range item.Why {
			fmt.Fprintf(w, "%s %s: %s\n", place(item), diag.Harmless(item.Place), why)
		}
	}
	fmt.Fprintf(w, "%s: machine and states: %d whole, %d in part, %d that lead elsewhere\n",
		strings.Join(r.Machines, ", "), r.Count(foreign.Whole), r.Count(foreign.Part), r.Count(foreign.Lost))
	return nil
}

func place(item *foreign.Item) string {
	if item.Line == 0 {
		return "-"
	}
	return fmt.Sprintf("line %d", item.Line)
}
