// Package cli is the command line: one file for each command, and the little
// that they share. Results go to standard output, errors to standard error.
//
// In the order in which to read it:
//
//   - What all commands share: cli.go, which puts them together; exit.go, of statuses; output.go,
//     of --format; arguments.go and flags.go; hook.go, of the binary that has fewer of them.
//   - Each command has a file of its name, and one of many parts has more: check*.go, gen*.go,
//     test*.go, new*.go, breaking*.go, run*.go, history*.go, simulate*.go, db*.go. A type such as
//     exporter or lister is one call of its command; one such as healthReport is what the command
//     prints with --format json.
//   - What commands on sources share: sources.go and imports.go; guards.go, of host guards.
//   - What commands on a database share: store*.go, which opens it; show.go, which prints a run;
//     steer.go, of one run or many; listen_*.go, of sockets.
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

	"github.com/fsmc-dev/fsmc/runtime/describe"
)

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	cancel   context.CancelFunc // of the command's context
	open     map[string][]byte  // texts that count instead of the files at these paths; see loadOpen
}

// Main runs the command line args and returns the exit status. An interrupt or a
// SIGTERM ends the process at once as long as it holds nothing. See catchSignals.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	results := &output{Writer: out}
	root := newRoot(&streams{in: in, out: results, err: errOut, cancel: cancel})
	if c := forTemporal(root, args); c != nil {
		return handOver(c, args, &streams{in: in, out: out, err: errOut})
	}
	root.SetArgs(args)
	err := groupError(root.ExecuteContextC(ctx))
	if said := unsaid(err); said != nil {
		fmt.Fprintln(errOut, "fsmc:", describe.Printable(said.Error()))
	}
	if lost := results.failed(); lost != nil && !errors.Is(err, lost) {
		fmt.Fprintln(errOut, "fsmc:", lost)
		return exitUsage
	}
	return exitStatus(err)
}

// catchSignals is for a command that holds something, such as a database: until it
// lets go, an interrupt or a SIGTERM cancels the command's context, so that it
// releases what it holds; a second one ends the process at once.
func (s *streams) catchSignals() (letGo func()) {
	caught, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	forget := context.AfterFunc(caught, func() {
		stop()
		s.cancel()
	})
	return func() {
		forget()
		stop()
	}
}

func newRoot(s *streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "fsmc",
		Short: "Describe workflows as finite state machines; check, draw, compile and run them",
		Long: `fsmc is a language for workflows as finite state machines, and the tools for it.

From the first line of a machine to its runs:
  new       make a folder with a small machine
  check     prove what the machine can do, before it runs
  fmt       format the text
  dot       draw the machine
  simulate  step through a run by hand
  test      run scenarios, which are tests of the machine
  gen       write Go for the machine
  run       run the machine, so that a crash loses nothing

Exit status:
  0  nothing is wrong
  1  the input was read, and something is wrong with it
  2  wrong usage, an unreadable file, or a broken database
  3  fsmc run, wait and watch: the run has not ended

The path - is standard input. A folder means every *.fsm file below it, except:
  - *_test.fsm; only fsmc test and fsmc fmt read these
  - files whose name begins with .
  - folders called testdata, vendor or node_modules, or whose name begins with . or _
A file or folder that you name yourself is read, whatever its name is. Two machines of
one folder cannot have the same name; machines of different folders can.`,
		Args:                  knownCommand,
		RunE:                  func(c *cobra.Command, _ []string) error { return c.Help() },
		DisableFlagsInUseLine: true,
		SilenceUsage:          true,
		SilenceErrors:         true,
	}
	write := []*cobra.Command{newNew(s), newCheck(s), newBreaking(s), newExplain(s), newFmt(s), newGen(s), newDot(s), newImport(s),
		newExport(s), newSchema(s), newSimulate(s), newTest(s), newLSP(s)}
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
	agents := newMCP(s) // its output is for a program
	s = s.ofStored()    // what the commands below print comes from databases
	for group, commands := range map[string][]*cobra.Command{
		"write": write,
		"run":   {newRun(s), newSend(s), newCancel(s), newPause(s), newResume(s), newRetry(s), newComplete(s), newRepair(s), newMigrate(s)},
		"look":  {newServe(s), newShow(s), newWait(s), newWatch(s), newHistory(s), newList(s), newStats(s), newHealth(s), agents},
		"keep":  {newReplay(s), newBackup(s), newRestore(s), newPrune(s), newMove(s), newDB(s)},
	} {
		for _, c := range commands {
			if c != nil {
				c.GroupID = group
				root.AddCommand(c)
			}
		}
	}
	root.AddCommand(newVersion(s))
	versionFlag(root)
	eachCommand(root, fromUse)
	eachCommand(root, databaseInHelp)
	strict(root)
	return root
}

// eachCommand does something with all commands below one.
func eachCommand(c *cobra.Command, do func(*cobra.Command)) {
	for _, below := range c.Commands() {
		do(below)
		eachCommand(below, do)
	}
}
