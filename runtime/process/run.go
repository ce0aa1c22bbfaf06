package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"syscall"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

const (
	// stopTime is what a process group has between SIGTERM and SIGKILL.
	stopTime = 10 * time.Second
	// drainTime is how long is waited, after a process has exited, for output
	// of what it has left running.
	drainTime = time.Second
	// maxStderr is how much of the end of standard error is kept.
	maxStderr = 4 << 10
)

// run is runAsked for what is of no use once ctx is done: the error is then ctx's
// cause. Where the engine stops, and the process still ends, that
// counts.
func run(ctx context.Context, cmd *exec.Cmd, input []byte, out *output) error {
	asked, err := runAsked(ctx, cmd, input, out, io.Discard)
	if err == nil && asked != runtime.ErrStopped {
		err = asked
	}
	return err
}

// runAsked runs cmd to its end. A nil error means that it exited with status 0.
// When ctx is done its process group is asked to stop, and asked is ctx's cause;
// it is the error, too, where the process then does not exit with status 0.
// runAsked returns when the group is gone. What cmd writes to standard error goes to said.
func runAsked(ctx context.Context, cmd *exec.Cmd, input []byte, out *output, said io.Writer) (asked, err error) {
	if ctx.Err() != nil {
		return context.Cause(ctx), context.Cause(ctx)
	}
	stderr := &tail{}
	cmd.Stdin = bytes.NewReader(input)
	answers, err := drainTo(cmd, out)
	if err != nil {
		return nil, err
	}
	cmd.Stderr = io.MultiWriter(stderr, said)
	cmd.WaitDelay = drainTime
	g, exited, err := start(cmd)
	answers.started()
	defer answers.end()
	if err != nil {
		return nil, err
	}
	defer g.over()
	select {
	case err = <-exited:
		g.kill()
	case <-ctx.Done():
		asked = context.Cause(ctx)
		g.terminate()
		select {
		case err = <-exited:
		case <-time.After(stopTime):
			g.kill()
			err = <-exited
		}
		g.reap(stopTime)
	}
	switch said := stderr.String(); {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return asked, nil
	case asked != nil:
		return asked, asked
	case said != "":
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	return nil, err
}

// startError is the error of a process of which nothing has run: its executable is
// away or being written, or the system has no room for a process. It says nothing of
// the work, so that an attempt is not counted for it. Who asks a guard has no answer,
// as where there is none.
type startError struct {
	why   string
	cause error // nil where it is not known
}

func (e startError) Error() string { return e.why }

func (e startError) Is(target error) bool { return target == runtime.ErrNoGuard }

// uncounted makes an attempt declined that could not be started.
func uncounted(err error) error {
	if none, ok := errors.AsType[startError](err); ok {
		return runtime.Decline(none.why)
	}
	return err
}

// start starts cmd in a process group, and gives the channel on which the
// result of its Wait will arrive. Both happen on one thread that lives as long
// as the process: on Linux the kernel kills the process when that thread ends,
// so that none outlives an engine that was killed.
func start(cmd *exec.Cmd) (group, <-chan error, error) {
	type started struct {
		group group
		err   error
	}
	begun, exited := make(chan started, 1), make(chan error, 1)
	go func() {
		goruntime.LockOSThread()
		defer goruntime.UnlockOSThread()
		g, err := startGroup(cmd)
		if begun <- (started{g, err}); err == nil {
			exited <- cmd.Wait()
		}
	}()
	s := <-begun
	if s.err != nil {
		why := "it cannot be started: " + s.err.Error()
		switch _, err := os.Stat(cmd.Path); {
		case errors.Is(s.err, syscall.ENOEXEC):
			why += "; its first line must name its interpreter, such as #!/bin/sh"
		case errors.Is(s.err, syscall.ENOENT) && err == nil:
			why += "; the interpreter that its first line names is not there"
		}
		return s.group, nil, startError{why, s.err}
	}
	return s.group, exited, nil
}

// tail keeps the end of what is written to it.
type tail struct {
	b   []byte
	cut bool
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > maxStderr {
		p, t.cut = p[len(p)-maxStderr:], true
	}
	if over := len(t.b) + len(p) - maxStderr; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
		t.cut = true
	}
	t.b = append(t.b, p...)
	return n, nil
}

func (t *tail) String() string {
	said := strings.TrimSpace(strings.ToValidUTF8(string(t.b), "\uFFFD"))
	if t.cut && said != "" {
		return "…" + said
	}
	return said
}
