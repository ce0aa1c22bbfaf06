package cli

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newWait(s *streams) *cobra.Command {
	w := &waiter{target: target{streams: s}}
	c := &cobra.Command{
		Use:   "wait ID",
		Short: "Wait until one run has ended, and exit with its outcome",
		Long: `Wait returns when the run has ended, or when it, or a run below it, is halted. Then it
prints the first line of fsmc show. It does not work on the run: something else has to,
such as fsmc run --follow. With --timeout, it returns after that time at the latest.

Exit status 1: the run, or one below it, is halted, or the run ended with an outcome
other than success. Exit status 3: the run has not ended, and the time is over or the
command was stopped.`,
		Example: "  fsmc wait --db runs.db pr-17 && deploy\n  fsmc wait --db runs.db --timeout 10m pr-17",
		RunE:    func(cmd *cobra.Command, args []string) error { return w.wait(cmd.Context(), args[0]) },
	}
	w.flags(c)
	c.Flags().DurationVar(&w.timeout, "timeout", 0, "wait for at most `DURATION`; 0 is without end")
	return c
}

type waiter struct {
	target
	timeout time.Duration
}

// lookAgain is how often a waiting command looks at the database.
const lookAgain = 250 * time.Millisecond

func (w *waiter) wait(ctx context.Context, id string) error {
	if w.timeout < 0 {
		return errors.New("--timeout is at least 0, which is without end")
	}
	if w.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.timeout)
		defer cancel()
	}
	reading := context.WithoutCancel(ctx)
	return w.with(reading, readOnly, id, func(store runtime.Store) error {
		engine := runtime.NewEngine(store)
		v, status := await(ctx, engine, id)
		if status != nil && !errors.Is(status, errFinding) && !errors.Is(status, errUnfinished) {
			return status
		}
		return cmp.Or(w.print(v, false, func() { writeHow(w.out, &v) }), status)
	})
}

// await looks at a run until it has ended, or it or one below it is halted, or ctx is done, and
// gives it as it then is, and its status.
func await(ctx context.Context, engine *runtime.Engine, id string) (runtime.View, error) {
	reading := context.WithoutCancel(ctx)
	for {
		v, err := engine.Get(reading, id)
		if err != nil {
			return v, err
		}
		status := runStatus(reading, engine, &v)
		if !errors.Is(status, errUnfinished) {
			return v, status
		}
		select {
		case <-ctx.Done():
			return v, status
		case <-time.After(lookAgain):
		}
	}
}
