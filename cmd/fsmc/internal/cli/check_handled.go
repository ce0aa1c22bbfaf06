package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

// handledRow is one way in which an activity can end in a leaf, and what the
// machine does with it: a line for each state that has something to say.
type handledRow struct {
	event      string   // a result, or "done"
	categories []string // of failures that are handled alike, where event is empty
	handled    []string
}

func (r handledRow) input() string {
	if r.event != "" {
		return r.event
	}
	return "failed(" + strings.Join(r.categories, ", ") + ")"
}

// printHandled writes for each activity of each state where its results and
// failures are handled, from the state outwards in the order in which the arms
// are tried.
func printHandled(out io.Writer, title string, m *ir.Machine) {
	title = fmt.Sprintf("\nHow the activities of %s can end, and what happens then:\n", title)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, leaf := range m.States {
		for _, d := range leaf.Dos {
			if d.Activity == nil {
				continue // its name is wrong, and reported
			}
			fmt.Fprintf(t, "%s  %s in %s%s\n", title, d.Activity.Name, leaf.Path, describe.After(" as ", d.Label))
			title = ""
			for _, row := range handledRows(m, d) {
				input := row.input()
				for _, line := range row.handled {
					fmt.Fprintf(t, "    %s\t%s\n", input, line)
					input = ""
				}
			}
		}
	}
	t.Flush()
}

// handledRows are the results of d, done where it has nothing else to say, and
// its failures; those that are handled alike share a row. Of one whose list is always empty
// only done comes.
func handledRows(m *ir.Machine, d *ir.Do) []handledRow {
	var rows []handledRow
	for _, c := range m.Cases(d.State) {
		silent := c.Kind == ir.CaseDone && (d.Activity.Silent() || d.NeverRuns())
		if (c.Do != d || d.NeverRuns()) && !silent {
			continue
		}
		handled := handledAt(upToSure(m.Choices(d.State, c)))
		switch c.Kind {
		case ir.CaseDone:
			rows = append(rows, handledRow{event: "done", handled: handled})
		case ir.CaseResult:
			rows = append(rows, handledRow{event: c.Event.Name, handled: handled})
		case ir.CaseFailure:
			same := slices.IndexFunc(rows, func(r handledRow) bool {
				return r.event == "" && slices.Equal(r.handled, handled)
			})
			if same < 0 {
				rows = append(rows, handledRow{handled: handled})
				same = len(rows) - 1
			}
			rows[same].categories = append(rows[same].categories, c.Category.Name)
		}
	}
	return rows
}

// upToSure is choices without those behind one that always applies.
func upToSure(choices []ir.Choice) []ir.Choice {
	for i, c := range choices {
		if c.Arm == nil || c.Arm.When == nil && c.Arm.Max == nil {
			return choices[:i+1]
		}
	}
	return choices
}

// handledAt is a line for each state that has choices: its name, the first line
// of the text that says it, and the chain.
func handledAt(choices []ir.Choice) []string {
	if len(choices) == 0 {
		return []string{"nothing takes it"}
	}
	var lines []string
	for i := 0; i < len(choices); {
		state := choices[i].State
		var chain []string
		line := choiceLine(choices[i])
		for ; i < len(choices) && choices[i].State == state; i++ {
			chain = append(chain, choiceText(choices[i]))
		}
		where := "the machine"
		if state.Path != "" {
			where = state.Path
		}
		lines = append(lines, fmt.Sprintf("%s, line %d\t%s", where, line, strings.Join(chain, " else ")))
	}
	return lines
}

func choiceLine(c ir.Choice) int {
	if c.Arm != nil {
		return c.Arm.Span.Start.Line
	}
	return c.Use.Span.Start.Line
}

func choiceText(c ir.Choice) string {
	switch {
	case c.Arm != nil:
		return c.Arm.Text()
	case c.Defer:
		return "defer"
	}
	return "ignore"
}
