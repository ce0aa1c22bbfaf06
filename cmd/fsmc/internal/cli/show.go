package cli

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

func newShow(s *streams) *cobra.Command {
	t := target{streams: s}
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show one run: what it waits for, its data, its allowed events",
		Long: `Show begins with one sentence: what the run waits for, since when and until when,
the attempt, and the last error. Then it prints the allowed events with their
fields, the data, the timers, and how far the bounds are used.`,
		Example: "  fsmc show --db runs.db pr-17",
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.with(cmd.Context(), readOnly, args[0], func(store runtime.Store) error {
				v, err := runtime.NewEngine(store).Get(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return t.print(v, false, func() { writeView(s.out, &v, time.Now()) })
			})
		},
	}
	t.flags(c)
	return c
}

func writeView(w io.Writer, v *runtime.View, now time.Time) {
	fmt.Fprintf(w, "%s.\n", describe.Sentence(v, now))
	writeEvents(w, v.Events)
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("machine", "%s (version %.12s)", v.Machine, v.Definition)
	if v.Parent != "" {
		row("parent", "%s", describe.Plain(v.Parent, 1000))
	}
	if len(v.Tags) > 0 {
		row("tags", "%s", describe.Printable(describe.Tags(v.Tags)))
	}
	row("started", "%s (%s)", describe.When(v.Started, now), describe.Ago(v.Started, now))
	row("steps", "%d", v.Seq)
	row("params", "%s", describe.Plain(string(v.Params), 1000))
	row("data", "%s", describe.Plain(string(v.Data), 1000))
	if v.Returns != nil {
		row("returns", "%s", describe.Plain(string(v.Returns), 1000))
	}
	if v.Cancelled {
		row("cancel", "taken")
	}
	for _, timer := range v.Timers {
		row("timer", "%s, %s", cmp.Or(timer.Text, timer.Name), describe.Due(&timer, now))
	}
	for _, b := range v.Bounds {
		row("bound", "%s %s, used %d of %d%s", b.Arm, b.Text, b.Used, b.Max, describe.After(" by ", describe.Attempt("", b.Of)))
	}
	for _, c := range v.Costs {
		row("cost", "%s", describe.Cost(&c))
	}
	if v.Uncounted > 0 {
		row("cost", "%s not counted: fsmc history says which", describe.Count(v.Uncounted, "report"))
	}
	for _, a := range v.Activities {
		if a.Checkpoint != nil {
			row("checkpoint", "%s: %s", describe.Attempt(a.Activity, a.Do), describe.Plain(string(a.Checkpoint), 1000))
		}
		if e := a.LastError; e != nil {
			for _, line := range describe.Stderr(e.Message, e.Stderr) {
				row("stderr", "%s: %s", describe.Attempt(a.Activity, a.Do), line)
			}
		}
	}
	t.Flush()
}

func writeEvents(w io.Writer, events []machine.EventView) {
	for i := range events {
		fmt.Fprintf(w, "allowed: %s\n", describe.Event(&events[i]))
	}
}
