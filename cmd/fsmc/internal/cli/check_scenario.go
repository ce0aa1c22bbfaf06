package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/codegen/scenarios"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// writeScenarios prints the witness of each finding as a scenario. Of a finding without one, and of
// one that no scenario shows, a comment says so.
func writeScenarios(w io.Writer, r report) error {
	var b strings.Builder
	if len(r.unit.Program.Machines) > 0 {
		b.WriteString(importsFor(folderOf(r.unit.Program.Machines), r.unit.Program.Machines))
	}
	titles := map[string]int{}
	for i := range r.list {
		d := &r.list[i]
		title := fmt.Sprintf("%s at %s:%d:%d", d.Rule, diag.Harmless(d.Span.Start.Filename), d.Span.Start.Line, d.Span.Start.Column)
		if titles[title]++; titles[title] > 1 {
			title = fmt.Sprintf("%s (%d)", title, titles[title])
		}
		text, err := scenarioOf(r.unit.Program, d, title)
		fmt.Fprintf(&b, "\n// %s: %s\n", d.Severity, strings.Join(strings.Fields(d.Message), " "))
		if err != nil {
			fmt.Fprintf(&b, "// No scenario shows it (%s): %s\n", title, strings.Join(strings.Fields(err.Error()), " "))
		}
		b.WriteString(text)
	}
	text, list := lang.Format("scenarios", []byte(b.String()))
	if list.HasErrors() {
		return fmt.Errorf("what was written cannot be read, which is a fault of fsmc: %s", list[0].Message)
	}
	_, err := w.Write(text)
	return err
}

// scenarioOf is the witness of d as a scenario. The error says why there is none.
func scenarioOf(prog *ir.Program, d *diag.Diagnostic, title string) (string, error) {
	found := witness.Of(d.Witness)
	if found == nil || len(found.Path) == 0 {
		return "", fmt.Errorf("the finding has no run")
	}
	for _, m := range prog.Machines {
		if m.Name == d.Machine && m.Span.Start.Filename == d.Span.Start.Filename {
			return scenarios.Witness(m, title, found.Steps())
		}
	}
	return "", fmt.Errorf("its machine is not in the input")
}
