package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// temporalScheme begins the address of runs that Temporal keeps.
const temporalScheme = "temporal://"

// temporalCommand is the program for such runs: the SDK of Temporal is no part of this one.
const temporalCommand = "fsmc-temporal"

// onTemporal reports whether a command line is about runs that Temporal keeps.
func onTemporal(root *cobra.Command, args []string) bool {
	c, _, err := root.Find(args)
	if err != nil || c.Flags().Lookup("db") == nil {
		return false
	}
	db := os.Getenv(databaseVariable)
	for i, arg := range args {
		switch value, is := strings.CutPrefix(arg, "--db="); {
		case arg == "--":
			return strings.HasPrefix(db, temporalScheme)
		case is:
			db = value
		case arg == "--db" && i+1 < len(args):
			db = args[i+1]
		}
	}
	return strings.HasPrefix(db, temporalScheme)
}

// handOver runs the program for Temporal with the same command line, and gives its exit status.
func handOver(args []string, s *streams) int {
	path, err := exec.LookPath(temporalCommand)
	if err != nil {
		fmt.Fprintf(s.err, "fsmc: runs on Temporal need the program %s, which is not on the PATH: "+
			"install it with go install ./cmd/%s in the folder temporal of the source of fsmc\n", temporalCommand, temporalCommand)
		return exitUsage
	}
	c := exec.Command(path, args...)
	c.Stdin, c.Stdout, c.Stderr = s.in, s.out, s.err
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(caught)
	if err = c.Start(); err == nil {
		go func() {
			for sent := range caught {
				if sent == syscall.SIGTERM { // an interrupt reaches it by itself
					_ = c.Process.Signal(sent)
				}
			}
		}()
		err = c.Wait()
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
