package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func newList(s *streams) *cobra.Command {
	l := &lister{target: target{streams: s}}
	c := &cobra.Command{
		Use:   "list",
		Short: "List runs, newest first",
		Long: `List prints one line for each run, newest first: its machine and state, its number
of steps, when it started, and since when it has been in its state.

--where takes one or more terms. A run matches if all terms hold. Separate terms
with blanks, commas or "and":
  machine=NAME
  state=PATH
  status=running|halted|ending|finished|paused
  outcome=success|failure|cancelled
  definition=HASH
  parent=ID                       (the children of that run)
  id=ID, id=pr-1*                 (that run; the runs whose IDs begin with pr-1)
  tag.NAME=VALUE                  (the runs with that tag: see fsmc run --tag)
  older than 90s|1h30m|30d        (since the run started)
Put a value with blanks or commas in quotes: tag.for='Ada Lovelace'. Each term except
definition and id also has a flag. A run that is "ending" is in a terminal state or was
cancelled, but some of its children have not ended.

If the database has machines, but none with this NAME, that is an error: exit
status 2. The same holds for a state that no run of these machines can be in.`,
		Example: `  fsmc list --db runs.db
  fsmc list --db runs.db --status running --older 1h
  fsmc list --db runs.db --where "machine=Order state=Paying older than 2d"
  fsmc list --db runs.db --where "tag.team=pay status=halted"`,
		RunE: func(cmd *cobra.Command, _ []string) error { return l.list(cmd, time.Now()) },
	}
	l.flags(c)
	f := c.Flags()
	f.StringVar(&l.where, "where", "", "only runs for which all `TERMS` hold")
	f.StringVar(&l.filter.Machine, "machine", "", "only runs of the machine called `NAME`")
	f.StringVar(&l.filter.State, "state", "", "only runs in the state with this `PATH`")
	chooseFlag(c, &l.status, "status", "", "only runs with this status",
		option[listedStatus]{"running", listedStatus{status: runtime.Running}},
		option[listedStatus]{"halted", listedStatus{status: runtime.Halted}},
		option[listedStatus]{"ending", listedStatus{status: runtime.Ending}},
		option[listedStatus]{"finished", listedStatus{status: runtime.Finished}},
		option[listedStatus]{"paused", listedStatus{runtime.Running, true}})
	outcomeFlag(c, &l.filter.Outcome)
	f.StringVar(&l.filter.Parent, "parent", "", "only the children of the run with this `ID`")
	tagFlag(c, &l.tags, "only runs with this tag, `NAME=VALUE`; repeat for more")
	ageFlag(c, &l.age, runtime.ParseAge, "older", "only runs that started at least an `AGE` ago: 90s, 1h30m, 30d")
	f.IntVar(&l.filter.Limit, "limit", 100, "list at most `N` runs; 0 for all")
	f.StringVar(&l.filter.After, "after", "", "continue after the run with this `ID`, the last one of the page before")
	for _, name := range []string{"machine", "state", "status", "outcome", "parent", "tag", "older"} {
		c.MarkFlagsMutuallyExclusive("where", name)
	}
	return c
}

type lister struct {
	target
	where  string
	age    time.Duration
	status listedStatus
	tags   []string
	filter runtime.RunFilter
}

// listedStatus is a status as operators have it: a paused run is running, too.
type listedStatus struct {
	status runtime.Status
	paused bool
}

func outcomeFlag(c *cobra.Command, into *runtime.Outcome) {
	chooseFlag(c, into, "outcome", "", "only runs with this outcome",
		option[runtime.Outcome]{"success", runtime.Success},
		option[runtime.Outcome]{"failure", runtime.Failed},
		option[runtime.Outcome]{"cancelled", runtime.Cancelled})
}

// pageOfRuns is how many runs are read at a time where many are meant.
const pageOfRuns = 500

func (l *lister) list(cmd *cobra.Command, now time.Time) error {
	if l.filter.Limit < 0 {
		return errors.New("--limit is at least 0, which is for all")
	}
	f := l.filter
	f.Status, f.Paused = l.status.status, l.status.paused
	var err error
	if f.Tags, err = readTags(l.tags); err != nil {
		return err
	}
	if cmd.Flags().Changed("where") {
		if f, err = runtime.ParseWhere(l.where, now); err != nil {
			return fmt.Errorf("--where: %w", err)
		}
		f.Limit, f.After = l.filter.Limit, l.filter.After
	}
	if l.age > 0 {
		f.StartedTo = now.Add(-l.age)
	}
	return l.with(cmd.Context(), readOnly, f.After, func(db runtime.Store) error {
		if err := runtime.NewEngine(db).CheckFilter(cmd.Context(), &f); err != nil {
			return err
		}
		rows, err := matching(cmd.Context(), db, f)
		if err != nil {
			return err
		}
		return l.writeRuns(rows, f.Limit, now)
	})
}

// matching are the runs that a filter lets through, without their snapshots: there may be many,
// and these may be large.
func matching(ctx context.Context, db runtime.Store, f runtime.RunFilter) (rows []runtime.RunRow, err error) {
	err = store.EachRun(ctx, db, f, pageOfRuns, func(row *runtime.RunRow) error {
		row.Snapshot = nil
		rows = append(rows, *row)
		return nil
	})
	return rows, err
}

func (t *target) writeRuns(rows []runtime.RunRow, limit int, now time.Time) error {
	if t.asJSON {
		out := make([]describe.Listed, len(rows))
		for i := range rows {
			out[i] = describe.List(&rows[i])
		}
		return printJSON(t.out, out)
	}
	if len(rows) == 0 {
		fmt.Fprintln(t.err, "no runs match")
		return nil
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	tagged := slices.ContainsFunc(rows, func(r runtime.RunRow) bool { return len(r.Tags) > 0 })
	fmt.Fprintln(w, "RUN\tMACHINE\tSTATE\tSTATUS\tSTEPS\tSTARTED\tIN STATE SINCE"+onlyIf(tagged, "\tTAGS"))
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s (%s)%s\n", describe.Plain(r.Run, 200), describe.Plain(r.Machine, 200), describe.Plain(r.State, 200), describe.Status(r), r.Seq,
			describe.When(r.Started, now), describe.When(r.Entered, now), describe.Ago(r.Entered, now),
			onlyIf(tagged, "\t"+describe.Printable(describe.Tags(r.Tags))))
	}
	w.Flush()
	if len(rows) == limit {
		fmt.Fprintf(t.err, "there may be more: --after %s\n", rows[len(rows)-1].Run)
	}
	return nil
}

// onlyIf is a text, or nothing.
func onlyIf(is bool, text string) string {
	if is {
		return text
	}
	return ""
}
