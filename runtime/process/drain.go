package process

import (
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

// drain passes on what a process writes to standard output, all of it, however long it takes
// to deal with a line: a checkpoint is stored before the next one is read, and Wait would close
// the pipe meanwhile, with the answer in it.
type drain struct {
	from, theirs *os.File
	to           io.Writer
	busy         atomic.Bool // something is being dealt with
	done         chan struct{}
}

// drainTo has cmd, which has not been started, write to a drain.
func drainTo(cmd *exec.Cmd, to io.Writer) (*drain, error) {
	from, theirs, err := os.Pipe()
	if err != nil {
		return nil, startError{"it cannot be started: " + err.Error(), err}
	}
	cmd.Stdout = theirs
	return &drain{from: from, theirs: theirs, to: to, done: make(chan struct{})}, nil
}

// started is called when the process has its end, or could not be started.
func (d *drain) started() {
	_ = d.theirs.Close()
	go func() {
		defer close(d.done)
		_, _ = io.Copy(d, d.from)
	}()
}

func (d *drain) Write(p []byte) (int, error) {
	d.busy.Store(true)
	defer d.busy.Store(false)
	return d.to.Write(p)
}

// end returns when all is passed on that the process has written, which has exited. What has left
// its group may hold the other end, and is given drainTime.
func (d *drain) end() {
	const tick = drainTime / 100
	for left := drainTime; left > 0; {
		select {
		case <-d.done:
			left = 0
		case <-time.After(tick):
			if !d.busy.Load() {
				left -= tick
			}
		}
	}
	_ = d.from.Close()
	<-d.done
}
