package cli

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

func newStats(s *streams) *cobra.Command {
	var (
		t     = target{streams: s}
		query runtime.StatsQuery
		since time.Duration
	)
	c := &cobra.Command{
		Use:   "stats",
		Short: "Print figures over all runs: states, times, outcomes, failures, losses, costs",
		Long: `Stats prints, for each machine:
  - how many runs are in each state
  - how long visits of a state last: the mean, the median, and the time that 95 of 100
    visits do not exceed (all are at most 2 % off)
  - the share of each outcome
  - how often each failure led from where to where, and its share of the steps that
    were taken in the state
  - the retries of each day
  - what activities have reported as cost, in all and on each day
  - how many runs ended with each outcome on each day
  - how often attempts were lost: their worker was gone (lost), their heartbeat did
    not come (silent), or they made no progress (stalled); and how many had a
    checkpoint, with which the next attempt began
  - how many visits of a state lasted how long, as a row of 25 bars: up to 1ms, 2ms,
    5ms, 10ms, 20ms, 50ms, 100ms, 200ms, 500ms, 1s, 2s, 5s, 10s, 30s, 1m, 2m, 5m,
    15m, 1h, 3h, 12h, 1d, 3d, 7d, and longer

Each step updates the figures, so stats is fast for a million runs, too. All figures
include pruned runs, except the runs in each state and the shares of outcomes.`,
		Example: `  fsmc stats --db runs.db
  fsmc stats --db runs.db --machine CodeReview --since 7d`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if since > 0 {
				query.Since = time.Now().Add(-since)
			}
			return t.with(cmd.Context(), readOnly, "", func(store runtime.Store) error {
				if err := runtime.NewEngine(store).CheckMachine(cmd.Context(), query.Machine); err != nil {
					return err
				}
				stats, err := runtime.NewEngine(store).Stats(cmd.Context(), query)
				if err != nil {
					return err
				}
				return t.print(&stats, false, func() {
					if len(stats.States) == 0 {
						fmt.Fprintln(s.err, "no runs yet")
					}
					writeStats(s.out, &stats)
				})
			})
		},
	}
	t.flags(c)
	c.Flags().StringVar(&query.Machine, "machine", "", "only runs of the machine called `NAME`")
	ageFlag(c, &since, runtime.ParseAge, "since", "failures, retries, costs, ends and losses since an `AGE` ago: 24h, 7d (default: all)")
	return c
}

// writeStats prints a table for each kind of figure of which there are any.
func writeStats(w io.Writer, s *runtime.Stats) {
	t := &tables{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	for i, r := range s.States {
		t.row(i, "MACHINE\tSTATE\tRUNS\tHALTED\tPAUSED\tVISITS ENDED\tMEAN\tMEDIAN\t95 %",
			"%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s", r.Machine, r.State, r.Runs, some(r.Halted), some(r.Paused),
			some(r.Visits), describe.Duration(r.Mean), describe.Duration(r.Median), describe.Duration(r.P95))
	}
	for i, r := range s.Outcomes {
		t.row(i, "MACHINE\tOUTCOME\tRUNS\tSHARE", "%s\t%s\t%d\t%.1f %%", r.Machine, r.Outcome, r.Runs, 100*r.Share)
	}
	for i, r := range s.Failures {
		t.row(i, "MACHINE\tIN\tFAILURE\tTHEN\tTIMES\tOF STEPS THERE", "%s\t%s\t%s\t%s\t%d\t%.1f %%", r.Machine, r.From, r.Input, describe.Then(&r), r.Count, 100*r.Share)
	}
	for i, r := range s.Retries {
		t.row(i, "MACHINE\tDAY\tRETRIES\tOF STEPS", "%s\t%s\t%d\t%d", r.Machine, r.Day, r.Retries, r.Steps)
	}
	for i, r := range s.Costs {
		t.row(i, "MACHINE\tCOST\tSPENT", "%s\t%s\t%s", r.Machine, r.Name, r.Spent)
	}
	for i, r := range s.Spent {
		t.row(i, "MACHINE\tDAY\tCOST\tSPENT", "%s\t%s\t%s\t%s", r.Machine, r.Day, r.Name, r.Spent)
	}
	for i, r := range s.Ended {
		t.row(i, "MACHINE\tDAY\tENDED IN\tRUNS", "%s\t%s\t%s\t%d", r.Machine, r.Day, r.Outcome, r.Runs)
	}
	for i, r := range s.Lost {
		t.row(i, "MACHINE\tIN\tATTEMPTS\tTIMES\tWITH CHECKPOINT", "%s\t%s\t%s\t%d\t%s", r.Machine, r.State, r.Reason, r.Count, some(r.Checkpoint))
	}
	for i, r := range s.Histograms {
		t.row(i, "MACHINE\tSTATE\tVISITS FROM 1ms TO 7d", "%s\t%s\t|%s|", r.Machine, r.State, bars(r.Counts))
	}
	t.w.Flush()
}

// bars are counts as a row of signs, of which the highest stands for the greatest one.
func bars(counts []int64) string {
	signs := []rune(" ▁▂▃▄▅▆▇█")
	most := slices.Max(counts)
	var row []rune
	for _, n := range counts {
		sign := 0
		if n > 0 {
			sign = 1 + int((int64(len(signs))-2)*n/most)
		}
		row = append(row, signs[sign])
	}
	return string(row)
}

// some is a number, or nothing for 0.
func some(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// tables writes tables below each other.
type tables struct {
	w   *tabwriter.Writer
	any bool
}

// row writes row i of a table, with the header above the first one.
func (t *tables) row(i int, header, format string, args ...any) {
	if i == 0 {
		if t.any {
			fmt.Fprintln(t.w)
		}
		fmt.Fprintln(t.w, header)
	}
	t.any = true
	fmt.Fprintf(t.w, format+"\n", args...)
}
