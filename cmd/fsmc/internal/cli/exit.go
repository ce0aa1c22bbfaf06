package cli

import (
	"errors"
	"fmt"
)

// Exit statuses, the same for every command.
const (
	exitOK      = 0 // nothing wrong
	exitFinding = 1 // the input was read, and something is wrong with it
	exitUsage   = 2 // usage, an unreadable file, a broken database

	exitUnfinished = 3 // the run that the command is about has not ended
)

// errFinding ends a command with exitFinding after it has said what is wrong.
var errFinding = errors.New("finding")

// errUnfinished ends a command with exitUnfinished after it has said how its run stands.
var errUnfinished = errors.New("unfinished")

// findingf is an error that is printed and ends with exitFinding: the input
// was understood, and refused.
func findingf(format string, args ...any) error {
	return &finding{fmt.Errorf(format, args...)}
}

// finding is an errFinding with something to say.
type finding struct{ error }

func (f *finding) Unwrap() []error { return []error{f.error, errFinding} }

// exitStatus is the status with which err ends a command.
func exitStatus(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFinding):
		return exitFinding
	case errors.Is(err, errUnfinished):
		return exitUnfinished
	}
	return exitUsage
}

// unsaid is the part of err that the command has not said itself: all but errFinding and
// errUnfinished, which may be joined with what came of closing a database.
func unsaid(err error) error {
	if _, speaks := err.(*finding); speaks {
		return err
	}
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == errFinding, err == errUnfinished:
		return nil
	case !ok || !errors.Is(err, errFinding) && !errors.Is(err, errUnfinished):
		return err
	}
	var rest []error
	for _, e := range joined.Unwrap() {
		rest = append(rest, unsaid(e))
	}
	return errors.Join(rest...)
}
