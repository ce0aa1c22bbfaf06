package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Again is a command that is this program another time, with other arguments. It ends with
// ctx at the latest.
func Again(ctx context.Context, args ...string) *exec.Cmd {
	path, err := os.Executable()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stderr = os.Stderr
	if err != nil {
		cmd.Err = err
	}
	return cmd
}

// Crew is worker processes, of which one is killed now and then and replaced.
type Crew struct {
	Size          int
	Args          []string      // of each, but for its name
	Least, Spread time.Duration // between two kills, in whole milliseconds
	Random        *rand.Rand
	Kills         int // so far

	hired   int
	members []*member
}

// member is one worker process. Closing its standard input sends it home, if it looks there.
type member struct {
	*exec.Cmd
	in io.Closer
}

// Work keeps the crew at work, and kills at random, until ctx is done.
func (c *Crew) Work(ctx context.Context) error {
	for range c.Size {
		if err := c.hire(ctx); err != nil {
			return err
		}
	}
	for {
		pause := c.Least + time.Duration(c.Random.IntN(int(c.Spread.Milliseconds())))*time.Millisecond
		if Sleep(ctx, pause) != nil {
			return nil
		}
		if err := c.kill(c.Random.IntN(len(c.members))); err != nil {
			return err
		}
		c.Kills++
		if err := c.hire(ctx); err != nil {
			return err
		}
	}
}

// hire starts another worker, which outlives ctx.
func (c *Crew) hire(ctx context.Context) error {
	c.hired++
	cmd := Again(context.WithoutCancel(ctx), append(c.Args, "-name", fmt.Sprintf("worker-%d", c.hired))...)
	in, err := cmd.StdinPipe()
	if err = errors.Join(err, cmd.Start()); err == nil {
		c.members = append(c.members, &member{cmd, in})
	}
	return err
}

// kill ends a worker with SIGKILL, wherever it is.
func (c *Crew) kill(i int) error {
	m := c.members[i]
	c.members = append(c.members[:i], c.members[i+1:]...)
	if err := m.Process.Kill(); err != nil {
		return fmt.Errorf("%s ended before it was killed: %w", m.Args[len(m.Args)-1], err)
	}
	_ = m.Wait() // it says "signal: killed"
	return nil
}

// KillAll kills those that are left.
func (c *Crew) KillAll() {
	for len(c.members) > 0 {
		_ = c.kill(0)
	}
}

// Home sends those home that are left. They may finish what they are at.
func (c *Crew) Home() {
	var group sync.WaitGroup
	for _, m := range c.members {
		m.in.Close()
		group.Go(func() { _ = m.Wait() }) // it had nothing to do any more
	}
	group.Wait()
}
