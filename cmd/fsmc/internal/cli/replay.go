package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func newReplay(s *streams) *cobra.Command {
	r := newReplayer(target{streams: s})
	c := &cobra.Command{
		Use:   "replay [ID]",
		Short: "Prove that the history of one run, or of all, gives what is stored",
		Long: `Replay computes a run from its definition and its history, line by line, and
compares the result with what is stored: each record, the snapshot, and the
columns beside them, bit for bit. For a run that has not ended, it also compares
the tasks and timers. Without an ID, it replays every run, and a record of
history that belongs to no run is a difference, too. With an ID, it also replays the
runs below this one. What a child has returned is compared with what its parent was
told.

Replay takes what came from outside (data, times, who and why) as it is in the
history. It does not look at the outbox, the inbox and the checkpoints. The page
docs/operating.md says what replay cannot find.

Replay writes nothing, and other processes may use the database at the same time.
Exit status 1: there is a difference. Replay prints the first one of each run.`,
		Example: `  fsmc replay --db runs.db
  fsmc replay --db runs.db pr-17`,
		RunE: func(cmd *cobra.Command, args []string) error {
			run := strings.Join(args, "") // there is one at most
			return r.with(cmd.Context(), readOnly, run, func(store runtime.Store) error {
				return r.replay(cmd.Context(), store, run)
			})
		},
	}
	r.flags(c)
	return c
}

type replayer struct {
	target
	report replayReport
}

func newReplayer(t target) *replayer {
	return &replayer{t, replayReport{Differences: []jsonDifference{}}}
}

type replayReport struct {
	Replayed    int              `json:"replayed"` // runs
	Differences []jsonDifference `json:"differences"`
}

// jsonDifference is the first difference of a run: either a field with both its
// values, of which one may be absent, or why a record cannot be taken.
type jsonDifference struct {
	*runtime.Difference
	Why string `json:"why,omitempty"`
}

func (r *replayer) replay(ctx context.Context, db runtime.Store, run string) error {
	if err := r.each(ctx, db, run); err != nil {
		return err
	}
	different := len(r.report.Differences)
	return r.print(&r.report, different > 0, func() {
		how := "no difference"
		if different > 0 {
			how = fmt.Sprintf("%d with a difference", different)
		}
		fmt.Fprintf(r.out, "%s replayed, %s\n", describe.Count(r.report.Replayed, "run"), how)
	})
}

// each replays one run or all, and then looks for records that no run leads to.
func (r *replayer) each(ctx context.Context, db runtime.Store, run string) (err error) {
	engine := runtime.NewEngine(db)
	if run == "" {
		err = engine.ReplayAll(ctx, runtime.RunFilter{}, r.note)
	} else {
		err = engine.ReplayTree(ctx, run, r.note)
	}
	if err != nil {
		return err
	}
	past, ok := db.(store.Strayer)
	if !ok {
		return nil
	}
	strays, err := past.Strays(ctx, run)
	for _, s := range strays {
		r.differ(&runtime.Difference{Run: s.Run, Seq: s.Steps + 1,
			Err: fmt.Errorf("history has %d records of the run, which has taken %s", s.Records, describe.Count(int(s.Steps), "step"))})
	}
	return err
}

// note counts a run, with what is different about it.
func (r *replayer) note(_ *runtime.RunRow, err error) error {
	r.report.Replayed++
	var d *runtime.Difference
	if errors.As(err, &d) {
		r.differ(d)
	}
	return nil
}

// differ prints a difference, or keeps it to be printed.
func (r *replayer) differ(d *runtime.Difference) {
	row := jsonDifference{Difference: d}
	if d.Err != nil {
		row.Why = d.Err.Error()
	}
	r.report.Differences = append(r.report.Differences, row)
	if !r.asJSON {
		fmt.Fprintln(r.out, describe.Plain(d.Error(), 1000))
	}
}
