package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newWatch(s *streams) *cobra.Command {
	w := &watcher{target: target{streams: s}}
	c := &cobra.Command{
		Use:   "watch [ID]",
		Short: "Print the steps of runs as they happen",
		Long: `Watch prints each step of each run as it is taken, by any process, until the command is
stopped. With an ID, it prints only the steps of that run and of the runs below it. With
--where, it prints only the steps of runs for which all terms (see fsmc list) hold when
the step is printed. Steps come in the order in which they were written.

With --since, it begins with earlier steps, except those of pruned runs. With --until
ended, it ends when the run ends, as fsmc wait does.

With --format json, it prints one object in each line.

Exit status with --until ended: 1 if the run, or one below it, is halted, or the run ended
with an outcome other than success. 3 if the command was stopped before.`,
		Example: `  fsmc watch --db runs.db
  fsmc watch --db runs.db --where machine=Order --since 10m
  fsmc watch --db runs.db --until ended pr-17 && deploy`,
		RunE: func(cmd *cobra.Command, args []string) error {
			w.run = strings.Join(args, "")
			return w.watch(cmd, time.Now())
		},
	}
	w.flags(c)
	f := c.Flags()
	f.StringVar(&w.where, "where", "", "only steps of runs for which all `TERMS` hold")
	ageFlag(c, &w.since, runtime.ParseAge, "since", "begin with what happened an `AGE` ago: 90s, 10m, 1d (default: now)")
	chooseFlag(c, &w.untilEnded, "until", "", "when to end (default: when it is stopped)", option[bool]{"ended", true})
	return c
}

type watcher struct {
	target
	run, where string
	since      time.Duration
	untilEnded bool

	engine *runtime.Engine
	store  runtime.Store
	filter *runtime.RunFilter // nil for all
	after  int64              // position in the feed
}

// pageOfSteps is how many steps are read at a time.
const pageOfSteps = 500

func (w *watcher) watch(cmd *cobra.Command, now time.Time) error {
	switch {
	case w.untilEnded && w.run == "":
		return errors.New("--until ended is about one run: give its ID")
	case w.run != "" && cmd.Flags().Changed("where"):
		return errors.New("give an ID or --where, and not both")
	}
	if cmd.Flags().Changed("where") {
		f, err := runtime.ParseWhere(w.where, now)
		if err != nil {
			return fmt.Errorf("--where: %w", err)
		}
		w.filter = &f
	}
	reading := context.WithoutCancel(cmd.Context())
	return w.with(reading, readOnly, w.run, func(store runtime.Store) error {
		w.store, w.engine = store, runtime.NewEngine(store)
		if w.filter != nil {
			if err := w.engine.CheckFilter(reading, w.filter); err != nil {
				return err
			}
		}
		if err := w.begin(reading, now); err != nil {
			return err
		}
		return w.follow(cmd.Context(), reading)
	})
}

// begin finds where the steps begin.
func (w *watcher) begin(ctx context.Context, now time.Time) (err error) {
	if w.run != "" {
		v, err := w.engine.Get(ctx, w.run)
		if err != nil {
			return err
		}
		if v.Status == runtime.Finished && !w.untilEnded {
			fmt.Fprintf(w.err, "%s has ended in %s, and takes no more steps; fsmc history shows those that it took\n", w.run, v.State)
		}
	}
	if w.since > 0 {
		w.after, err = w.engine.FeedSince(ctx, now.Add(-w.since))
	} else {
		w.after, err = w.engine.FeedEnd(ctx)
	}
	return err
}

// follow prints steps until ctx is done, or the run has ended where that is asked for.
func (w *watcher) follow(ctx, reading context.Context) error {
	seen := int64(-1)
	for {
		var how runtime.View
		status := errUnfinished
		if w.untilEnded { // before the steps are read: so the last one is among them
			var err error
			if how, err = w.engine.Get(reading, w.run); err != nil {
				return err
			}
			status = runStatus(reading, w.engine, &how)
		}
		changed, err := w.engine.Changed(reading)
		if err == nil && changed != seen {
			err = w.printNew(reading)
		}
		switch seen = changed; {
		case err != nil:
			return err
		case !errors.Is(status, errUnfinished):
			if !w.asJSON {
				writeHow(w.out, &how)
			}
			return status
		}
		select {
		case <-ctx.Done():
			if w.untilEnded {
				return errUnfinished
			}
			return nil
		case <-time.After(lookAgain):
		}
	}
}

// printNew prints what has been written since the last time.
func (w *watcher) printNew(ctx context.Context) error {
	for {
		rows, err := w.engine.Feed(ctx, w.after, pageOfSteps)
		if err != nil {
			return err
		}
		for i := range rows {
			w.after = rows[i].ID
			wanted, err := w.wants(ctx, &rows[i])
			if wanted {
				err = w.printStep(&rows[i])
			}
			if err != nil {
				return err
			}
		}
		if len(rows) < pageOfSteps {
			return nil
		}
	}
}

// wants reports whether a step is to be printed.
func (w *watcher) wants(ctx context.Context, row *runtime.FeedRow) (bool, error) {
	switch {
	case w.run != "":
		return row.Run == w.run || strings.HasPrefix(row.Run, w.run+"/"), nil
	case w.filter == nil:
		return true, nil
	case w.filter.Machine != "" && w.filter.Machine != row.Machine:
		return false, nil
	}
	run, err := w.store.Load(ctx, row.Run)
	if errors.Is(err, runtime.ErrNotFound) { // it has been pruned
		return false, nil
	}
	return err == nil && w.filter.Matches(&run), err
}

func (w *watcher) printStep(row *runtime.FeedRow) error {
	if w.asJSON {
		return json.NewEncoder(w.out).Encode(row)
	}
	var line strings.Builder
	(&printer{out: &line}).OnStep(runtime.StepInfo{
		Run: row.Run, At: row.At, From: row.From, To: row.To, Input: row.Input, Effect: row.Effect,
	})
	_, err := io.WriteString(w.out, line.String())
	return err
}
