// Package cli is the command line: one file for each command, and the little
// that they share. Results go to standard output, errors to standard error.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// Main runs the command line args and returns the exit status. An interrupt or
// a SIGTERM cancels the command, which gives back what it holds; a second one
// ends the process at once.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	results := &output{Writer: out}
	root := newRoot(&streams{in: in, out: results, err: errOut})
	root.SetArgs(args)
	err := groupError(root.ExecuteContext(ctx))
	if said := unsaid(err); said != nil {
		fmt.Fprintln(errOut, "fsmc:", said)
	}
	if lost := results.failed(); lost != nil && !errors.Is(err, lost) {
		fmt.Fprintln(errOut, "fsmc:", lost)
		return exitUsage
	}
	return exitStatus(err)
}

func newRoot(s *streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "fsmc",
		Short: "Workflows as finite state machines: checked, drawn, compiled, run",
		Long: `fsmc is a language for workflows as finite state machines, and the tools for it.

The stages of a machine's life are the commands:
  new      make a folder with one to begin with
  check    prove what it can do, before it runs
  fmt      bring the text into its canonical form
  dot      draw it
  gen      compile it to Go
  run      run it, so that a crash loses nothing

Exit status: 0 nothing wrong; 1 the input was read and something is wrong with
it; 2 usage, an unreadable file, or a broken database. The path - is standard
input; a directory means every *.fsm file below it. The files named together
are one unit, in which machine names are unique.`,
		Args:                  knownCommand,
		RunE:                  func(c *cobra.Command, _ []string) error { return c.Help() },
		DisableFlagsInUseLine: true,
		SilenceUsage:          true,
		SilenceErrors:         true,
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(
		&cobra.Group{ID: "write", Title: "Write and prove:"},
		&cobra.Group{ID: "run", Title: "Run:"},
		&cobra.Group{ID: "look", Title: "Look:"},
		&cobra.Group{ID: "keep", Title: "Keep:"},
	)
	for group, commands := range map[string][]*cobra.Command{
		"write": {newNew(s), newCheck(s), newExplain(s), newFmt(s), newGen(s), newDot(s)},
		"run":   {newRun(s), newSend(s), newCancel(s), newPause(s), newResume(s), newRetry(s), newComplete(s), newRepair(s), newMigrate(s)},
		"look":  {newShow(s), newHistory(s), newList(s), newStats(s), newHealth(s)},
		"keep":  {newReplay(s), newBackup(s), newPrune(s)},
	} {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.AddCommand(newVersion(s))
	strict(root)
	return root
}
