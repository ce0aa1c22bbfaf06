//go:build !unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"time"
)

// group is a single process: there are no process groups here.
type group struct{ process *os.Process }

func startGroup(cmd *exec.Cmd) (group, error) {
	err := cmd.Start()
	return group{cmd.Process}, err
}

// terminate ends the process: there is no way to ask it.
func (g group) terminate() { g.kill() }

// kill ends the process; one that has exited is no fault.
func (g group) kill() { _ = g.process.Kill() }

func (g group) reap(time.Duration) {}

func (g group) over() {}

// statExecutable finds path with one of the endings that mark executables.
func statExecutable(path *string) (fs.FileInfo, error) {
	found, err := exec.LookPath(*path)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return os.Stat(*path)
	}
	*path = found
	return os.Stat(found)
}

func mayExecute(fs.FileInfo) bool { return true }
