package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"time"
)

// fleet is the worker processes. One of them is killed every now and then, and
// another takes its place.
type fleet struct {
	args    []string // of a worker, but for its name
	random  *rand.Rand
	workers []*exec.Cmd
	started int
	killed  int
}

// launch starts another worker.
func (f *fleet) launch(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	f.started++
	cmd := exec.CommandContext(ctx, program, append(f.args, "-name", fmt.Sprintf("worker-%d", f.started))...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	f.workers = append(f.workers, cmd)
	return nil
}

// kill ends one worker with SIGKILL, wherever it is.
func (f *fleet) kill(i int) error {
	cmd := f.workers[i]
	f.workers = append(f.workers[:i], f.workers[i+1:]...)
	if err := cmd.Process.Kill(); err != nil {
		return fmt.Errorf("%s ended before it was killed: %w", cmd.Args[len(cmd.Args)-1], err)
	}
	_ = cmd.Wait() // it says "signal: killed"
	return nil
}

// killUntil kills a worker at random again and again until over says so.
func (f *fleet) killUntil(ctx context.Context, over func() (bool, error)) error {
	for {
		next := time.After(200*time.Millisecond + time.Duration(f.random.IntN(500))*time.Millisecond)
		for waiting := true; waiting; {
			switch done, err := over(); {
			case err != nil || done:
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-next:
				waiting = false
			case <-time.After(50 * time.Millisecond):
			}
		}
		if err := f.kill(f.random.IntN(len(f.workers))); err != nil {
			return err
		}
		f.killed++
		if err := f.launch(ctx); err != nil {
			return err
		}
	}
}

// end kills those that are left; what they have done is in the database.
func (f *fleet) end() {
	for len(f.workers) > 0 {
		_ = f.kill(0)
	}
}
