package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// temporalScheme begins the address of runs that Temporal keeps.
const temporalScheme = "temporal://"

// temporalCommand is the program for such runs: the SDK of Temporal is no part of this one.
const temporalCommand = "fsmc-temporal"

// temporalCommands are the commands that this program has.
var temporalCommands = []string{"run", "send", "cancel", "pause", "resume", "retry", "complete", "wait", "migrate", "show", "history", "replay", "list", "stats", "health"}

// forTemporal is the command of a command line that is about runs that Temporal keeps, or nil.
func forTemporal(root *cobra.Command, args []string) *cobra.Command {
	c, _, err := root.Find(args)
	help := slices.Contains(args, "--help") || slices.Contains(args, "-h")
	if err != nil || help || c.Flags().Lookup("db") == nil || !strings.HasPrefix(databaseOf(args), temporalScheme) {
		return nil
	}
	return c
}

// databaseOf is the database that a command line or the environment names.
func databaseOf(args []string) string {
	db := os.Getenv(databaseVariable)
	for i, arg := range args {
		switch value, is := strings.CutPrefix(arg, "--db="); {
		case arg == "--":
			return db
		case is:
			db = value
		case arg == "--db" && i+1 < len(args):
			db = args[i+1]
		}
	}
	return db
}

// worksOnTemporal reports whether the program for Temporal has a command.
func worksOnTemporal(c *cobra.Command) bool {
	return !c.Parent().HasParent() && slices.Contains(temporalCommands, c.Name())
}

// handOver runs the program for Temporal with the same command line, and gives its exit status.
func handOver(c *cobra.Command, args []string, s *streams) int {
	path, err := exec.LookPath(temporalCommand) // which says of a command that it does not have what to do instead
	switch {
	case err != nil && !worksOnTemporal(c):
		fmt.Fprintf(s.err, "fsmc: there is no %s for runs on Temporal, only %s\n", c.CommandPath(), strings.Join(temporalCommands, ", "))
		return exitUsage
	case err != nil:
		fmt.Fprintf(s.err, "fsmc: runs on Temporal need the program %s, which is not on the PATH: "+
			"install it with go install ./cmd/%s in the folder temporal of the source of fsmc\n", temporalCommand, temporalCommand)
		return exitUsage
	}
	program := exec.Command(path, args...)
	program.Stdin, program.Stdout, program.Stderr = s.in, s.out, s.err
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(caught)
	if err = program.Start(); err == nil {
		go func() {
			for sent := range caught {
				if sent == syscall.SIGTERM { // an interrupt reaches it by itself
					_ = program.Process.Signal(sent)
				}
			}
		}()
		err = program.Wait()
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode()
	}
	fmt.Fprintf(s.err, "fsmc: %s: %v\n", temporalCommand, err)
	return exitUsage
}
