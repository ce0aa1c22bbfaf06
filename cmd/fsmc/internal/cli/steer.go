package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

// steering is a command that gives one run by its ID, or many by --where, one operation of an
// operator. Those of --where it only shows, unless --apply is given.
type steering struct {
	use, short, long, example string

	does runtime.InputKind // "cancel"
	act  func(*runtime.Engine, context.Context, string, runtime.Operator) (runtime.View, error)
	// beside goes on beside act until what it gives is called; nil for nothing
	beside func(ctx context.Context, store runtime.Store, run string) (stop func())
	judge  func(*runtime.View) error // whether the run then is as it should be; nil where it always is

	target
	who   runtime.Operator
	ask   guards
	where string
	apply bool
}

func newSteer(s *streams, st *steering) *cobra.Command {
	st.streams = s
	if st.judge == nil {
		st.judge = func(*runtime.View) error { return nil }
	}
	c := &cobra.Command{
		Use: st.use, Short: st.short, Long: st.long, Example: st.example,
		Args: st.check,
		RunE: func(cmd *cobra.Command, args []string) error { return st.run(cmd.Context(), args) },
	}
	st.flags(c)
	operatorFlags(c, &st.who)
	st.ask.flag(c)
	c.Flags().StringVar(&st.where, "where", "", "instead of an ID: the runs for which all `TERMS` hold, as in fsmc list")
	c.Flags().BoolVar(&st.apply, "apply", false, "with --where: do it; without this flag, only show what would be done")
	return c
}

// check asks for either an ID or --where.
func (st *steering) check(c *cobra.Command, args []string) error {
	switch {
	case st.where == "" && st.apply:
		return errors.New("--apply needs --where; with an ID, the command acts at once")
	case st.where != "" && len(args) > 0:
		return fmt.Errorf("give either an ID or --where: write %s", c.UseLine())
	case st.where == "" && c.Flags().Changed("where"):
		return errors.New("--where is empty, and would match every run: write at least one term")
	case st.where == "":
		return takes(c, args, "ID")
	}
	return nil
}

// run steers the run that is named, or those that are meant.
func (st *steering) run(ctx context.Context, args []string) error {
	if st.where == "" {
		return st.with(ctx, readWrite, args[0], func(store runtime.Store) error {
			v, err := st.one(ctx, store, args[0])
			if err != nil {
				return err
			}
			return cmp.Or(st.answer(&v), st.judge(&v))
		})
	}
	now := time.Now()
	f, err := runtime.ParseWhere(st.where, now)
	if err != nil {
		return fmt.Errorf("--where: %w", err)
	}
	return st.with(ctx, writing(st.apply), "", func(store runtime.Store) error {
		if err := runtime.NewEngine(store).CheckFilter(ctx, &f); err != nil {
			return err
		}
		rows, refused, err := st.meant(ctx, store, f)
		switch {
		case err != nil:
			return err
		case st.apply:
			return st.all(ctx, store, rows)
		}
		return st.show(rows, refused, now)
	})
}

// one steers one run.
func (st *steering) one(ctx context.Context, store runtime.Store, run string) (runtime.View, error) {
	if st.beside != nil {
		defer st.beside(ctx, store, run)()
	}
	return st.ask.step(store, func(engine *runtime.Engine) (runtime.View, error) { return st.act(engine, ctx, run, st.who) })
}

// meant are the runs for which the filter holds, as they are now, and apart from
// them those that would refuse. With --apply all are asked: one that changes until
// its turn comes is judged as it then is.
func (st *steering) meant(ctx context.Context, db runtime.Store, f runtime.RunFilter) (rows []runtime.RunRow, refused []bulkError, err error) {
	engine := runtime.NewEngine(db)
	err = engine.EachMeant(ctx, f, st.does, func(row *runtime.RunRow) error {
		if !st.apply {
			if why := engine.Refusal(ctx, row, st.does); why != nil {
				refused = append(refused, bulkError{row.Run, why.Error()})
				return ctx.Err()
			}
		}
		row.Snapshot = nil // which may be large, and is not needed
		rows = append(rows, *row)
		return nil
	})
	return rows, refused, err
}

