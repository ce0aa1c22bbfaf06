//go:build unix

package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// pool starts n processes of a shell script that reads lines.
func pool(t *testing.T, n int, script string) *Workers {
	t.Helper()
	path := filepath.Join(t.TempDir(), "worker.sh")
	writeScript(t, path, "#!/bin/sh\n"+script)
	w := StartWorkers(path, n, io.Discard)
	t.Cleanup(w.Close)
	return w
}

// each is a script that does something for each line, with its id in $id.
func each(do string) string {
	return `while read -r line; do id=$(printf '%s' "$line" | sed 's/^{"id":\([0-9]*\).*/\1/'); ` + do + "\ndone\n"
}

func TestWorkerAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		do, event, err string
	}{
		"a result":       {`echo "{\"id\":$id,\"event\":\"Found\",\"data\":{\"n\":12345678901234567}}"`, "Found", ""},
		"nothing to say": {`echo "{\"id\":$id}"`, "", ""},
		"a failure":      {`echo "{\"id\":$id,\"failed\":\"auth\",\"message\":\"no key\"}"`, "", "auth: no key"},
		"declined":       {`echo "{\"id\":$id,\"declined\":\"busy\"}"`, "", "busy"},
		"noise before":   {`echo hello; echo "{}"; echo "{\"id\":99}"; echo "{\"id\":$id,\"event\":\"Found\"}"`, "Found", ""},
		"an id as text":  {`echo "{\"id\":\"$id\",\"event\":\"Found\"}"`, "Found", ""},
		"an id as float": {`echo "{\"id\":$id.0,\"event\":\"Found\"}"`, "Found", ""},
		"an id twice":    {`echo "{\"id\":$id,\"event\":\"Found\"}"; echo "{\"id\":$id,\"event\":\"Found\"}"`, "Found", ""},
		"an event twice": {`echo "{\"id\":$id,\"event\":\"Lost\",\"event\":\"Found\"}"`, "", `field "event" is given twice`},
		"no answer":      {`echo "{\"id\":$id,\"evnt\":\"Found\"}"`, "", `unknown field "evnt"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := pool(t, 1, each(test.do))
			result, err := w.attempt(t.Context(), &runtime.Attempt{Run: "r", Activity: "work", Args: json.RawMessage(`{"n":1}`)})
			if result.Event != test.event || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %+v, %v", result, err)
			}
			if data := fmt.Sprintf("%s", result.Data); name == "a result" && data != `{"n":12345678901234567}` {
				t.Errorf("its data is %s", data)
			}
		})
	}
}

// TestWorkerSeveral has one process do many attempts at a time, and answer them
// in another order.
func TestWorkerSeveral(t *testing.T) {
	w := pool(t, 1, each(`( sleep 0.$((5 - id % 5)); echo "{\"id\":$id,\"event\":\"E$id\"}" ) &`))
	var wait sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]bool{}
	for range 10 {
		wait.Go(func() {
			result, err := w.attempt(t.Context(), &runtime.Attempt{})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			seen[result.Event] = true
			mu.Unlock()
		})
	}
	wait.Wait()
	if len(seen) != 10 {
		t.Errorf("answers are mixed up: %v", seen)
	}
}

func TestWorkerDies(t *testing.T) {
	// The first process dies of its second line, and so does each after it.
	w := pool(t, 1, `read -r line; echo '{"id":1}'; read -r line; echo "out of memory" >&2; exit 3`)
	must(t, errOf(w.attempt(t.Context(), &runtime.Attempt{})))
	if _, err := w.attempt(t.Context(), &runtime.Attempt{}); !errors.Is(err, runtime.ErrWorkerLost) {
		t.Fatalf("got %v", err)
	}
	if _, err := w.attempt(t.Context(), &runtime.Attempt{}); err != nil { // of the next process
		t.Fatal(err)
	}
}

func TestWorkerNeverSpeaks(t *testing.T) {
	t.Parallel()
	w := pool(t, 2, `read -r line; echo "no such module" >&2; exit 1`)
	err := runtime.Decline("not yet")
	// Those that meet a process that still lives are released: which of the two ends
	// how often meanwhile is not known.
	for deadline := time.Now().Add(hangs); err != nil && strings.HasPrefix(err.Error(), "declined: ") && time.Now().Before(deadline); {
		_, err = w.attempt(t.Context(), &runtime.Attempt{})
	}
	if err == nil || !strings.Contains(err.Error(), "ends without a word") || !strings.Contains(err.Error(), "no such module") {
		t.Errorf("got %v", err)
	}
}

// TestWorkerEndsUnasked has a script that ends however it is asked, and so may have been asked once.
func TestWorkerEndsUnasked(t *testing.T) {
	t.Parallel()
	w := StartWorkers("sleep 0.2; echo no such module >&2; exit 1", 2, io.Discard)
	t.Cleanup(w.Close)
	for broken := false; !broken; {
		if _, err := w.attempt(t.Context(), &runtime.Attempt{}); err == nil || !strings.HasPrefix(err.Error(), "declined: ") {
			t.Fatalf("got %v", err)
		}
		select {
		case <-w.Broken():
			broken = true
		default:
		}
	}
	if err := w.Err(); err == nil || err.Error() != "the worker command ends before it is given anything: exit status 1: no such module" {
		t.Errorf("got %v", err)
	}
}

// TestWorkerNotStarted releases attempts for as long as the shell cannot start
// the command, and has no answer to a guard.
func TestWorkerNotStarted(t *testing.T) {
	t.Parallel()
	w := StartWorkers("echo away >&2; exit 127", 2, io.Discard)
	t.Cleanup(w.Close)
	<-w.Broken()
	if err := w.Err(); err == nil || err.Error() != "the worker command cannot be started: exit status 127: away" {
		t.Errorf("got %v", err)
	}
	for range 4*brokenAfter + 1 {
		if _, err := w.attempt(t.Context(), &runtime.Attempt{}); err == nil || !strings.HasPrefix(err.Error(), "declined: ") {
			t.Fatalf("got %v", err)
		}
	}
	for deadline := time.Now().Add(hangs); ; time.Sleep(time.Millisecond) {
		_, err := w.pick(t.Context())
		if err == errNotStarted {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %v", err)
		}
	}
	if _, err := w.ask(t.Context(), "allowed", nil); !errors.Is(err, runtime.ErrNoGuard) {
		t.Errorf("got %v", err)
	}
}

// TestWorkerAway has a command that is away for a moment after it has worked: for one
// start, before which no one can be late.
func TestWorkerAway(t *testing.T) {
	away := filepath.Join(t.TempDir(), "away")
	w := pool(t, 1, fmt.Sprintf(`rm %[1]s 2>/dev/null && exit 127; read -r line; : > %[1]s; echo '{"id":1}'`, away))
	first, err := w.pick(t.Context())
	must(t, err)
	must(t, errOf(w.attempt(t.Context(), &runtime.Attempt{})))
	<-first.gone
	for {
		_, err := w.attempt(t.Context(), &runtime.Attempt{})
		if err == nil {
			break
		}
		if !strings.HasPrefix(err.Error(), "declined: ") {
			t.Fatal(err)
		}
	}
	if err := w.Err(); err != nil {
		t.Error(err)
	}
}

// TestWorkerCancelled waits until the process says that it has stopped. That is
// no result, also where it is the engine that stops; one that comes then counts.
func TestWorkerCancelled(t *testing.T) {
	unwanted := errors.New("no longer wanted")
	for name, c := range map[string]struct {
		why   error
		says  string // the members of the answer
		event string // of the result; "" where there is none
	}{
		"cancelled":                        {why: unwanted},
		"the engine stops":                 {why: runtime.ErrStopped},
		"the engine stops, and it is done": {why: runtime.ErrStopped, says: `,"event":"Found"`, event: "Found"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			began, cleaned := filepath.Join(dir, "began"), filepath.Join(dir, "cleaned")
			w := pool(t, 1, each(fmt.Sprintf(`case $line in
				*cancel*) sleep 0.3; : > %s; printf '{"id":%%s%%s}\n' "$id" '%s';;
				*) : > %s;;
			esac`, cleaned, c.says, began)))
			first, err := w.pick(t.Context())
			must(t, err)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				for {
					if _, err := os.Stat(began); err == nil {
						cancel(c.why)
						return
					}
					time.Sleep(time.Millisecond)
				}
			}()
			result, err := w.attempt(ctx, &runtime.Attempt{})
			if result.Event != c.event || c.event == "" && err != c.why || c.event != "" && err != nil {
				t.Errorf("got %q, %v", result.Event, err)
			}
			if _, err := os.Stat(cleaned); err != nil {
				t.Errorf("it was not waited for: %v", err)
			}
			if now, err := w.pick(t.Context()); err != nil || now != first {
				t.Errorf("the process was not left alive: %v", err)
			}
		})
	}
}

func TestWorkerGuard(t *testing.T) {
	w := pool(t, 1, each(`case $line in *'"guard":"ready","args":{"n":7}'*) echo "{\"id\":$id,\"verdict\":true}";; *) echo "{\"id\":$id,\"event\":\"X\"}";; esac`))
	m := compile(t)
	h := w.Handlers(m)
	if verdict, err := h.Guards["ready"](t.Context(), json.RawMessage(`{"n":7}`)); err != nil || !verdict {
		t.Errorf("got %t, %v", verdict, err)
	}
	if _, err := h.Guards["ready"](t.Context(), json.RawMessage(`{"n":8}`)); err == nil || !strings.Contains(err.Error(), "verdict") {
		t.Errorf("got %v", err)
	}
}

// TestWorkerSigns passes heartbeats and checkpoints on, through an engine.
func TestWorkerSigns(t *testing.T) {
	w := pool(t, 1, each(`case $line in
		*'"guard"'*) echo "{\"id\":$id,\"verdict\":true}";;
		*'"checkpoint":{"row":4500}'*) echo "{\"id\":$id,\"event\":\"Found\",\"data\":{\"n\":4500}}";;
		*) echo "{\"id\":$id,\"heartbeat\":true}"; echo "{\"id\":$id,\"progress\":{\"row\":4500}}"; exit 1;;
	esac`))
	m := compile(t)
	o := &observed{}
	v := playWith(t, w.Handlers(m), m, runtime.WithObserver(o))
	if v.State != "Done" || endOf(t, v).N != 4500 {
		t.Errorf("got %s %s", v.State, v.Data)
	}
	if len(o.ends) != 2 || o.ends[0].End != runtime.AttemptLost || o.ends[1].Attempt != o.ends[0].Attempt {
		t.Errorf("the attempt was not passed on: %+v", o.ends)
	}
}

// TestWorkerRecovers lets a command that could not start for a while do the work
// once it can.
func TestWorkerRecovers(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for ten seconds")
	}
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	w := pool(t, 1, fmt.Sprintf("test -e %s || { read -r line; exit 1; }\n", ready)+each(`echo "{\"id\":$id}"`))
	attempt := func() error {
		_, err := w.attempt(t.Context(), &runtime.Attempt{})
		return err
	}
	err := attempt()
	for err != nil && strings.HasPrefix(err.Error(), "declined: ") {
		err = attempt()
	}
	if err == nil || !strings.Contains(err.Error(), "ends without a word") {
		t.Fatalf("got %v", err)
	}
	must(t, os.WriteFile(ready, nil, 0o600))
	for deadline := time.Now().Add(time.Minute); err != nil; time.Sleep(10 * time.Millisecond) {
		if err = attempt(); err != nil && time.Now().After(deadline) {
			t.Fatalf("it is never asked again: %v", err)
		}
	}
}

// TestWorkerGuardAsksOn puts a question to the next process where one ends with
// it: no answer would halt the run.
func TestWorkerGuardAsksOn(t *testing.T) {
	died := filepath.Join(t.TempDir(), "died")
	w := pool(t, 1, each(fmt.Sprintf(`test -e %[1]s || { : > %[1]s; exit 1; }; echo "{\"id\":$id,\"verdict\":true}"`, died)))
	verdict, err := w.ask(t.Context(), "ready", json.RawMessage(`{"n":7}`))
	if err != nil || !verdict {
		t.Errorf("got %t, %v", verdict, err)
	}
}

// TestWorkerDataAsItCame keeps what a worker sends letter by letter.
func TestWorkerDataAsItCame(t *testing.T) {
	const data = `{"text":"<a href=\"x\">&\u2028</a>","n":1.50}`
	file := filepath.Join(t.TempDir(), "data")
	must(t, os.WriteFile(file, []byte(data), 0o600))
	w := pool(t, 1, each(fmt.Sprintf(`printf '{"id":%%s,"event":"Found","data":%%s}\n' "$id" "$(cat %s)"`, file)))
	result, err := w.attempt(t.Context(), &runtime.Attempt{})
	if got := fmt.Sprintf("%s", result.Data); err != nil || got != data {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestWorkerThatReadsNothing is stopped all the same: its queue is full, so that
// it is not even told that there is no more work.
func TestWorkerThatReadsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for ten seconds")
	}
	t.Parallel()
	w := StartWorkers("sleep 60", 1, io.Discard)
	process, err := w.pick(t.Context())
	must(t, err)
	for full := false; !full; { // the pipe first, then the queue
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		full = process.say(ctx, strings.Repeat("x", 64<<10)) != nil
		cancel()
	}
	closed := make(chan struct{})
	go func() { w.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(3 * stopTime):
		t.Error("Close does not return")
	}
}

// TestWorkerSaysNothing counts no worker as lost where each ends without a line of what it
// gets, and says in the end what it said.
func TestWorkerSaysNothing(t *testing.T) {
	t.Parallel()
	w := pool(t, 1, `read -r line; echo "no such module" >&2; exit 1`)
	m := compile(t)
	h := w.Handlers(m)
	h.Guards["ready"] = func(context.Context, json.RawMessage) (bool, error) { return true, nil }
	o := &observed{}
	playWith(t, h, m, runtime.WithObserver(o))
	for i, end := range o.ends {
		if end.End == runtime.AttemptLost {
			t.Errorf("attempt %d: %+v", i, end)
		}
	}
	if len(o.ends) == 0 || !strings.Contains(o.ends[len(o.ends)-1].Message, "no such module") {
		t.Errorf("got %+v", o.ends)
	}
}

// alone is a writer that holds that it is asked for one thing at a time.
type alone struct {
	t    *testing.T
	busy atomic.Bool
}

func (a *alone) Write(p []byte) (int, error) {
	if a.busy.Swap(true) {
		a.t.Error("two processes write at once")
	}
	time.Sleep(20 * time.Millisecond)
	a.busy.Store(false)
	return len(p), nil
}

// TestWorkerEndlessLine: one that is killed for a line longer than any answer is said to
// be, there and on standard error.
func TestWorkerEndlessLine(t *testing.T) {
	t.Parallel()
	var said tail
	w := StartWorkers("read -r line; head -c 3000000 /dev/zero | tr '\\0' x; sleep 300", 1, &said)
	t.Cleanup(w.Close)
	err := runtime.Decline("not yet")
	for deadline := time.Now().Add(hangs); err != nil && strings.HasPrefix(err.Error(), "declined: ") && time.Now().Before(deadline); {
		_, err = w.attempt(t.Context(), &runtime.Attempt{})
	}
	if err == nil || !strings.Contains(err.Error(), "a line of it is longer than 1114112 bytes") {
		t.Errorf("got %v", err)
	}
	w.Close()
	if got := said.String(); !strings.Contains(got, "fsmc: a worker is killed: a line of it is longer than") {
		t.Errorf("standard error has %q", got)
	}
}

// TestWorkersShareStderr: what all of them write to need not be safe for several at a
// time, as with one command of os/exec.
func TestWorkersShareStderr(t *testing.T) {
	StartWorkers("echo one >&2; sleep 0.05; echo two >&2", 4, &alone{t: t}).Close() // waits for all of them
}
