//go:build unix && cgo

package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
)

// wire leads to the tests' server while it is up.
type wire struct {
	dir, to string // folders of sockets

	mu       sync.Mutex
	listener net.Listener
	open     []net.Conn
}

const socket = ".s.PGSQL.5432"

func (w *wire) up(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(w.dir, socket))
	must(t, err)
	w.mu.Lock()
	w.listener = listener
	w.mu.Unlock()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("unix", filepath.Join(w.to, socket))
			if err != nil {
				_ = near.Close()
				continue
			}
			w.mu.Lock()
			w.open = append(w.open, near, far)
			w.mu.Unlock()
			for _, pair := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				}()
			}
		}
	}()
}

// down cuts all connections, and lets none be made.
func (w *wire) down() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.listener.Close()
	for _, c := range w.open {
		_ = c.Close()
	}
	w.open = nil
}

// TestServerAway: a worker that is started while the server is away waits for it; while it is away again,
// for longer than a call tries, nothing is acknowledged; and the work continues when it is back.
func TestServerAway(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("calls try for ten seconds")
	}
	if !pgtest.Found() {
		t.Skip("there is no PostgreSQL server")
	}
	direct, drop, err := pgtest.Schema()
	must(t, err)
	t.Cleanup(func() { _ = drop(context.Background()) })
	parsed, err := url.Parse(direct)
	must(t, err)
	query := parsed.Query()
	w := wire{to: query.Get("host")}
	if w.to == "" {
		t.Skip("the test needs the tests' own cluster")
	}
	if w.dir, err = os.MkdirTemp("", "fsmc-w-"); err != nil { // a socket's path is short
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(w.dir) })
	query.Set("host", w.dir)
	parsed.RawQuery = query.Encode()
	through := parsed.String()

	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "job.fsm"), "machine Job {\n event Go\n event Worked\n activity work() -> Worked\n initial Waiting\n on failed -> Failed\n"+
		" state Waiting { on Go -> Working }\n state Working { do work() timeout 5m  on Worked -> Waiting max 5 else -> Failed }\n terminal Failed failure\n}\n", 0o644)
	writeFile(t, filepath.Join(dir, "activities", "work"), "#!/bin/sh\necho one >>worked\necho '{\"event\": \"Worked\"}'\n", 0o755)
	command := succeeds(t, dir)
	works := func(times int) {
		t.Helper()
		for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			text := command("show", "--db", direct, "j1")
			ran, _ := os.ReadFile(filepath.Join(dir, "worked"))
			if strings.Count(string(ran), "one") >= times && strings.Contains(text, "is in Waiting") {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("it does not work:\n%s\n%s", text, ran)
			}
		}
	}

	worker := fsmc(dir, "run", "--db", through, "--activities", "activities", "--follow")
	waits, away := newFinding("it is asked again until it can"), newFinding("the store cannot do it now")
	worker.Stdout, worker.Stderr = io.Discard, io.MultiWriter(waits, away)
	must(t, worker.Start())
	ended := make(chan error, 1)
	go func() { ended <- worker.Wait() }()
	await := func(f *finding) {
		t.Helper()
		select {
		case <-f.found:
		case err := <-ended:
			t.Fatalf("the worker has ended: %v\n%s", err, f)
		case <-time.After(patience):
			t.Fatalf("the worker says nothing:\n%s", f)
		}
	}
	await(waits)
	command("run", "--db", direct, "--detach", "--id", "j1", "job.fsm")
	command("send", "--db", direct, "j1", "Go")
	w.up(t)
	works(1)

	w.down()
	before := command("history", "--db", direct, "j1")
	var exit *exec.ExitError
	if out, err := fsmc(dir, "send", "--db", through, "j1", "Go").CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("a send while the server is away: %v\n%s", err, out)
	}
	if after := command("history", "--db", direct, "j1"); after != before {
		t.Errorf("a step that nobody has acknowledged:\n%s", after)
	}
	command("send", "--db", direct, "j1", "Go")
	await(away)
	w.up(t)
	works(2)
	must(t, worker.Process.Signal(syscall.SIGTERM))
	if err := <-ended; err != nil {
		t.Errorf("the worker: %v\n%s", err, away)
	}
	w.down()
	if out := command("replay", "--db", direct); !strings.Contains(out, "no difference") {
		t.Error(out)
	}
}
