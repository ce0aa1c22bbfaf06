package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

func newCancel(s *streams) *cobra.Command {
	var force bool
	c := newSteer(s, &steering{
		use: "cancel [ID]", does: machine.CancelInput,
		act: func(engine *runtime.Engine, ctx context.Context, run string, who runtime.Operator) (runtime.View, error) {
			return engine.Cancel(ctx, run, runtime.CancelOptions{Force: force, Actor: who.Actor, Reason: who.Reason})
		},
		beside: s.sayWaits,
		short:  "Cancel a run, and wait until its activities have stopped",
		long: `Cancel sends the input "cancel" to a run. The state that handles it decides what
happens. If no state handles it, or with --force, the run ends where it is.

The activities that this stops can clean up. The command waits until each of them has
said that it has stopped, or until its lease has run out. The children of the run are
cancelled in the same way. After two seconds, the command names what it waits for: an
attempt whose worker may be dead, or a child that cleans up and may need a worker, or
an event. You can interrupt the command; the run stays cancelled.

To cancel a run a second time does nothing, except with --force. A run that
ended in another way refuses cancel: exit status 1.

With --where instead of an ID, cancel is for all unfinished runs that match. It
then only shows these runs, and those that would refuse. --apply cancels them.`,
		example: `  fsmc cancel --db runs.db pr-17 --actor ada --reason "superseded"
  fsmc cancel --db runs.db --where "machine=CodeReview older than 7d" --apply`,
	})
	c.Flags().BoolVar(&force, "force", false, "end the run where it is, even if a state handles cancel")
	return c
}

// patience is how long a cancel waits before it says for what.
const patience = 2 * time.Second

// sayWaits says for which attempts of a run, and of those below it, and for which of these runs its cancel
// waits, if it does for long, until what it gives is called. It is said once: they may need a worker, and
// nobody else would tell.
func (s *streams) sayWaits(ctx context.Context, store runtime.Store, run string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var said sync.WaitGroup
	said.Go(func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(patience):
		}
		rows, _ := runtime.NewEngine(store).Tree(ctx, run) // what cannot be read the cancel itself reports
		now := time.Now()
		for i := range rows {
			row := &rows[i]
			tasks, _ := store.Tasks(ctx, row.Run)
			for k := range tasks {
				if t := &tasks[k]; t.Cancelled && !t.ChildHolds() && t.Leased(now) {
					fmt.Fprintf(s.err, "waiting for %s of %s, attempt %d, to stop: claimed by %s until %s; if that worker is dead, the command waits until then\n",
						describe.Attempt(t.Activity, t.Do), row.Run, t.Attempt, t.Worker, describe.When(t.LeaseUntil, now))
				}
			}
			if row.Run != run && row.Status != runtime.Finished {
				fmt.Fprintf(s.err, "waiting for %s to end, which is in %s: a worker (fsmc run) or an event may have to come, or --force\n", row.Run, row.State)
			}
		}
	})
	return func() { cancel(); said.Wait() }
}
