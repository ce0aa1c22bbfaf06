//go:build unix

package process

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// locked is a buffer that several goroutines write to.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// failed is the line of history with which the attempt of a run ended.
func failed(t *testing.T, e *runtime.Engine) machine.StepView {
	t.Helper()
	steps, err := e.History(t.Context(), "r", 0, 100)
	must(t, err)
	return steps[len(steps)-1]
}

func TestStderrOfExecutable(t *testing.T) {
	for name, c := range map[string]struct {
		script, stored, message string
	}{
		"a status":   {"echo why >&2; exit 3", "why", "exit status 3: why"},
		"a failure":  {`echo why >&2; echo '{"failed":"auth","message":"no key"}'`, "why", "no key"},
		"no answer":  {"echo why >&2", "why", "it printed no answer as its last line"},
		"a result":   {`echo why >&2; echo '{"event":"Found","data":{"n":1}}'`, "", ""},
		"a log line": {`echo '{"log":"why"}'; echo '{"failed":"auth","message":"no key"}'`, "why", "no key"},
		"its rest":   {`sh -c 'echo why >&2'; kill -9 $$`, "why", "signal: killed: why"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, log := compile(t), &locked{}
			h, err := Load(folder(t, map[string]string{"work": c.script}), m)
			must(t, err)
			e := begun(t, h, m, runtime.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
			must(t, errOf(e.RunUntilIdle(t.Context(), "r")))
			if s := failed(t, e); s.Stderr != c.stored || s.Message != c.message {
				t.Errorf("%q, %q", s.Stderr, s.Message)
			}
			if !strings.Contains(log.String(), "msg=stderr run=r machine=M activity=work attempt=1 line=why\n") {
				t.Error(log)
			}
		})
	}
}

// TestStderrOfWorker has what a worker says before its answer be that of the attempt,
// which the two ways that they take could turn round.
func TestStderrOfWorker(t *testing.T) {
	w := pool(t, 1, each(`echo "why $id" >&2; echo "{\"id\":$id,\"log\":\"more\"}"; echo "{\"id\":$id,\"failed\":\"auth\",\"message\":\"no\"}"`))
	for range 200 {
		said := &locked{}
		a := runtime.NewAttempt(runtime.Attempt{}, runtime.AttemptHooks{Stderr: said})
		if _, err := w.attempt(t.Context(), a); err == nil {
			t.Fatal("it has not failed")
		}
		if got := said.String(); !strings.HasPrefix(got, "why ") || !strings.HasSuffix(got, "\nmore\n") || strings.Count(got, "\n") != 2 {
			t.Fatalf("%q", got)
		}
	}
}

// TestStderrOfSeveral gives no attempt what may be another's, unless the worker says whose
// it is.
func TestStderrOfSeveral(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "worker.sh")
	writeScript(t, path, "#!/bin/sh\n"+each(`if [ "$id" = 1 ]; then first=$id; else echo both >&2; for i in 1 2; do echo "{\"id\":$i,\"log\":\"of $i\"}"; echo "{\"id\":$i}"; done; fi`))
	rest := &locked{}
	w := StartWorkers(path, 1, rest)
	var said [2]locked
	var wait sync.WaitGroup
	for i := range said {
		wait.Go(func() {
			if _, err := w.attempt(t.Context(), runtime.NewAttempt(runtime.Attempt{}, runtime.AttemptHooks{Stderr: &said[i]})); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	w.Close()
	if got := said[0].String() + said[1].String(); got != "of 1\nof 2\n" && got != "of 2\nof 1\n" || rest.String() != "both\n" {
		t.Errorf("%q, %q", got, rest)
	}
}

// TestStderrFlood neither holds up an executable nor a worker, nor is it kept.
func TestStderrFlood(t *testing.T) {
	t.Parallel()
	const flood = `head -c 30000000 /dev/zero >&2; head -c 30000000 /dev/zero | tr '\0' '\n' >&2; `
	m := compile(t)
	h, err := Load(folder(t, map[string]string{"work": flood + `echo the end >&2; exit 1`}), m)
	must(t, err)
	w := pool(t, 1, each(flood+`echo the end >&2; echo "{\"id\":$id,\"failed\":\"auth\"}"`))
	for name, h := range map[string]runtime.Handlers{"an executable": h, "a worker": {Activities: w.Handlers(m).Activities, Guards: h.Guards}} {
		e := begun(t, h, m, runtime.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
		ctx, cancel := context.WithTimeout(t.Context(), hangs)
		defer cancel()
		must(t, errOf(e.RunUntilIdle(ctx, "r")))
		if s := failed(t, e).Stderr; len(s) > machine.MaxStderr || !strings.HasSuffix(s, "the end") {
			t.Errorf("%s: %d bytes, %q", name, len(s), fmt.Sprintf("%.20q", s))
		}
	}
}

// TestStderrHeldOpen ends with its process, although another one holds the pipe.
func TestStderrHeldOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pid")
	w := pool(t, 1, fmt.Sprintf("setsid sleep 600 & echo $! >%s\n", path)+each(`echo "{\"id\":$id}"; exit 0`))
	must(t, errOf(w.attempt(t.Context(), &runtime.Attempt{})))
	w.Close()
	if pid, err := os.ReadFile(path); err == nil {
		_ = shell("kill " + string(pid)).Run()
	}
}
