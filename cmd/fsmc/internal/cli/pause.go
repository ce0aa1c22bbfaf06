package cli

import (
	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

func newPause(s *streams) *cobra.Command {
	return newSteer(s, &steering{
		use: "pause [ID]", does: machine.PauseInput, act: (*runtime.Engine).Pause,
		short: "Pause a run: nothing new starts, and its timers stop",
		long: `Pause stops a run from moving. Attempts under way continue, and nothing new starts.
Results, and events that are sent, wait until the run resumes. Timers keep their
remaining time. A deadline (a timer until a point in time) does not shift, and a
wait before a retry continues. A paused run can be cancelled. The runs below it, its
children and theirs, are paused, too.

To pause a paused run does nothing. A run that is halted or has ended refuses
pause: exit status 1.

With --where instead of an ID, pause is for all running runs that match. It then
only shows these runs, and those that would refuse. --apply pauses them.`,
		example: `  fsmc pause --db runs.db pr-17 --reason "the index is rebuilt"
  fsmc pause --db runs.db --where "machine=CodeReview" --apply`,
	})
}

func newResume(s *streams) *cobra.Command {
	return newSteer(s, &steering{
		use: "resume [ID]", does: machine.ResumeInput, act: (*runtime.Engine).Resume,
		short: "Let a paused run continue",
		long: `Resume lets a paused run continue. The run takes what has arrived during the
pause, in order, as if it arrived now. It drops an event that it does not take any
more, with a line of history. Deadlines that have passed fire first. The runs below
it resume, too.

To resume a run that is not paused does nothing. A run that has ended refuses
resume: exit status 1.

With --where instead of an ID, resume is for all paused runs that match. It then
only shows these runs, and those that would refuse. --apply resumes them.`,
		example: `  fsmc resume --db runs.db pr-17
  fsmc resume --db runs.db --where "machine=CodeReview" --apply`,
	})
}
