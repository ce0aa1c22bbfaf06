//go:build unix

package process

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// group is the process group of an executable. Its id is that of the process,
// and is not given to another while a member lives.
type group struct{ id int }

// startGroup starts cmd as the leader of a new process group, which does not outlive
// this process: see guardian.
func startGroup(cmd *exec.Cmd) (group, error) {
	if err := watchful.ready(); err != nil {
		return group{}, err
	}
	cmd.SysProcAttr = attributes()
	cmd.Env = append(cmd.Environ(), "FSMC_GUARDIAN="+watchful.mark)
	watchful.starting()
	if err := cmd.Start(); err != nil {
		watchful.failed()
		return group{}, err
	}
	watchful.add(cmd.Process.Pid)
	return group{cmd.Process.Pid}, nil
}

// over is called when the leader has ended and the others have been killed.
func (g group) over() { watchful.remove(g.id) }

// terminate asks all members to stop. That there are none is no fault.
func (g group) terminate() { _ = syscall.Kill(-g.id, syscall.SIGTERM) }

// kill ends all members.
func (g group) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// reap waits until no member is left, and kills those that are after d. It looks
// now and then whether all have ended and only their entries are left, which stay
// where no one asks for them: in many containers process 1 never does.
func (g group) reap(d time.Duration) {
	deadline := time.Now().Add(d)
	for i := 1; g.alive(); i++ {
		if time.Now().After(deadline) || i%10 == 0 && g.ended() {
			g.kill()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (g group) alive() bool { return syscall.Kill(-g.id, 0) == nil }

func statExecutable(path *string) (fs.FileInfo, error) { return os.Stat(*path) }

func mayExecute(info fs.FileInfo) bool { return info.Mode().Perm()&0o111 != 0 }
