//go:build unix && cgo

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// succeeds gives what runs a command in a folder that has to succeed, and gives its output.
func succeeds(t *testing.T, dir string) func(args ...string) string {
	return func(args ...string) string {
		t.Helper()
		out, err := fsmc(dir, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("fsmc %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
}

// TestFewFileDescriptors: a worker that has too few files to start a process with
// releases the attempts, and no run is the worse for it. How many are too few is not
// known, so that several limits are tried; one that is too low for the database is
// none that this is about.
func TestFewFileDescriptors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "job.fsm"), "machine Job {\n event Worked\n activity work() -> Worked\n initial Working\n on failed -> Failed\n"+
		" state Working { do work() timeout 5m  on Worked -> Done }\n terminal Done\n terminal Failed failure\n}\n", 0o644)
	writeFile(t, filepath.Join(dir, "activities", "work"), "#!/bin/sh\necho '{\"event\": \"Worked\"}'\n", 0o755)
	command := succeeds(t, dir)
	const runs = 10
	for i := range runs {
		command("run", "--db", "runs.db", "--detach", "--id", fmt.Sprint("r", i), "job.fsm")
	}
	starved := false
	for limit := 12; limit < 30 && !starved; limit++ {
		c := exec.Command("sh", "-c", fmt.Sprintf("ulimit -n %d; exec fsmc run --db runs.db --activities activities", limit))
		c.Dir = dir
		out := newFinding("cannot be started")
		c.Stdout, c.Stderr = out, out
		must(t, c.Start())
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		select {
		case <-out.found:
			starved = true
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			<-ended
		case <-ended:
		case <-time.After(patience):
			_ = c.Process.Kill()
			t.Fatalf("with %d files it says nothing:\n%s", limit, out)
		}
		if said := out.String(); strings.Contains(said, "Failed") || strings.Count(said, "cannot be started") > 2*runs {
			t.Fatalf("with %d files:\n%s", limit, said)
		}
	}
	if !starved {
		t.Fatal("no limit was too low for a process and enough for the database")
	}
	command("run", "--db", "runs.db", "--activities", "activities")
	for i := range runs {
		if said := command("history", "--db", "runs.db", fmt.Sprint("r", i)); !strings.Contains(said, "Done") || strings.Contains(said, "attempt 2") {
			t.Errorf("r%d:\n%s", i, said)
		}
	}
}

// finding is a buffer that says when a text has been written to it.
type finding struct {
	mu    sync.Mutex
	b     bytes.Buffer
	text  string
	found chan struct{}
	once  sync.Once
}

func newFinding(text string) *finding { return &finding{text: text, found: make(chan struct{})} }

func (f *finding) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.b.Write(p)
	if strings.Contains(f.b.String(), f.text) {
		f.once.Do(func() { close(f.found) })
	}
	return n, err
}

func (f *finding) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.b.String()
}