// bulkReport is what a command with --where prints as json; with --apply its
// rows are in the order of their ids, else newest first.
type bulkReport struct {
	Applied bool        `json:"applied"`
	Runs    []bulkRun   `json:"runs"`
	Refused []bulkError `json:"refused"`
}

// bulkRun is a run as it is, or with --apply as it then was.
type bulkRun struct {
	Run     string          `json:"run"`
	Machine string          `json:"machine"`
	State   string          `json:"state"`
	Status  runtime.Status  `json:"status"`
	Outcome runtime.Outcome `json:"outcome,omitempty"`
}

// bulkError is a run that could not be steered, or without --apply could not be.
type bulkError struct {
	Run string `json:"run"`
	Why string `json:"why"`
}

func (st *steering) show(rows []runtime.RunRow, refused []bulkError, now time.Time) error {
	if st.asJSON {
		report := bulkReport{Runs: []bulkRun{}, Refused: append([]bulkError{}, refused...)}
		for _, r := range rows {
			report.Runs = append(report.Runs, bulkRun{r.Run, r.Machine, r.State, r.Status, r.Outcome})
		}
		return printJSON(st.out, &report)
	}
	if len(rows) > 0 || len(refused) == 0 {
		if err := st.writeRuns(rows, 0, now); err != nil || len(rows) == 0 {
			return err
		}
	}
	for _, r := range refused {
		fmt.Fprintf(st.out, "%s: %s\n", r.Run, r.Why)
	}
	count := fmt.Sprintf("%s to %s", describe.Count(len(rows), "run"), st.does)
	if len(refused) > 0 {
		count += fmt.Sprintf(", %d would be refused", len(refused))
	}
	if len(rows) > 0 {
		count += "; nothing has been done, --apply does it"
	}
	fmt.Fprintln(st.out, count)
	return nil
}

// all steers runs, some at once. What one run refuses does not stop the others.
func (st *steering) all(ctx context.Context, store runtime.Store, rows []runtime.RunRow) error {
	report := &bulkReport{Applied: true, Runs: []bulkRun{}, Refused: []bulkError{}}
	var (
		mu        sync.Mutex
		judgement error
		runs      = make([]string, len(rows))
	)
	for i := range rows {
		runs[i] = rows[i].Run
	}
	runtime.NewEngine(store).SteerAll(runs, func(run string) error {
		v, err := st.one(ctx, store, run)
		mu.Lock()
		defer mu.Unlock()
		report.add(&st.target, run, &v, runError(ctx, store, run, err))
		if err == nil {
			judgement = cmp.Or(judgement, st.judge(&v))
		}
		return nil // it has been said
	}, nil)
	switch {
	case st.asJSON:
		slices.SortFunc(report.Runs, func(a, b bulkRun) int { return strings.Compare(a.Run, b.Run) })
		slices.SortFunc(report.Refused, func(a, b bulkError) int { return strings.Compare(a.Run, b.Run) })
		if err := printJSON(st.out, report); err != nil {
			return err
		}
	case len(rows) == 0:
		fmt.Fprintln(st.err, "no runs match")
	}
	if len(report.Refused) > 0 {
		return errFinding
	}
	return judgement
}

func (r *bulkReport) add(t *target, run string, v *runtime.View, err error) {
	if err != nil {
		r.Refused = append(r.Refused, bulkError{run, err.Error()})
		if !t.asJSON {
			fmt.Fprintf(t.err, "%s: %s\n", run, err)
		}
		return
	}
	r.Runs = append(r.Runs, bulkRun{v.Run, v.Machine, v.State, v.Status, v.Outcome})
	if !t.asJSON {
		fmt.Fprintln(t.out, describe.Stands(v))
	}
}
