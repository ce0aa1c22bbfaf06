package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"time"
)

// crew is some worker processes, of which one is killed now and then and
// replaced.
type crew struct {
	dir, outside string
	clock        storyClock
	random       *rand.Rand

	members []*member
	kills   int
	err     error
}

// member is one worker process. Closing its standard input sends it home.
type member struct {
	*exec.Cmd
	in io.Closer
}

// crewSize is how many worker processes there are at a time.
const crewSize = 3

// work keeps the crew at work, and kills at random, until ctx is done. Who is
// left then may finish what it is at.
func (c *crew) work(ctx context.Context) {
	for range crewSize {
		c.hire()
	}
	for c.err == nil && !sleep(ctx, time.Duration(80+c.random.IntN(240))*time.Millisecond) {
		c.kill(c.random.IntN(len(c.members)))
	}
	var group sync.WaitGroup
	for _, m := range c.members {
		m.in.Close()
		group.Go(func() { m.Wait() }) //nolint:errcheck // it had nothing to do any more
	}
	group.Wait()
}

// hire starts a worker process.
func (c *crew) hire() {
	m, err := c.start()
	if err != nil {
		c.err = err
		return
	}
	c.members = append(c.members, m)
}

func (c *crew) start() (*member, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "-worker", "-dir", c.dir, "-outside", c.outside,
		"-clock", c.clock.String(), "-name", fmt.Sprintf("worker-%d", len(c.members)+c.kills+1))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &member{cmd, in}, cmd.Start()
}

// kill ends a worker with SIGKILL, wherever it is, and starts another one.
func (c *crew) kill(i int) {
	m := c.members[i]
	if c.err = m.Process.Kill(); c.err != nil {
		return
	}
	m.Wait() //nolint:errcheck // it was killed
	c.kills++
	c.members = append(c.members[:i], c.members[i+1:]...)
	c.hire()
}

// sleep waits for d, and reports whether ctx was done first.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return true
	case <-time.After(d):
		return false
	}
}
