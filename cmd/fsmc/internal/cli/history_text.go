package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// noteIndent puts notes below the columns that say what happened.
const noteIndent = "        "

// writeHistory writes a table of steps, with the day above the first step of
// it, and what a step's line does not say on lines of their own below it. Where heads are
// given, the one of a step stands before the day, and above the first step that has it.
func writeHistory(w io.Writer, steps []runtime.StepView, heads []string) error {
	lines := stepLines(steps)
	var out bytes.Buffer
	fmt.Fprintln(&out, lines[0])
	last := ""
	for i := range steps {
		head := describe.Day(steps[i].At.Local())
		if heads != nil {
			head = heads[i] + ", " + head
		}
		if head != last {
			last = head
			fmt.Fprintln(&out, head)
		}
		fmt.Fprintln(&out, lines[i+1])
		for _, note := range describe.Notes(&steps[i]) {
			fmt.Fprintf(&out, "%s%s\n", noteIndent, note)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// stepLines are the header and a line for each step, aligned.
func stepLines(steps []runtime.StepView) []string {
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "   #\tTIME\tFROM\tINPUT\tTO\tEFFECT\tAFTER")
	for i := range steps {
		s := &steps[i]
		to := s.To
		if to == s.From && s.Effect != machine.Moved {
			to = ""
		}
		fmt.Fprintf(t, "%4d\t%s\t%s\t%s\t%s\t%s\t%s\n",
			s.Seq, s.At.Local().Format("15:04:05.000"), s.From, s.Input, to, s.Effect, describe.Duration(s.Held))
	}
	t.Flush()
	lines := strings.Split(table.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}
