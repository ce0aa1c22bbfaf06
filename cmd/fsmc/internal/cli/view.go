package cli

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// writeView prints a run for a person.
func writeView(w io.Writer, v *runtime.View, now time.Time) error {
	if _, err := fmt.Fprintf(w, "%s.\n", sentence(v, now)); err != nil {
		return err
	}
	if err := writeEvents(w, v.Events); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("machine", "%s (version %.12s)", v.Machine, v.Definition)
	if v.Parent != "" {
		row("parent", "%s", plain(v.Parent, 1000))
	}
	row("started", "%s (%s)", when(v.Started, now), ago(v.Started, now))
	row("steps", "%d", v.Seq)
	row("params", "%s", plain(string(v.Params), 1000))
	row("data", "%s", plain(string(v.Data), 1000))
	if v.Returns != nil {
		row("returns", "%s", plain(string(v.Returns), 1000))
	}
	if v.Cancelled {
		row("cancel", "taken")
	}
	for _, timer := range v.Timers {
		row("timer", "%s, %s", cmp.Or(timer.Text, timer.Name), dueText(&timer, now))
	}
	for _, b := range v.Bounds {
		row("bound", "%s, used %d of %d%s", b.Text, b.Used, b.Max, after(" by ", attemptName("", b.Of)))
	}
	for _, c := range v.Costs {
		row("cost", "%s", costText(&c))
	}
	if v.Uncounted > 0 {
		row("cost", "%s not counted: fsmc history says which", countOf(v.Uncounted, "report"))
	}
	for _, a := range v.Activities {
		if a.Checkpoint != nil {
			row("checkpoint", "%s: %s", attemptName(a.Activity, a.Do), plain(string(a.Checkpoint), 1000))
		}
	}
	return t.Flush()
}

// returned says on a line what a run has returned; empty where it has nothing.
func returned(v *runtime.View) string {
	if v.Returns == nil {
		return ""
	}
	return fmt.Sprintf("%s returned %s", v.Run, plain(string(v.Returns), 1000))
}

// dueText says when a timer fires: "due 12:00:00", or of a paused run "1h left".
func dueText(t *machine.TimerView, now time.Time) string {
	if left, err := time.ParseDuration(t.Left); err == nil {
		return short(left) + " left"
	}
	return "due " + when(t.Due, now)
}

// costText is what a run has used of something: "tokens 61000 of 60000, over budget".
func costText(c *machine.CostView) string {
	text := c.Name + " " + c.Spent
	if c.Budget != "" {
		text += " of " + c.Budget
	}
	if c.Reserved != "" {
		text += ", " + c.Reserved + " more declared by attempts under way"
	}
	if c.Over {
		text += ", over budget"
	}
	if c.Passed {
		text += ", over_budget taken"
	}
	return text
}

// writeEvents lists the events that a run takes.
func writeEvents(w io.Writer, events []machine.EventView) error {
	for i := range events {
		if _, err := fmt.Fprintf(w, "allowed: %s\n", eventText(&events[i])); err != nil {
			return err
		}
	}
	return nil
}
