//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// sleeper is a process group that ends when it is killed.
func sleeper(t *testing.T, environ ...string) (id int, ended <-chan error) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "sleep 300 & wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(cmd.Environ(), environ...)
	must(t, cmd.Start())
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	return cmd.Process.Pid, over
}

// TestGuardian: when its input ends it kills the groups that are left, and those alone,
// also where it has been killed and another has replaced it.
func TestGuardian(t *testing.T) {
	for _, killed := range []bool{false, true} {
		g := &guardian{}
		if err := g.ready(); err != nil || g.lines == nil {
			t.Fatal(err)
		}
		first, firstEnded := sleeper(t)
		second, secondEnded := sleeper(t)
		third, thirdEnded := sleeper(t)
		g.add(first)
		g.add(second)
		if killed {
			before := g.pid
			must(t, syscall.Kill(before, syscall.SIGKILL))
			for deadline := time.Now().Add(hangs); g.pid == before; { // the pipe breaks when it has ended
				if g.add(first); time.Now().After(deadline) {
					t.Fatal("it is not replaced")
				}
			}
		}
		g.add(third)
		g.remove(second)
		g.lines.Close()
		for _, ended := range []<-chan error{firstEnded, thirdEnded} {
			select {
			case <-ended:
			case <-time.After(hangs):
				t.Fatal("a group outlives its guardian's input")
			}
		}
		for deadline := time.Now().Add(hangs); syscall.Kill(g.pid, 0) == nil && !zombie(g.pid); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the guardian does not end")
			}
		}
		select {
		case <-secondEnded:
			t.Error("a group was killed that had been removed")
		default:
		}
	}
}

// TestGuardianOfStarts: it also kills what was being started when its input ends, and
// what that has started in the meantime, in whatever group, and nothing of others.
func TestGuardianOfStarts(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("the system does not show environments")
	}
	for _, failed := range []bool{false, true} {
		g := &guardian{}
		if err := g.ready(); err != nil || g.lines == nil {
			t.Fatal(err)
		}
		g.starting()
		mine, mineEnded := sleeper(t, "FSMC_GUARDIAN="+g.mark)
		_, otherEnded := sleeper(t, "FSMC_GUARDIAN=1"+g.mark)
		if failed {
			g.failed()
		}
		g.lines.Close()
		for deadline := time.Now().Add(hangs); syscall.Kill(g.pid, 0) == nil && !zombie(g.pid); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the guardian does not end")
			}
		}
		if failed {
			select {
			case <-mineEnded:
				t.Error("what was not being started any more is killed")
			default:
			}
			continue
		}
		select {
		case <-mineEnded:
		case <-time.After(hangs):
			t.Fatalf("process %d outlives the engine that was starting it", mine)
		}
		for deadline := time.Now().Add(hangs); syscall.Kill(-mine, 0) == nil; time.Sleep(time.Millisecond) {
			if (group{mine}).ended() {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("what it has started lives on")
			}
		}
		select {
		case <-otherEnded:
			t.Error("a process of another engine is killed")
		default:
		}
	}
}
