package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// servePage serves the pages of the database as fsmc serve does, and opens them. It must be there:
// the first worker makes it. Stop ends the server.
func (s *show) servePage(ctx context.Context) (stop func(), err error) {
	binary := filepath.Join(s.dir, "fsmc")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/fsmc-dev/fsmc/cmd/fsmc")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("fsmc cannot be built: %w\n%s", err, out)
	}
	cmd := exec.CommandContext(ctx, binary, "serve", "--db", database(s.dir), "--addr", s.addr, "--open")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended with the program
		_ = cmd.Wait()
	}, nil
}
