package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

func newPause(s *streams) *cobra.Command {
	return newSteer(s, &steering{
		use: "pause [ID]", does: runtime.PauseInput, statuses: []runtime.Status{runtime.Running}, act: (*runtime.Engine).Pause,
		short: "Pause a run: nothing new starts, and its time stands still",
		long: `Pause stops a run from moving. Attempts of activities that are under way go on;
nothing new starts. What they return, and events that are sent, wait and are
taken when the run resumes. Timers keep what remained of their time; a deadline,
a timer that runs until a time, does not shift, and a wait before a retry goes
on. Cancel is taken all the same.

Pausing a paused run does nothing. One that has ended or is halted is refused:
exit status 1.

With --where instead of an ID it is for all running runs that the terms fit. It
then only shows which those are, and which of them would be refused, unless
--apply is given.`,
		example: `  fsmc pause --db runs.db pr-17 --reason "the index is rebuilt"
  fsmc pause --db runs.db --where "machine=CodeReview" --apply`,
	})
}

func newResume(s *streams) *cobra.Command {
	return newSteer(s, &steering{
		use: "resume [ID]", does: runtime.ResumeInput, statuses: []runtime.Status{runtime.Running, runtime.Halted}, paused: true, act: (*runtime.Engine).Resume,
		short: "Let a paused run go on",
		long: `Resume lets a paused run go on. What has come meanwhile is taken in order, as if
it came now; an event that the run does not take any more is dropped, and its
history says so. Deadlines that have passed fire first.

Resuming a run that is not paused does nothing. One that has ended is refused:
exit status 1.

With --where instead of an ID it is for all paused runs that the terms fit. It
then only shows which those are, and which of them would be refused, unless
--apply is given.`,
		example: `  fsmc resume --db runs.db pr-17
  fsmc resume --db runs.db --where "machine=CodeReview" --apply`,
	})
}

// steering is a command that gives a run, or many, one operation of an operator.
type steering struct {
	use, short, long, example string

	does     runtime.InputKind
	statuses []runtime.Status // of the runs that are meant, where --where does not say
	paused   bool             // only those that are paused
	act      func(*runtime.Engine, context.Context, string, runtime.Operator) (runtime.View, error)
	judge    func(*runtime.View) error // as in bulk
}

func newSteer(s *streams, of *steering) *cobra.Command {
	var (
		t   = target{streams: s}
		who runtime.Operator
		ask guards
	)
	many := bulk{does: of.does, statuses: of.statuses, paused: of.paused, judge: of.judge,
		act: func(ctx context.Context, store runtime.Store, run string) (runtime.View, error) {
			return ask.step(ctx, store, run, func(engine *runtime.Engine) (runtime.View, error) {
				return of.act(engine, ctx, run, who)
			})
		}}
	c := &cobra.Command{
		Use: of.use, Short: of.short, Long: of.long, Example: of.example,
		Args: many.check,
		RunE: func(cmd *cobra.Command, args []string) error { return many.run(cmd.Context(), &t, args) },
	}
	t.flags(c)
	operatorFlags(c, &who)
	ask.flag(c)
	many.flags(c)
	return c
}
