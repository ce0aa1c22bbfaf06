package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

func newHealth(s *streams) *cobra.Command {
	var (
		t     = target{streams: s}
		query runtime.HealthQuery

		integrity = 2 * time.Second
		shares    string
	)
	c := &cobra.Command{
		Use:   "health",
		Short: "List runs that are stuck, and work that no one does",
		Long: `Health lists what an operator should look at:
  - halted runs, with the reason
  - paused children of runs that are not paused
  - runs that cannot be read, or whose tasks or timers are missing
  - runs that have been in one state for too long
  - timers that are overdue
  - leases that have run out
  - attempts that are over their time, and whose end cannot be stored
  - attempts that no worker claims
  - messages that no one delivers
  - runs that are over their budget
  - with --share, states with too many of a machine's runs

--stuck says how long is too long in a state: one duration for all states, or one
for each state that you name. Without --stuck, a run is stuck if a timer of its state
is due and has not fired.

Health also runs SQLite's integrity check, and stops it after the time of --integrity.
fsmc backup runs all of it. A database of PostgreSQL has no such check.

Exit status 1: something is listed.`,
		Example: `  fsmc health --db runs.db
  fsmc health --db runs.db --stuck 1h
  fsmc health --db runs.db --stuck Analyzing=10m,Working.Draft=2d
  fsmc health --db runs.db --share CodeReview.Failed=30%`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if query.Limit < 1 {
				return errors.New("--limit is at least 1")
			}
			return t.with(cmd.Context(), readOnly, "", func(store runtime.Store) (err error) {
				engine := runtime.NewEngine(store)
				if err := engine.CheckStates(cmd.Context(), query.StuckIn); err != nil {
					return fmt.Errorf("--stuck: %w", err)
				}
				if shares != "" {
					if query.Shares, err = engine.ReadShares(cmd.Context(), shares); err != nil {
						return fmt.Errorf("--share: %w", err)
					}
				}
				return t.health(cmd.Context(), store, query, integrity)
			})
		},
	}
	t.flags(c)
	c.Flags().Func("stuck", "how long a run may be in one state: an `AGE`, or STATE=AGE,...", func(text string) error { return runtime.ParseStuck(text, &query) })
	c.Flags().StringVar(&shares, "share", "", "the most of a machine's runs that may be in a state: `STATE=SHARE`,..., such as Error=30%")
	ageFlag(c, &query.Late, runtime.ParseSomeAge, "late", "the `AGE` from which a timer, lease, attempt or message is overdue (default 1m)")
	ageFlag(c, &integrity, runtime.ParseAge, "integrity", "check the file for at most this `AGE`; 0s to skip the check (default 2s)")
	c.Flags().IntVar(&query.Limit, "limit", 100, "list at most `N` of each kind")
	return c
}

type healthReport struct {
	runtime.Health
	// Integrity says how far the file was looked at: "checked" to its end,
	// "unfinished" for as long as was asked for, or "skipped".
	Integrity string `json:"integrity"`
}

func (t *target) health(ctx context.Context, store runtime.Store, query runtime.HealthQuery, integrity time.Duration) error {
	found, err := runtime.NewEngine(store).Health(ctx, query)
	if err != nil {
		return err
	}
	report := healthReport{found, "skipped"}
	now := time.Now()
	if file, ok := store.(*sqlite.Store); ok && integrity > 0 {
		faults, finished, err := checkFile(ctx, file, integrity)
		if err != nil {
			return err
		}
		for _, why := range faults {
			report.Problems = append(report.Problems, runtime.Problem{Kind: runtime.DamagedFile, Since: now.UTC(), Why: why})
		}
		if report.Integrity = "checked"; !finished {
			report.Integrity = "unfinished"
		}
	}
	return t.print(&report, len(report.Problems) > 0, func() { writeHealth(t.out, &report, now) })
}

// checkFile looks for damage of the file, for at most so long.
func checkFile(ctx context.Context, store *sqlite.Store, patience time.Duration) (faults []string, finished bool, err error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	faults, err = store.Integrity(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return faults, false, nil
	}
	return faults, true, err
}

func writeHealth(w io.Writer, h *healthReport, now time.Time) {
	if h.Integrity == "unfinished" {
		fmt.Fprintln(w, "the file could not be checked to its end in the time of --integrity; fsmc backup checks all of it")
	}
	if len(h.Problems) == 0 {
		fmt.Fprintln(w, "nothing is wrong")
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "KIND\tRUN\tSTATE\tSINCE\tWHY")
	counts := map[runtime.ProblemKind]int{}
	for i := range h.Problems {
		p := &h.Problems[i]
		counts[p.Kind]++
		fmt.Fprintf(t, "%s\t%s\t%s\t%s (%s)\t%s\n", p.Kind, describe.Plain(p.Run, 200), describe.Plain(p.State, 200), describe.When(p.Since, now), describe.Ago(p.Since, now), describe.Plain(p.Why, 200))
	}
	t.Flush()
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		more := ""
		if slices.Contains(h.More, kind) {
			more = " or more"
		}
		parts = append(parts, fmt.Sprintf("%d%s %s", counts[kind], more, kind))
	}
	fmt.Fprintln(w, strings.Join(parts, ", "))
}
